/** What the REST API shows: the worker that is asked, and all connectors. */
import type { Server } from '../context/server';
import { ConnectClient } from '../rest/connect-client';
import { objectOf } from '../rest/reply';
import type { Deadline } from './deadline';
import type { Read } from './read';
import { askWorker, isNoWorker, type WorkerAnswer } from './worker-facts';

export interface State {
  readonly state?: string;
  readonly worker_id?: string;
  readonly trace?: string;
}

export interface ConnectorFacts {
  readonly name: string;
  readonly config: Readonly<Record<string, string>>;
  readonly connector: State;
  readonly tasks: readonly (State & { readonly id: number })[];
}

export interface RestFacts {
  readonly url: string;
  readonly worker: Read<WorkerAnswer>;
  readonly connectors?: Read<readonly ConnectorFacts[]>;
}

const CALL_MS = 20_000;
const LARGEST_REPLY = 64 * 1024 * 1024;

/** Never rejects. */
export async function readRest(server: Server, deadline: Deadline): Promise<RestFacts> {
  const timeoutMs = Math.max(1, Math.min(server.timeoutMs, CALL_MS, deadline.leftMs));
  const client = new ConnectClient({ ...server, timeoutMs });
  try {
    // Chooses the first URL that answers.
    const connectors = await deadline.read('The list of connectors', CALL_MS, async () =>
      connectorsOf(await client.request('/connectors?expand=info&expand=status', { largest: LARGEST_REPLY })),
    );
    const worker = await deadline.read(`The request to ${client.address}`, CALL_MS, () =>
      askWorker(client.address, server),
    );
    const isWorker = 'value' in worker && !isNoWorker(worker.value);
    return { url: client.address, worker, ...(isWorker && { connectors }) };
  } finally {
    client.close();
  }
}

/** Of a connector, what has another form is left out. @throws ConnectError `REST_REPLY_INVALID` */
function connectorsOf(reply: unknown): ConnectorFacts[] {
  return Object.entries(objectOf(reply, 'GET /connectors')).map(([name, expanded]) => {
    const { info, status } = record(expanded);
    const { connector, tasks } = record(status);
    const config = Object.entries(record(record(info).config)).filter(([, value]) => typeof value === 'string');
    return {
      name,
      config: Object.fromEntries(config) as Record<string, string>,
      connector: stateOf(connector),
      tasks: (Array.isArray(tasks) ? tasks : []).map((task) => ({ ...stateOf(task), id: Number(record(task).id) })),
    };
  });
}

function stateOf(value: unknown): State {
  const { state, worker_id: worker, trace } = record(value);
  return {
    ...(typeof state === 'string' && { state }),
    ...(typeof worker === 'string' && { worker_id: worker }),
    ...(typeof trace === 'string' && { trace }),
  };
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
