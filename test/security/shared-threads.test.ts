/**
 * A task that hangs, ends or breaks the thread it shares: the others continue in another thread, lose no record and are
 * not charged; the faulty task is logged with file and line, and gets a thread of its own.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { fileSinkConfig } from '../helpers/file-sink-config';
import { Clients } from '../helpers/kafka-clients';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';

const PLUGINS = join(__dirname, 'fixtures', 'plugins');
const FILE = join(PLUGINS, 'rude', 'index.js');
const TEXT = 'org.apache.kafka.connect.storage.StringConverter';

let folder: string;
let clients: Clients;
let worker: StartedWorker;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-shared-'));
  clients = new Clients();
});
afterAll(async () => {
  await clients.close();
  rmSync(folder, { recursive: true });
});

const log = (): string => worker.process.log();
/** After this a silent thread is terminated. */
const SILENCE_MS = 2_000;

async function start(settings: Record<string, string>): Promise<void> {
  worker = await startWorker({
    group: uniqueName('shared'),
    settings: {
      'plugin.path': PLUGINS,
      'task.threads': '1',
      'offset.flush.interval.ms': '200',
      'task.shutdown.graceful.timeout.ms': '1500',
      'errors.restart.backoff.ms': '200',
      'key.converter': TEXT,
      'value.converter': TEXT,
      ...settings,
    },
  });
  await worker.ready();
}

const lines = (file: string): string[] => {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(0, -1);
  } catch {
    return [];
  }
};
/** In which threads it was started. */
const starts = (name: string): string[] => lines(join(folder, `${name}.journal`));

/** A source that counts, and a sink that writes records to a file: both share the thread with other tasks. */
class Neighbours {
  readonly source = uniqueName('good');
  readonly sink = `${this.source}-sink`;

  private get file(): string {
    return join(folder, `${this.source}.txt`);
  }

  async begin(): Promise<void> {
    const topic = await clients.topic(1, {}, this.source);
    const journal = join(folder, `${this.source}.journal`);
    await worker.register({ name: this.source, config: { 'connector.class': 'test.CountingSource', topic, journal } });
    // The group waits for a member that was killed.
    const quick = { 'consumer.override.session.timeout.ms': '6000', 'consumer.override.auto.offset.reset': 'earliest' };
    await worker.register({ name: this.sink, config: fileSinkConfig(topic, this.file, quick) });
    await worker.running(this.source);
    await worker.running(this.sink);
    await this.goOn();
  }

  /** All later counts arrive in the file, and none before them is missing. */
  async goOn(): Promise<void> {
    const arrived = (): number[] => lines(this.file).map(Number);
    const last = (numbers: readonly number[]): number => numbers.reduce((most, n) => Math.max(most, n), 0);
    const before = last(arrived());
    await waitFor(`more than ${before} to arrive`, () => last(arrived()) > before + 5, {
      timeoutMs: 60_000,
      detail: () => log().slice(-6000),
    });
    // Read once: the sink continues to write meanwhile.
    const numbers = arrived();
    const seen = new Set(numbers);
    const missing = Array.from({ length: last(numbers) }, (_, i) => i + 1).filter((n) => !seen.has(n));
    expect(missing).toEqual([]);
  }

  /** Both run, and no status reports a failure. */
  async expectBlameless(): Promise<void> {
    for (const name of [this.source, this.sink]) {
      await worker.running(name);
      const about = log()
        .split('\n')
        .filter((line) => line.includes(`Task ${name}-0`));
      expect(about).toEqual([]);
    }
  }

  async end(): Promise<void> {
    for (const name of [this.source, this.sink]) await worker.request('DELETE', `/connectors/${name}`);
  }
}

interface Rude {
  readonly name: string;
  config: Record<string, string>;
}
function rude(how: string, more: Record<string, string> = {}): Rude {
  const name = uniqueName('rude');
  const config = { 'connector.class': 'test.RudeSource', rude: how, journal: join(folder, `${name}.journal`), ...more };
  return { name, config };
}

