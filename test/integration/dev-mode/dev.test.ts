/**
 * `millrace dev`, in separate processes: the broker that comes with a worker, those that join it, and recovery after a
 * kill.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../../dev/services/free-port';
import type { StartedWorker } from '../../../dev/services/worker';
import { waitFor } from '../../helpers/wait-for';
import { dev, millrace } from './dev-process';

let folder: string;
let data: string;
const running: StartedWorker[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-dev-mode-'));
  data = join(folder, 'data');
});
afterEach(async () => {
  for (const worker of running.splice(0).reverse()) await worker.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** So that a kill is detected in seconds. */
const QUICK = { CONNECT_OFFSET_FLUSH_INTERVAL_MS: '200', CONNECT_SESSION_TIMEOUT_MS: '6000' };

/** So that a stop is orderly, however slow the machine. */
const PATIENT = {
  CONNECT_SESSION_TIMEOUT_MS: '45000',
  CONNECT_TASK_SHUTDOWN_GRACEFUL_TIMEOUT_MS: '45000',
  CONNECT_OFFSET_FLUSH_TIMEOUT_MS: '45000',
};

/** A worker on the test's data folder. */
async function started(args: string[] = [], env: Readonly<Record<string, string>> = QUICK): Promise<StartedWorker> {
  const worker = await dev(['--data-dir', data, ...args], env);
  running.push(worker);
  await worker.ready();
  return worker;
}

const logs = async (worker: StartedWorker, what: string | RegExp): Promise<unknown> =>
  await waitFor(`${what} in the log`, () => worker.process.log().match(what) !== null, {
    detail: () => worker.process.log().slice(-4000),
  });

const file = (): string => join(folder, 'ticks.txt');

async function registerPipeline(worker: StartedWorker, sessionMs = 6_000): Promise<void> {
  const source = { 'connector.class': 'TickerConnector', topic: 'ticks', 'interval.ms': '20' };
  await worker.register({ name: 'ticker', config: source });
  await worker.register({
    name: 'file',
    config: {
      'connector.class': 'FileStreamSinkConnector',
      topics: 'ticks',
      file: file(),
      'value.converter.schemas.enable': 'false',
      'value.converter': 'org.apache.kafka.connect.storage.StringConverter',
      'consumer.override.auto.offset.reset': 'earliest',
      'consumer.override.session.timeout.ms': String(sessionMs),
    },
  });
}

/** The ticks written to the file. */
function ticks(): number[] {
  try {
    const lines = readFileSync(file(), 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => (JSON.parse(line) as { payload: { tick: number } }).payload.tick);
  } catch {
    return [];
  }
}

const untilTick = async (tick: number, worker: StartedWorker): Promise<unknown> =>
  await waitFor(`tick ${tick}`, () => (ticks().at(-1) ?? 0) >= tick, {
    detail: () => worker.process.log().slice(-4000),
  });

const unbroken = (upTo: number): number[] => Array.from({ length: upTo }, (_, i) => i + 1);

/** At least once: after a kill there may be duplicates. */
function expectNoneMissing(): void {
  const distinct = [...new Set(ticks())].sort((a, b) => a - b);
  expect(distinct).toEqual(unbroken(distinct.length));
}

test('kafka-client 4: from an empty folder to records in a file; it prints what runs; after an orderly stop it resumes', async () => {
  const first = await started(['--broker-port', '0'], PATIENT);
  expect((await first.request('GET', '/')).json).toMatchObject({ version: '4.3.1' });
  await logs(
    first,
    new RegExp(
      `WARN .*Started an embedded broker on 127\\.0\\.0\\.1:\\d+ with data folder ${data}\\. .* use Apache Kafka in production`,
    ),
  );
  await registerPipeline(first, 45_000);
  await untilTick(20, first);
  expect(await first.stop()).toBe(0);

  const second = await started(['--broker-port', '0'], PATIENT);
  await untilTick((ticks().at(-1) as number) + 20, second);
  expect(await second.stop()).toBe(0);
  // Tasks and stores had their broker until the end: nothing is missing or duplicated.
  expect(ticks()).toEqual(unbroken(ticks().length));
});

test('kafka-client 4: a second worker joins over the port and shares the work; when it is killed, its tasks move', async () => {
  const host = await started(['--broker-port', '0']);
  const joined = await started(['--broker-port', '0']);
  await logs(joined, `Using the embedded broker of process ${host.pid} on 127.0.0.1:`);
  expect(host.process.log()).not.toContain('Using the embedded broker');
  await registerPipeline(host);
  const workers = async (): Promise<Set<string>> => {
    const all = await Promise.all(['ticker', 'file'].map((name) => host.running(name)));
    return new Set(all.flatMap(({ tasks }) => tasks.map((task) => task.worker_id)));
  };
  const both = [host, joined].map(({ url }) => url.replace('http://', ''));
  await waitFor('each worker to have a task', async () => {
    const having = await workers();
    return both.every((worker) => having.has(worker));
  });
  await untilTick(20, host);
  await joined.crash();
  const [own] = both;
  const moved = async (name: string): Promise<unknown> =>
    await host.statusWhen(name, ({ tasks }) =>
      tasks.every((task) => task.worker_id === own && task.state === 'RUNNING'),
    );
  await Promise.all([moved('ticker'), moved('file')]);
  await untilTick((ticks().at(-1) as number) + 20, host);
  expectNoneMissing();
});

