import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../src/cli/cli';
import type { CliIo } from '../../src/cli/io';
import { start } from '../../src/cli/start';
import type { WorkerConfig } from '../../src/config/worker-config';
import type { Worker } from '../../src/worker';

class FakeIo implements CliIo {
  out = '';
  err = '';
  signal: (name: string) => void = () => undefined;
  readonly stdout = { write: (text: string) => (this.out += text) };
  readonly stderr = { write: (text: string) => (this.err += text) };
  constructor(
    readonly cwd: string,
    readonly env: Record<string, string> = {},
  ) {}
  crash: (error: unknown) => void = () => undefined;
  onSignal(listener: (signal: string) => void): void {
    this.signal = listener;
  }
  onCrash(listener: (error: unknown) => void): void {
    this.crash = listener;
  }
}

let cwd: string;
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'millrace-cli-'))));
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const GOOD = `bootstrap.servers=k:9092
group.id=g
config.storage.topic=c
offset.storage.topic=o
status.storage.topic=s
key.converter=K
value.converter=V
`;

class FakeWorker implements Worker {
  readonly urls = [];
  breakDown: (reason: unknown) => void = () => undefined;
  readonly failed = new Promise((resolve) => (this.breakDown = resolve));
  events: string[] = [];
  fail: Error | null = null;
  stopped: () => void = () => undefined;
  async start(): Promise<void> {
    this.events.push('start');
    if (this.fail) throw this.fail;
  }
  stop(): Promise<void> {
    this.events.push('stop');
    return new Promise((resolve) => (this.stopped = resolve));
  }
}

describe('verbs', () => {
  test('help and version', async () => {
    for (const verb of ['--help', '-h', 'help']) {
      const io = new FakeIo(cwd);
      expect(await runCli([verb], io)).toBe(0);
      expect(io.out).toMatch(/^Usage: millrace <command>/);
    }
    const io = new FakeIo(cwd);
    expect(await runCli(['--version'], io)).toBe(0);
    expect(io.out).toMatch(/^millrace \d+\.\d+\.\d+ \(Kafka Connect 4\.3\.1\)\n$/);
  });

  test('an unknown verb, or none, gets the usage and exit code 2', async () => {
    const io = new FakeIo(cwd);
    expect(await runCli(['frobnicate'], io)).toBe(2);
    expect(io.err).toMatch(/^Unknown command "frobnicate"\.\n\nUsage: /);
    const none = new FakeIo(cwd);
    expect(await runCli([], none)).toBe(2);
    expect(none.err).toMatch(/^Usage: /);
    const proto = new FakeIo(cwd);
    expect(await runCli(['constructor'], proto)).toBe(2);
  });

  test('start takes one file at most', async () => {
    for (const args of [['a', 'b'], ['--fast']]) {
      expect(await runCli(['start', ...args], new FakeIo(cwd))).toBe(2);
    }
  });
});

