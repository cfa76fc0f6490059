import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../src/cli/cli';
import { run as dev } from '../../src/cli/verbs/dev';
import { run as start } from '../../src/cli/verbs/start';
import type { WorkerSetup } from '../../src/cli/worker/read-config';
import type { Worker } from '../../src/worker';
import { FakeIo, invocationOf } from './fake-io';

let cwd: string;
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'millrace-cli-'))));
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const GOOD = `bootstrap.servers=k:9092
group.id=g
config.storage.topic=c
offset.storage.topic=o
status.storage.topic=s
key.converter=JsonConverter
value.converter=JsonConverter
`;

class FakeWorker implements Worker {
  readonly urls = [];
  readonly bootstrapServers = 'k:9092';
  async ready(): Promise<void> {}
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
      expect(io.out).toMatch(/^Usage: millrace <command> \[options\]\n/);
    }
    const io = new FakeIo(cwd);
    expect(await runCli(['--version'], io)).toBe(0);
    expect(io.out).toMatch(/^millrace \d+\.\d+\.\d+ \(Kafka Connect 4\.3\.1\)\n$/);
  });

  test('an unknown verb, or none, prints the usage, exit code 2', async () => {
    const io = new FakeIo(cwd);
    expect(await runCli(['frobnicate'], io)).toBe(2);
    expect(io.err).toMatch(/^error: unknown command 'frobnicate'\n/);
    const near = new FakeIo(cwd);
    expect(await runCli(['strat'], near)).toBe(2);
    expect(near.err).toContain('(Did you mean start?)');
    const none = new FakeIo(cwd);
    expect(await runCli([], none)).toBe(2);
    expect(none.err).toMatch(/^Usage: /);
    const proto = new FakeIo(cwd);
    expect(await runCli(['constructor'], proto)).toBe(2);
  });

  test.each([
    [['a', 'b'], "too many arguments for 'VERB'. Expected 1 argument but got 2."],
    [['--fast'], "unknown option '--fast'"],
    [['--port'], "option '--port <number>' argument missing"],
    [['--port', 'http'], "'--port <number>' argument 'http' is invalid. It must be a number from 0 to 65535."],
    [['--broker-port', '65536'], "argument '65536' is invalid. It must be a number from 0 to 65535."],
  ])('start and dev: wrong arguments %j', async (args, reason) => {
    for (const verb of ['start', 'dev']) {
      const io = new FakeIo(cwd);
      expect(await runCli([verb, ...args], io)).toBe(2);
      expect(io.err).toContain(reason.replace('VERB', verb));
      expect(io.err).toContain(`\nSee "millrace ${verb} --help".\n`);
    }
  });
});

async function startWith(
  args: string[],
  env: Record<string, string> = {},
  verb = start,
  name = verb === dev ? 'dev' : 'start',
) {
  const io = new FakeIo(cwd, env);
  let setup: WorkerSetup | null = null;
  const worker = new FakeWorker();
  const code = verb(invocationOf([name, ...args], io), (given) => {
    setup = given;
    queueMicrotask(() => worker.stopped());
    return worker;
  });
  if ((await Promise.race([code, new Promise((r) => setImmediate(() => r('running')))])) === 'running') {
    io.signal('SIGTERM');
    worker.stopped();
  }
  const { config = null, embedded = null } = (setup as WorkerSetup | null) ?? {};
  return { code: await code, io, config, embedded };
}