test('kafka-client 4: the host is killed: after a restart it has its connectors, offsets and records, and the joined worker continues', async () => {
  const port = String(await freePort());
  const host = await started(['--broker-port', port]);
  const joined = await started(['--broker-port', port]);
  await registerPipeline(joined);
  await untilTick(50, joined);
  await host.crash();
  const seen = ticks().at(-1) as number;
  const again = await started(['--broker-port', port]);
  await logs(again, `Started an embedded broker on 127.0.0.1:${port}`);
  for (const worker of [again, joined]) {
    await waitFor('both connectors', async () => (await worker.request('GET', '/connectors')).json?.length === 2);
    await waitFor('health', async () => (await worker.request('GET', '/health')).status === 200);
  }
  await untilTick(seen + 50, again);
  expectNoneMissing();
});

test('a worker that has lost its broker can be stopped', async () => {
  const host = await started(['--broker-port', '0']);
  const joined = await started();
  await registerPipeline(joined);
  await untilTick(5, joined);
  await host.crash();
  process.kill(joined.pid, 'SIGTERM');
  expect(await joined.exited()).toBe(0);
});

test('bootstrap.servers=embedded in worker.properties does the same for `millrace start`', async () => {
  const port = await freePort();
  const properties = join(folder, 'worker.properties');
  const lines = {
    'bootstrap.servers': 'embedded',
    'embedded.port': '0',
    'embedded.data.dir': data,
    'group.id': 'g',
    'config.storage.topic': 'c',
    'offset.storage.topic': 'o',
    'status.storage.topic': 's',
    'key.converter': 'org.apache.kafka.connect.json.JsonConverter',
    'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
    listeners: `http://127.0.0.1:${port}`,
  };
  writeFileSync(
    properties,
    Object.entries(lines)
      .map(([key, value]) => `${key}=${value}\n`)
      .join(''),
  );
  const worker = millrace(['start', properties], {}, port);
  running.push(worker);
  await worker.ready();
  await registerPipeline(worker);
  await untilTick(5, worker);
});

/** The request that the worker shows, as it is in the text format. */
async function shownCommand(worker: StartedWorker): Promise<string> {
  return await waitFor('the line', () => /^ {2}\w[\w ]*: +(curl .*)$/m.exec(worker.process.log())?.[1], {
    detail: () => worker.process.log(),
  });
}
const inShell = (command: string): unknown =>
  JSON.parse(execFileSync('/bin/sh', ['-c', command], { stdio: ['ignore', 'pipe', 'ignore'] }).toString());

test('when it is ready it prints where everything is, and a request that works as it stands; so does a second worker', async () => {
  const first = await started(['--broker-port', '0']);
  const command = await shownCommand(first);
  const [, kafka] = /Started an embedded broker on (\S+)/.exec(first.process.log()) as RegExpExecArray;
  expect(first.process.log()).toContain(
    `Millrace is ready: console ${first.url}/ui, REST ${first.url}, Kafka ${kafka}, data ${data}\n`,
  );
  expect(inShell(command)).toMatchObject({ name: 'hello', type: 'source' });
  await first.running('hello');

  const second = await started();
  const again = await shownCommand(second);
  expect(second.process.log()).toContain(
    `Millrace is ready: console ${second.url}/ui, REST ${second.url}, Kafka ${kafka}, data ${data}\n`,
  );
  expect(inShell(again)).toMatchObject({ name: 'hello', connector: { state: 'RUNNING' } });

  // A newcomer reads what happened, not the protocol.
  await logs(first, `Worker ${second.url} has joined the group`);
  await second.crash();
  await logs(first, `Worker ${second.url} has stopped or was lost`);
  await first.request('DELETE', '/connectors/hello');
  await logs(first, 'Connector hello was deleted and has ended');
  expect(first.process.log()).not.toMatch(/generation|rejoin|rebalanc/i);
  expect(first.process.log()).not.toContain('\u001b');
});

test('with MILLRACE_LOG_FORMAT=json, every line of standard output is a JSON document', async () => {
  const worker = await started(['--broker-port', '0'], { ...QUICK, MILLRACE_LOG_FORMAT: 'json', FORCE_COLOR: '1' });
  const lines = (): Record<string, unknown>[] =>
    worker.process
      .log()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const ready = await waitFor('the line', () => lines().find(({ message }) => message === 'Millrace is ready'));
  expect(ready).toMatchObject({ level: 'info', rest: worker.url, data });
  expect(inShell((ready.next as Record<string, string>)['Try it'] as string)).toMatchObject({ name: 'hello' });
});