describe('start: settings', () => {
  async function startWith(args: string[], env: Record<string, string> = {}) {
    const io = new FakeIo(cwd, env);
    let config: WorkerConfig | null = null;
    const worker = new FakeWorker();
    const code = start(args, io, (c) => {
      config = c;
      queueMicrotask(() => worker.stopped());
      return worker;
    });
    if ((await Promise.race([code, new Promise((r) => setImmediate(() => r('running')))])) === 'running') {
      io.signal('SIGTERM');
      worker.stopped();
    }
    return { code: await code, io, config: config as WorkerConfig | null };
  }

  test.each<[string, string, RegExp]>([
    [
      'a missing key',
      GOOD.replace(/group.id.*\n/, ''),
      /^millrace: Worker setting "group.id" is required: .+\. \(WORKER_CONFIG_INVALID\)\n$/,
    ],
    [
      'a wrong value',
      `${GOOD}session.timeout.ms=x\n`,
      /^millrace: Worker setting "session.timeout.ms" is invalid: .+\n$/,
    ],
    ['a wrong escape', `${GOOD}a=\\u00`, /^millrace: Cannot read the worker's properties from .*: line 8: Malformed/],
    [
      'an unknown provider',
      `${GOOD}config.providers=v\nconfig.providers.v.class=Vault\n`,
      /config\.providers\.v\.class/,
    ],
  ])('%s: one sentence on stderr, exit code 1', async (_, text, message) => {
    writeFileSync(join(cwd, 'w.properties'), text);
    const { code, io, config } = await startWith(['w.properties']);
    expect(code).toBe(1);
    expect(config).toBeNull();
    expect(io.err).toMatch(message);
    expect(io.err.trimEnd()).not.toContain('\n');
    expect(io.out).toBe('');
  });

  test('a file that does not exist', async () => {
    const { code, io } = await startWith(['nope.properties']);
    expect(code).toBe(1);
    expect(io.err).toContain(`Cannot read the worker's properties from ${cwd}/nope.properties: ENOENT`);
  });

  test('worker.properties of the current directory is the default; the environment overrides it', async () => {
    writeFileSync(join(cwd, 'worker.properties'), GOOD);
    const { code, config } = await startWith([], { GROUP_ID: 'env', CONNECT_OFFSET_FLUSH_INTERVAL_MS: '10000' });
    expect(code).toBe(0);
    expect(config).toMatchObject({ groupId: 'env', offsetFlushIntervalMs: 10000 });
  });

  test('the environment alone is enough, placeholders included', async () => {
    const { code, config } = await startWith([], {
      BOOTSTRAP_SERVERS: 'k:1',
      GROUP_ID: '${env:NAME}',
      CONFIG_STORAGE_TOPIC: 'c',
      OFFSET_STORAGE_TOPIC: 'o',
      STATUS_STORAGE_TOPIC: 's',
      CONNECT_KEY_CONVERTER: 'K',
      CONNECT_VALUE_CONVERTER: 'V',
      CONNECT_CONFIG_PROVIDERS: 'env',
      CONNECT_CONFIG_PROVIDERS_ENV_CLASS: 'EnvVarConfigProvider',
      NAME: 'resolved',
    });
    expect(code).toBe(0);
    expect(config).toMatchObject({ bootstrapServers: 'k:1', groupId: 'resolved' });
  });
});

describe('start: life of the worker', () => {
  let io: FakeIo;
  let worker: FakeWorker;
  beforeEach(() => {
    writeFileSync(join(cwd, 'worker.properties'), GOOD);
    io = new FakeIo(cwd);
    worker = new FakeWorker();
  });
  const running = async () => {
    const code = start([], io, () => worker);
    await new Promise((resolve) => setImmediate(resolve));
    return code;
  };
  const started = () => {
    const code = running();
    return { code, ready: new Promise((resolve) => setImmediate(() => setImmediate(resolve))) };
  };

  test('a signal stops it, exit code 0', async () => {
    const { code, ready } = started();
    await ready;
    io.signal('SIGTERM');
    expect(worker.events).toEqual(['start', 'stop']);
    worker.stopped();
    expect(await code).toBe(0);
  });

  test('a second signal does not wait', async () => {
    const { code, ready } = started();
    await ready;
    io.signal('SIGINT');
    io.signal('SIGINT');
    expect(await code).toBe(130);
    expect(worker.events).toEqual(['start', 'stop']);
  });

  test('a worker that cannot go on: one sentence, everything stopped, exit code 1', async () => {
    const { code, ready } = started();
    await ready;
    worker.breakDown(new Error('The config topic is gone.'));
    await new Promise((resolve) => setImmediate(resolve));
    worker.stopped();
    expect(await code).toBe(1);
    expect(worker.events).toEqual(['start', 'stop']);
    expect(io.err).toBe('millrace: The config topic is gone.\n');
  });

  test('an error that nobody caught: its stack, an orderly stop, exit code 1', async () => {
    const { code, ready } = started();
    await ready;
    io.crash(new Error('plug-in went astray'));
    await new Promise((resolve) => setImmediate(resolve));
    worker.stopped();
    expect(await code).toBe(1);
    expect(worker.events).toEqual(['start', 'stop']);
    expect(io.err).toMatch(
      /^Error: plug-in went astray\n {4}at [^]*\nmillrace: An error that nobody caught ends this worker/,
    );
  });

  test('a start that fails: one sentence, everything stopped, exit code 1', async () => {
    worker.fail = new Error('Kafka is not there.');
    const { code, ready } = started();
    await ready;
    worker.stopped();
    expect(await code).toBe(1);
    expect(worker.events).toEqual(['start', 'stop']);
    expect(io.err).toBe('millrace: Kafka is not there.\n');
  });
});
