import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig, workerOptions, type WorkerSetup } from '../../src/cli/worker/read-config';
import { FakeIo } from './fake-io';

let cwd: string;
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'millrace-variables-'))));
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const FILE = `bootstrap.servers=k:9092
group.id=g
config.storage.topic=c
offset.storage.topic=o
status.storage.topic=s
key.converter=JsonConverter
value.converter=JsonConverter
`;

async function setupOf(env: Record<string, string>, more = '', port?: number): Promise<WorkerSetup> {
  writeFileSync(join(cwd, 'worker.properties'), FILE + more);
  const given = workerOptions(undefined, port === undefined ? {} : { port });
  return await readConfig({ usualFile: 'worker.properties', given }, new FakeIo(cwd, env));
}

test.each([
  [
    { OFFSET_FLUSH_INTERVAL_MS: 'soon' },
    'Worker setting "offset.flush.interval.ms" is invalid: "soon": Not a number of type LONG. It is set by the environment variable OFFSET_FLUSH_INTERVAL_MS.',
  ],
  [
    { CONNECT_SESSION_TIMEOUT_MS: 'x' },
    'Worker setting "session.timeout.ms" is invalid: "x": Not a number of type INT. It is set by the environment variable CONNECT_SESSION_TIMEOUT_MS.',
  ],
  [
    { REST_PORT: 'x' },
    `Worker setting "listeners" is invalid: "http://:x": Listener doesn't have the right format (protocol://hostname:port). It is set by the environment variable REST_PORT.`,
  ],
  [
    { CONNECT_CONFIGURATION: 'session.timeout.ms=x' },
    'Worker setting "session.timeout.ms" is invalid: "x": Not a number of type INT. It is set by the environment variable CONNECT_CONFIGURATION.',
  ],
])('an invalid value names the variable: %j', async (env: Record<string, string>, message) => {
  await expect(setupOf(env)).rejects.toThrow(message);
});

test('an invalid value of the file names no variable', async () => {
  await expect(setupOf({}, 'session.timeout.ms=x')).rejects.toThrow(/Not a number of type INT\.$/);
});

test('an option overrides REST_PORT', async () => {
  expect((await setupOf({ REST_PORT: '1' }, '', 2)).config.listeners).toMatchObject([{ port: 2 }]);
});

describe('a JAAS file in KAFKA_OPTS', () => {
  const SASL = ['', 'producer.'].map((prefix) => `${prefix}security.protocol=SASL_PLAINTEXT\n${prefix}sasl.mechanism=PLAIN\n`).join(''); // prettier-ignore
  const ENTRY = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="a\\\\b\\"c";';
  const env = (): Record<string, string> => ({
    KAFKA_OPTS: `-Djava.security.auth.login.config=${join(cwd, 'jaas.conf')}`,
  });

  test('has the credentials of Kafka clients without sasl.jaas.config', async () => {
    writeFileSync(join(cwd, 'jaas.conf'), `KafkaClient {\n ${ENTRY}\n};\n`);
    const { config } = await setupOf(env(), `${SASL}producer.sasl.jaas.config=own\n`);
    expect(config.client('worker')['sasl.jaas.config']).toBe(ENTRY);
    expect(config.client('producer')['sasl.jaas.config']).toBe('own');
    expect(config.client('consumer')['sasl.jaas.config']).toBeUndefined();
  });

  test('is not needed without SASL, or without a section KafkaClient', async () => {
    expect((await setupOf(env())).config.client('worker')['sasl.jaas.config']).toBeUndefined();
    writeFileSync(join(cwd, 'jaas.conf'), 'KafkaConnect { x required; };');
    expect((await setupOf(env(), SASL)).config.client('worker')['sasl.jaas.config']).toBeUndefined();
  });

  test.each([
    [
      null,
      /^Worker setting "java.security.auth.login.config" is invalid: the JAAS file .*jaas.conf cannot be read: ENOENT/,
    ],
    [
      'KafkaClient { secret-x };',
      /^Worker setting "java.security.auth.login.config" is invalid: the JAAS file (?!.*secret)/,
    ],
    ['KafkaClient { };', /needs exactly one login module in its section KafkaClient\.$/],
  ])('is an error where it is needed and invalid: %j', async (text, message) => {
    if (text !== null) writeFileSync(join(cwd, 'jaas.conf'), text);
    await expect(setupOf(env(), SASL)).rejects.toThrow(message);
  });
});
