/** Runs a Millrace worker as a user does, in a process that cannot outlive this one. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port';
import { KeptProcess } from './kept-process';
import { ROOT } from './paths';
import { waitFor } from './wait-for';

export interface ConnectorStatus {
  readonly name: string;
  readonly connector: { readonly state: string; readonly worker_id: string; readonly trace?: string };
  readonly tasks: readonly {
    readonly id: number;
    readonly state: string;
    readonly worker_id: string;
    readonly trace?: string;
  }[];
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** The parsed body; undefined if it is not JSON. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any;
}

export interface RunningWorker {
  readonly url: string;
  readonly pid: number;
  /** The worker's own folder, removed by `stop`. */
  readonly folder: string;
  readonly process: KeptProcess;
  /** A body that is not a string is sent as JSON. */
  request(method: string, path: string, body?: unknown): Promise<Answer>;
  /**
   * Registers a connector, after a rebalance in progress. Rejects with the worker's message if it fails.
   */
  register(document: { name: string; config: Record<string, string> }): Promise<void>;
  status(connector: string): Promise<ConnectorStatus>;
  /** Resolves with the connector's status once `test` returns true for it. */
  statusWhen(connector: string, test: (status: ConnectorStatus) => boolean): Promise<ConnectorStatus>;
  /**
   * Resolves when the connector and at least `tasks` tasks (default 1) are RUNNING. Rejects with the trace if one of
   * them is FAILED.
   */
  running(connector: string, tasks?: number): Promise<ConnectorStatus>;
  /** Resolves with the exit code once the worker has exited by itself. */
  exited(): Promise<number>;
  /** Kills the worker with SIGKILL. */
  crash(): Promise<void>;
  /** Stops the worker and resolves with its exit code. */
  stop(): Promise<number | null>;
}

export type StartedWorker = RunningWorker & { ready(): Promise<void> };

export interface WorkerOptions {
  /** (Default: the variable `BOOTSTRAP_SERVERS`) */
  readonly bootstrapServers?: string;
  /** Group id and prefix of the storage topics. */
  readonly group: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Of its REST address, e.g. of a worker that is started again. (Default: a free one) */
  readonly port?: number;
  /** Environment variables besides PATH and HOME. No others are inherited, since variables override settings. */
  readonly env?: Readonly<Record<string, string>>;
  /** Flags for Node, e.g. `--cpu-prof`. */
  readonly nodeFlags?: readonly string[];
}

/** Starts a worker and returns at once; `ready` resolves when it is healthy. */
export async function startWorker(options: WorkerOptions): Promise<StartedWorker> {
  const port = options.port ?? (await freePort());
  const folder = await mkdtemp(join(tmpdir(), 'millrace-worker-'));
  const properties = await writeProperties(folder, port, options);
  const worker = new KeptProcess({
    command: process.execPath,
    args: [...(options.nodeFlags ?? []), join(process.env.BENCH_ROOT ?? ROOT, 'dist', 'main.js'), 'start', properties],
    folder,
    signal: 'TERM',
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...options.env },
  });
  return startedWorker(`http://127.0.0.1:${port}`, folder, worker);
}

type PropertiesOptions = Pick<WorkerOptions, 'bootstrapServers' | 'group' | 'settings'>;

/** Writes a worker.properties that Java's worker accepts too, and resolves with its path. */
export async function writeProperties(folder: string, port: number, options: PropertiesOptions): Promise<string> {
  const properties = join(folder, 'worker.properties');
  await writeFile(properties, workerProperties(port, options));
  return properties;
}

export function workerProperties(port: number, { bootstrapServers, group, settings }: PropertiesOptions): string {
  const all: Record<string, string> = {
    'bootstrap.servers': bootstrapServers ?? process.env.BOOTSTRAP_SERVERS ?? '',
    'group.id': group,
    'config.storage.topic': `${group}-configs`,
    'offset.storage.topic': `${group}-offsets`,
    'status.storage.topic': `${group}-status`,
    'config.storage.replication.factor': '-1',
    'offset.storage.replication.factor': '-1',
    'status.storage.replication.factor': '-1',
    'key.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
    listeners: `http://127.0.0.1:${port}`,
    ...settings,
  };
  return Object.entries(all)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');
}

/** Functions for a worker process that listens at `url`. */
export function startedWorker(url: string, folder: string, worker: KeptProcess): StartedWorker {
  const log = (): string => worker.log().slice(-6000);

  async function request(method: string, path: string, body?: unknown): Promise<Answer> {
    const headers = { 'Content-Type': 'application/json' };
    const content = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(url + path, { method, ...(body === undefined ? {} : { headers, body: content }) });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text, json: parsed(text) };
  }
  async function status(connector: string): Promise<ConnectorStatus> {
    const answer = await request('GET', `/connectors/${encodeURIComponent(connector)}/status`);
    return answer.status === 200
      ? (answer.json as ConnectorStatus)
      : { name: connector, connector: { state: 'UNASSIGNED', worker_id: '' }, tasks: [] };
  }
  async function statusWhen(connector: string, test: (status: ConnectorStatus) => boolean): Promise<ConnectorStatus> {
    let last: ConnectorStatus | undefined;
    return await waitFor(
      `another status of ${connector}`,
      async () => (test((last = await status(connector))) ? last : null),
      { timeoutMs: 120_000, detail: () => `last status: ${JSON.stringify(last)}\n${log()}` },
    );
  }
  function pid(): number {
    const id = worker.pid;
    if (id === undefined) throw new Error('the worker has no process yet');
    return id;
  }
  return {
    url,
    folder,
    process: worker,
    get pid() {
      return pid();
    },
    request,
    status,
    statusWhen,
    async ready() {
      await waitFor(
        'the worker to be healthy',
        async () => {
          if (worker.exitCode !== undefined) throw new Error(`the worker did not start:\n${log()}`);
          return (await request('GET', '/health').catch(() => null))?.status === 200;
        },
        { timeoutMs: 120_000, detail: log },
      );
    },
    async register(document) {
      const answer = await waitFor(`a rebalance to end, to register ${document.name}`, async () => {
        const now = await request('POST', '/connectors', document);
        return (now.status !== 409 || /already exists/.test(now.body)) && now;
      });
      if (answer.status !== 201) throw new Error(`${document.name} was refused: ${answer.body}`);
    },
    async running(connector, tasks = 1) {
      return await statusWhen(connector, (now) => {
        const parts = [now.connector, ...now.tasks];
        const failed = parts.find((part) => part.state === 'FAILED');
        if (failed) throw new Error(`${connector} failed: ${failed.trace ?? ''}`);
        return now.tasks.length >= tasks && parts.every((part) => part.state === 'RUNNING');
      });
    },
    async exited() {
      await waitFor('the worker to end', () => worker.exitCode !== undefined, { timeoutMs: 120_000, detail: log });
      return worker.exitCode as number;
    },
    async crash() {
      process.kill(pid(), 'SIGKILL');
      await worker.stop();
    },
    stop: () => worker.stop(),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