describe('a task that blocks the thread it shares', () => {
  const neighbours = new Neighbours();
  beforeAll(async () => {
    await start({ 'task.thread.silence.ms': String(SILENCE_MS) });
    await neighbours.begin();
  });
  afterAll(async () => {
    await worker?.stop();
  });

  const SPINS = /TASK_THREAD_SILENT/;
  test.each<[string, RegExp, string]>([
    ['spin', SPINS, 'spins here'],
    ['spin in a timer', SPINS, 'spins here'],
    ['spin in a promise', SPINS, 'spins here'],
    ['match', SPINS, '(a+)+'],
    ['exit', /called process\.exit\(3\)/, 'process.exit(3)'],
    ['exit and go on', /called process\.exit\(4\)/, 'process.exit(4)'],
    ['throw in a timer', /thrown in a timer/, 'thrown in a timer'],
    ['reject', /nobody handles me/, 'nobody handles me'],
  ])('%s', async (how, reason, place) => {
    const line =
      1 +
      readFileSync(FILE, 'utf8')
        .split('\n')
        .findIndex((text) => text.includes(place));
    const culprit = rude(how, { 'errors.restart.max': '0' });
    await worker.register(culprit);
    const status = await worker.statusWhen(culprit.name, ({ tasks }) => tasks[0]?.state === 'FAILED');
    expect(status.tasks[0]?.trace).toMatch(reason);
    expect(status.tasks[0]?.trace).toContain(`${FILE}:${line}`);
    await neighbours.goOn();
    await neighbours.expectBlameless();
    expect((await worker.request('GET', '/health')).status).toBe(200);
    await worker.request('DELETE', `/connectors/${culprit.name}`);
  });

  test('put() of a sink', async () => {
    const { name, config } = rude('spin', { 'errors.restart.max': '0', 'connector.class': 'test.RudeSink' });
    await worker.register({ name, config: { ...config, topics: neighbours.source } });
    const status = await worker.statusWhen(name, ({ tasks }) => tasks[0]?.state === 'FAILED');
    expect(status.tasks[0]?.trace).toContain(`put() of task ${name}-0 blocks it, in spin (${FILE}:`);
    await neighbours.goOn();
    await neighbours.expectBlameless();
    await worker.request('DELETE', `/connectors/${name}`);
  });

  test('its automatic restart has a thread of its own; paused neighbors return paused', async () => {
    expect((await worker.request('PUT', `/connectors/${neighbours.source}/pause`)).status).toBe(202);
    await worker.statusWhen(neighbours.source, ({ tasks }) => tasks[0]?.state === 'PAUSED');
    const culprit = rude('spin', { times: '1' });
    await worker.register(culprit);
    await waitFor('its second start', () => starts(culprit.name).length === 2, { detail: log });
    await worker.running(culprit.name);
    const [thread] = starts(neighbours.source).slice(-1);
    expect(starts(culprit.name)[1]).not.toBe(thread);
    expect((await worker.status(neighbours.source)).tasks[0]?.state).toBe('PAUSED');
    expect((await worker.request('PUT', `/connectors/${neighbours.source}/resume`)).status).toBe(202);
    await worker.running(neighbours.source);
    await neighbours.goOn();
    expect(starts(neighbours.source).slice(-1)).not.toEqual(starts(culprit.name).slice(-1));
    await worker.request('DELETE', `/connectors/${culprit.name}`);
  });

  test('a process that is suspended for longer than the limit ends no thread', async () => {
    const before = starts(neighbours.source);
    process.kill(worker.pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, 2 * SILENCE_MS));
    process.kill(worker.pid, 'SIGCONT');
    await neighbours.goOn();
    expect(starts(neighbours.source)).toEqual(before);
  });
});

describe('without a limit', () => {
  const neighbours = new Neighbours();
  let stopped = false;
  beforeAll(async () => {
    await start({ 'task.thread.silence.ms': '0', 'watchdog.task.ms': '2500' });
    await neighbours.begin();
  });
  afterAll(async () => {
    if (!stopped) await worker?.stop();
  });

  test('a task that spins is logged and shown in /health, and the end of its thread affects nothing else', async () => {
    const culprit = rude('spin');
    await worker.register(culprit);
    await waitFor('its name in the log', () => log().includes(`poll() of task ${culprit.name}-0 blocks it, in spin`));
    const health = await worker.request('GET', '/health');
    expect(health.status).toBe(200);
    expect(health.body).toContain(`poll() of task ${culprit.name}-0 blocks it`);
    expect((await worker.request('DELETE', `/connectors/${culprit.name}`)).status).toBe(204);
    await neighbours.goOn();
    await neighbours.expectBlameless();
    expect(log()).not.toContain('poll() of its plugin returned');
    expect(starts(culprit.name)).toHaveLength(1);
  });

  test('the worker stops in time although a thread hangs', async () => {
    const culprit = rude('spin in a timer');
    await worker.register(culprit);
    await waitFor('its name in the log', () => log().includes(`task ${culprit.name}-0 blocks it, in spin`));
    stopped = true;
    expect(await worker.stop()).toBe(0);
  });
});
