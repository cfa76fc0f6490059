/** What the checks know from REST: each worker of the group, asked at its advertised URL, and all connectors. */
import { type Health, healthOf } from '@millrace/cli/connectors';
import type { Server } from '@millrace/cli/context';
import { ConnectClient, exchange, objectOf, path } from '@millrace/cli/rest';
import type { GroupDescription } from '@millrace/kafka-client';
import { decodeMetadata } from '../../../cluster/group/connect-protocol';
import { type Deadline, read, type Read } from './deadline';

export interface WorkerAnswer {
  readonly status: number;
  /** Milliseconds that the worker's clock is ahead of this machine's; null without a Date header. */
  readonly aheadMs: number | null;
  /** Half of the time that the request took, and the resolution of the Date header. */
  readonly uncertainMs: number;
  /** Null if the worker does not show it, for instance without credentials. */
  readonly version: string | null;
  readonly clusterId: string | null;
  /** Null if the worker does not list them. */
  readonly connectors: readonly string[] | null;
}

export interface WorkerFacts {
  readonly member: string;
  /** Empty: the member's metadata cannot be read. */
  readonly url: string;
  /** First offset of the config topic that the worker had not read when it joined; -1: none. */
  readonly configOffset: number;
  readonly answer: Read<WorkerAnswer>;
}

const REQUEST_MS = 5_000;
const CALL_MS = 12_000;
const LARGEST_REPLY = 16 * 1024 * 1024;
/** Workers asked; the others are not checked. */
export const MOST_WORKERS = 64;
/** Of the Date header. */
const RESOLUTION_MS = 1_000;

interface Reply {
  readonly status: number;
  readonly date: string | undefined;
  readonly body: unknown;
  readonly sentAt: number;
  readonly receivedAt: number;
}

/** Never rejects. */
export async function readWorkers(group: GroupDescription, server: Server, deadline: Deadline): Promise<WorkerFacts[]> {
  return await Promise.all(
    group.members.slice(0, MOST_WORKERS).map(async ({ memberId, metadata }) => {
      let url = '';
      let configOffset = -1;
      try {
        ({ url, configOffset } = decodeMetadata(metadata));
        if (!/^https?:$/.test(new URL(url).protocol)) throw new Error(`${url} is not the URL of a REST API`);
      } catch (error) {
        const answer = await read('The metadata', CALL_MS, () => Promise.reject(error as Error));
        return { member: memberId, url, configOffset, answer };
      }
      const answer = await deadline.read(`The request to ${url}`, CALL_MS, () => askWorker(url, server));
      return { member: memberId, url, configOffset, answer };
    }),
  );
}

async function askWorker(url: string, server: Server): Promise<WorkerAnswer> {
  const root = await get(url, '/', server);
  const { version, kafka_cluster_id: clusterId } = (root.status === 200 ? (root.body ?? {}) : {}) as Record<
    string,
    unknown
  >;
  const listed = root.status === 200 ? await get(url, '/connectors', server) : null;
  const date = root.date === undefined ? NaN : Date.parse(root.date);
  const trip = root.receivedAt - root.sentAt;
  return {
    status: root.status,
    // The header is cut to a second.
    aheadMs: Number.isNaN(date) ? null : date + RESOLUTION_MS / 2 - (root.sentAt + trip / 2),
    uncertainMs: trip / 2 + RESOLUTION_MS / 2,
    version: typeof version === 'string' ? version : null,
    clusterId: typeof clusterId === 'string' ? clusterId : null,
    connectors: listed?.status === 200 && Array.isArray(listed.body) ? (listed.body as string[]).map(String) : null,
  };
}

/** It answers, but not with the version that every worker shows to those who may see it. */
export function isNoWorker({ status, version }: WorkerAnswer): boolean {
  return version === null && status < 500 && status !== 401 && status !== 403;
}

/** Credentials go to the URLs of the context only: what a member advertises is not trusted with them. */
async function get(url: string, path: string, server: Server): Promise<Reply> {
  const base = new URL(url);
  const isOwn = server.urls.some((own) => new URL(own).origin === base.origin);
  const sentAt = Date.now();
  const { status, headers, text, receivedAt } = await exchange(`${base.origin}${withoutSlash(base.pathname)}${path}`, {
    headers: {
      accept: 'application/json',
      ...(isOwn && server.authorization !== undefined && { authorization: server.authorization }),
    },
    tls: isOwn ? server : { ca: server.ca },
    timeoutMs: REQUEST_MS,
    largest: LARGEST_REPLY,
  });
  return { status, date: headers.date, body: parsed(text), sentAt, receivedAt };
}

function withoutSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

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
  /** Null: not measured, as by Java's workers. */
  readonly health?: Health | null;
}

export interface RestFacts {
  readonly url: string;
  readonly worker: Read<WorkerAnswer>;
  readonly connectors?: Read<readonly ConnectorFacts[]>;
}

const LIST_MS = 20_000;
const LARGEST_LIST = 64 * 1024 * 1024;

/** The worker that is asked, and all connectors. Never rejects. */
export async function readRest(server: Server, deadline: Deadline): Promise<RestFacts> {
  const timeoutMs = Math.max(1, Math.min(server.timeoutMs, LIST_MS, deadline.leftMs));
  const client = new ConnectClient({ ...server, timeoutMs });
  try {
    // Chooses the first URL that answers.
    const connectors = await deadline.read('The list of connectors', LIST_MS, async () =>
      connectorsOf(
        await client.request('/connectors?expand=info&expand=status&expand=health', { largest: LARGEST_LIST }),
      ),
    );
    const worker = await deadline.read(`The request to ${client.address}`, LIST_MS, () =>
      askWorker(client.address, server),
    );
    const isWorker = 'value' in worker && !isNoWorker(worker.value);
    return { url: client.address, worker, ...(isWorker && { connectors }) };
  } finally {
    client.close();
  }
}

const OFFSETS_MS = 5_000;

/** As REST returns them; undefined if they cannot be read. */
export async function readOffsets(server: Server, connector: string, deadline: Deadline): Promise<unknown> {
  const client = new ConnectClient({ ...server, timeoutMs: Math.max(1, Math.min(OFFSETS_MS, deadline.leftMs)) });
  try {
    return await client.request(path`/connectors/${connector}/offsets`);
  } catch {
    return undefined;
  } finally {
    client.close();
  }
}

/** Of a connector, what has another form is left out. @throws ConnectError `REST_REPLY_INVALID` */
function connectorsOf(reply: unknown): ConnectorFacts[] {
  return Object.entries(objectOf(reply, 'GET /connectors')).map(([name, expanded]) => {
    const { info, status, health } = record(expanded);
    const { connector, tasks } = record(status);
    const config = Object.entries(record(record(info).config)).filter(([, value]) => typeof value === 'string');
    return {
      name,
      config: Object.fromEntries(config) as Record<string, string>,
      connector: stateOf(connector),
      tasks: (Array.isArray(tasks) ? tasks : []).map((task) => ({ ...stateOf(task), id: Number(record(task).id) })),
      health: healthOf(health),
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