describe('start: settings', () => {
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

  test('several wrong settings: one sentence each, exit code 1; values of an unknown provider are not checked', async () => {
    writeFileSync(
      join(cwd, 'w.properties'),
      `${GOOD}session.timeout.ms=x\ntask.threads=\${vault:a:b}\nconfig.providers=vault\nconfig.providers.vault.class=acme.Vault\n`,
    );
    const { code, io } = await startWith(['w.properties'], { REST_PORT: 'eighty', CONNECT_PLUGIN_WATCH: 'maybe' });
    expect(code).toBe(1);
    expect(io.err.split('\n')).toEqual([
      'millrace: 4 worker settings are invalid:',
      '    Worker setting "config.providers.vault.class" is invalid: the class acme.Vault could not be found.',
      expect.stringMatching(
        /^ {4}Worker setting "listeners" is invalid: .* It is set by the environment variable REST_PORT\.$/,
      ),
      '    Worker setting "session.timeout.ms" is invalid: "x": Not a number of type INT.',
      '    Worker setting "plugin.watch" is invalid: "maybe": Expected value to be either true or false. It is set by the environment variable CONNECT_PLUGIN_WATCH. (WORKER_CONFIG_INVALID)',
      'What else differs from Java Connect: millrace doctor --from-java w.properties',
      '',
    ]);
    expect(io.out).toBe('');
  });

  test('settings of Java that would fail later are named, too', async () => {
    const more =
      'security.protocol=SASL_SSL\nsasl.mechanism=GSSAPI\nconsumer.security.protocol=SASL_SSL\nconsumer.sasl.mechanism=OAUTHBEARER\nconsumer.sasl.jaas.config=org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule required;\nconsumer.sasl.login.callback.handler.class=acme.Handler\nvalue.converter=com.acme.AvroConverter\nsession.timeout.ms=x\n';
    writeFileSync(join(cwd, 'w.properties'), GOOD + more);
    const { io } = await startWith(['w.properties']);
    expect(io.err).toMatch(/^millrace: 4 worker settings are invalid:\n/);
    expect(io.err).toContain(
      '"consumer.sasl.login.callback.handler.class" is rejected. It is acme.Handler, a Java class',
    );
    expect(io.err).toContain('"value.converter" is rejected. Class com.acme.AvroConverter is not installed.');
    expect(io.err).toContain('"sasl.mechanism" is rejected. Kerberos is not supported.');
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

describe('settings of the embedded broker', () => {
  test('start: enabled in the file; options override the file and the environment', async () => {
    writeFileSync(join(cwd, 'worker.properties'), GOOD.replace('k:9092', 'embedded\nembedded.port=1'));
    expect((await startWith([])).embedded).toEqual({ dataDir: join(cwd, '.millrace'), port: 1, registryPort: null });
    const args = ['--broker-port', '3', '--data-dir', 'd', '--port', '4'];
    const { embedded, config } = await startWith(args, { CONNECT_EMBEDDED_PORT: '2' });
    expect(embedded).toEqual({ dataDir: join(cwd, 'd'), port: 3, registryPort: null });
    expect(config?.listeners).toEqual([{ protocol: 'http', host: '127.0.0.1', port: 4 }]);
  });

  test('dev needs no settings, listens on loopback only, and ignores worker.properties in the current directory', async () => {
    writeFileSync(join(cwd, 'worker.properties'), GOOD);
    const { code, config, embedded } = await startWith([], {}, dev);
    expect(code).toBe(0);
    expect(embedded).toEqual({ dataDir: join(cwd, '.millrace'), port: 9092, registryPort: null });
    expect(config).toMatchObject({ groupId: 'millrace-dev', listeners: [{ host: '127.0.0.1', port: 8083 }] });
  });

  test('dev: a file and the environment override its settings, an external Kafka included', async () => {
    writeFileSync(join(cwd, 'my.properties'), 'group.id=mine\nkey.converter=JsonConverter\n');
    const over = await startWith(['my.properties'], { CONNECT_VALUE_CONVERTER: 'V' }, dev);
    expect(over.config).toMatchObject({ groupId: 'mine', keyConverter: 'JsonConverter', valueConverter: 'V' });
    expect(over.embedded).not.toBeNull();
    const kafka = await startWith([], { BOOTSTRAP_SERVERS: 'k:9092' }, dev);
    expect([kafka.embedded, kafka.config?.bootstrapServers]).toEqual([null, 'k:9092']);
  });

  test('dev --plugin adds folders to plugin.path', async () => {
    const { config } = await startWith(['--plugin', 'a', '--plugin', '/b'], { CONNECT_PLUGIN_PATH: '/p' }, dev);
    expect(config?.pluginPath).toEqual(['/p', join(cwd, 'a'), '/b']);
    expect((await startWith([], {}, dev)).config?.pluginPath).toEqual([]);
  });

  test('options of the embedded broker together with an external Kafka: one sentence', async () => {
    const { code, io } = await startWith(['--data-dir', 'd', '--broker-port', '1'], { BOOTSTRAP_SERVERS: 'k:1' }, dev);
    expect(code).toBe(1);
    expect(io.err).toBe(
      'millrace: --broker-port and --data-dir can only be used with the embedded broker, but bootstrap.servers is k:1. (WORKER_CONFIG_INVALID)\n',
    );
  });

  test('security settings with the embedded broker: one sentence, nothing started', async () => {
    const { code, io, config } = await startWith([], { CONNECT_SECURITY_PROTOCOL: 'SASL_SSL' }, dev);
    expect([code, config]).toEqual([1, null]);
    expect(io.err).toMatch(/^millrace: Worker setting "security\.protocol" is invalid: "SASL_SSL": .*\n$/);
  });
});

describe('start: lifecycle of the worker', () => {
  let io: FakeIo;
  let worker: FakeWorker;
  beforeEach(() => {
    writeFileSync(join(cwd, 'worker.properties'), GOOD);
    io = new FakeIo(cwd);
    worker = new FakeWorker();
  });
  const running = async () => {
    const code = start(invocationOf(['start'], io), () => worker);
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

  test('a worker that cannot continue: one sentence, everything stopped, exit code 1', async () => {
    const { code, ready } = started();
    await ready;
    worker.breakDown(new Error('The config topic is gone.'));
    await new Promise((resolve) => setImmediate(resolve));
    worker.stopped();
    expect(await code).toBe(1);
    expect(worker.events).toEqual(['start', 'stop']);
    expect(io.err).toBe('millrace: The config topic is gone.\n');
  });

  test('an uncaught error: its stack, an orderly stop, exit code 1', async () => {
    const { code, ready } = started();
    await ready;
    io.crash(new Error('plugin went astray\npassword=hunter2 \u001b[2J'));
    await new Promise((resolve) => setImmediate(resolve));
    worker.stopped();
    expect(await code).toBe(1);
    expect(worker.events).toEqual(['start', 'stop']);
    expect(io.err).toMatch(
      /^Error: plugin went astray\n {4}password=\[hidden\] {2}\[2J\n {4}at [^]*\nmillrace: The worker stops because of an uncaught error/,
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
