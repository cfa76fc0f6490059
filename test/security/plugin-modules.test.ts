/**
 * Plugins whose code spins, ends its process, throws or never answers, in a worker that continues with everything else.
 */
import { join } from 'node:path';
import { startWorker, type Answer, type StartedWorker } from '../../dev/services/worker';
import { fileSinkConfig } from '../helpers/file-sink-config';
import { Clients } from '../helpers/kafka-clients';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';

const SPLITTER = 'com.example.Splitter';

const clients = new Clients();
let worker: StartedWorker;
let innocent: string;
/** Sent first and answered late: no other request waits for it. */
let neverImported: Promise<Answer>;

beforeAll(async () => {
  worker = await startWorker({
    group: uniqueName('modules'),
    settings: {
      'plugin.path': join(__dirname, 'fixtures', 'plugins'),
      'plugin.thread.silence.ms': '2000',
      'errors.restart.max': '0',
    },
  });
  await worker.ready();
  innocent = await splitter();
  await worker.running(innocent);
  neverImported = validate('com.example.NeverImported');
});
afterAll(async () => {
  await worker?.stop();
  await clients.close();
});

async function splitter(config: Record<string, string> = {}): Promise<string> {
  const topic = await clients.topic();
  await worker.register({ name: topic, config: { 'connector.class': SPLITTER, topic, ...config } });
  return topic;
}

const validate = async (name: string): Promise<Answer> =>
  await worker.request('PUT', `/connector-plugins/${name}/config/validate`, { name: 'c', 'connector.class': name });

async function records(topic: string): Promise<number> {
  return (await clients.admin.listOffsets([{ topic, partition: 0 }], 'latest'))[0]?.offset ?? 0;
}

/** The answer, and the number of other requests that the worker has answered meanwhile. */
async function meanwhile(waited: Promise<Answer>): Promise<{ answer: Answer; rest: number; validations: number }> {
  let answer: Answer | null = null;
  void waited.then((arrived) => (answer = arrived));
  let rest = 0;
  let validations = 0;
  const others = async (): Promise<void> => {
    while (answer === null) {
      const sink = fileSinkConfig('topic', '/tmp/never');
      const asked = await worker.request('PUT', `/connector-plugins/${sink['connector.class']}/config/validate`, sink);
      expect(asked.status).toBe(200);
      validations++;
    }
  };
  const pings = async (): Promise<void> => {
    while (answer === null) {
      expect((await worker.request('GET', '/')).status).toBe(200);
      rest++;
    }
  };
  await Promise.all([others(), pings()]);
  return { answer: await waited, rest, validations };
}

/** The other connector emits records, in the same membership. */
async function expectInnocence(): Promise<void> {
  const now = await records(innocent);
  await waitFor('records of the innocent connector', async () => (await records(innocent)) > now);
  expect(await worker.status(innocent)).toMatchObject({
    connector: { state: 'RUNNING' },
    tasks: [{ state: 'RUNNING' }],
  });
  expect((await worker.request('GET', '/health')).status).toBe(200);
  expect(worker.process.log()).not.toMatch(/lost its group membership/);
}

test.each(['SpinsAtImport', 'SpinsAtImportEsm'])(
  '%s: validation is aborted with a reason, other requests continue',
  async (name) => {
    const { answer, rest, validations } = await meanwhile(validate(`com.example.${name}`));
    expect([answer.status, answer.json.message]).toEqual([
      500,
      expect.stringMatching(
        new RegExp(`The import of com.example.${name} in .* did not return within 2000 ms and was terminated`),
      ),
    ]);
    expect(rest).toBeGreaterThan(0);
    expect(validations).toBeGreaterThan(0);
    await expectInnocence();
  },
);

test.each(['ExitsAtImport', 'ExitsAtImportEsm'])('%s: process.exit ends only its thread', async (name) => {
  const { answer } = await meanwhile(validate(`com.example.${name}`));
  expect([answer.status, answer.json.message]).toEqual([
    500,
    expect.stringMatching(new RegExp(`The import of com.example.${name} in .* called process.exit\\(3\\)`)),
  ]);
  const shown = await worker.request('GET', `/connector-plugins/com.example.${name}/config`);
  expect([shown.status, shown.json.message]).toEqual([500, expect.stringContaining('process.exit(3)')]);
  await expectInnocence();
});

test.each([
  ['ThrowsAtImport', 'throws-at-import/index.js:4:9'],
  ['ThrowsAtImportEsm', 'throws-at-import-esm/index.js:4:9'],
  ['SyntaxErrorSource', 'syntax-error/index.js:3'],
  ['SyntaxErrorEsm', 'syntax-error-esm/index.js:3'],
])('%s: the answer has the place in the plugin', async (name, place) => {
  const answer = await validate(`com.example.${name}`);
  expect([answer.status, answer.json.message]).toEqual([500, expect.stringContaining(place)]);
  expect(answer.json.message).toContain(`The plugin com.example.${name} in `);
});

test('a validate() that spins is terminated; one that never answers blocks no other request', async () => {
  const left = new AbortController();
  const never = fetch(`${worker.url}/connector-plugins/com.example.NeverValidated/config/validate`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'c', 'connector.class': 'com.example.NeverValidated' }),
    signal: left.signal,
  }).catch(() => null);
  const { answer, rest, validations } = await meanwhile(validate('com.example.SpinsInValidate'));
  left.abort();
  await never;
  expect([answer.status, answer.json.message]).toEqual([
    500,
    expect.stringContaining('The call of validate() in com.example.SpinsInValidate did not return within 2000 ms'),
  ]);
  expect(rest).toBeGreaterThan(0);
  expect(validations).toBeGreaterThan(0);
  await expectInnocence();
});

test('a create with such a plugin is rejected with the same sentence', async () => {
  const config = { 'connector.class': 'com.example.ExitsAtImport', topics: 't' };
  const answer = await worker.request('POST', '/connectors', { name: uniqueName('c'), config });
  expect([answer.status, answer.json.message]).toEqual([500, expect.stringContaining('called process.exit(3)')]);
});

test.each(['taskConfigs', 'start'])(
  'a connector whose %s spins fails, and those that shared its thread continue',
  async (behavior) => {
    const other = await splitter();
    await worker.running(other);
    const culprit = await splitter({ behavior });
    const { connector } = await worker.statusWhen(culprit, (status) => status.connector.state === 'FAILED');
    expect(connector.trace).toMatch(
      new RegExp(`The call of ${behavior}\\(\\) in connector ${culprit} did not return within 2000 ms.*PLUGIN_SILENT`),
    );
    expect(worker.process.log()).toContain(`${culprit} spins in ${behavior}`);
    await worker.request('DELETE', `/connectors/${culprit}`);
    // Its instance was created again in another thread: it still answers.
    const config = { 'connector.class': SPLITTER, topic: other, 'tasks.max': '2' };
    await worker.request('PUT', `/connectors/${other}/config`, config);
    await worker.running(other);
    await worker.request('DELETE', `/connectors/${other}`);
    await expectInnocence();
  },
);

test.each([
  ['exits', /process\.exit\(7\)/],
  ['throws', /Cannot read properties of undefined/],
])('a connector that %s later fails alone', async (behavior, reason) => {
  const culprit = await splitter({ behavior });
  const { connector } = await worker.statusWhen(culprit, (status) => status.connector.state === 'FAILED');
  expect(connector.trace).toMatch(reason);
  expect(connector.trace).toContain('PLUGIN_THREAD_DIED');
  await worker.request('DELETE', `/connectors/${culprit}`);
  await expectInnocence();
});

test('an alterOffsets that spins rejects the change', async () => {
  const name = await splitter();
  await worker.running(name);
  await waitFor('records', async () => (await records(name)) > 0);
  await worker.request('PUT', `/connectors/${name}/stop`);
  await worker.statusWhen(name, (status) => status.connector.state === 'STOPPED');
  const answer = await worker.request('DELETE', `/connectors/${name}/offsets`);
  expect([answer.status, answer.json.message]).toEqual([
    500,
    expect.stringContaining(`The call of alterOffsets() in ${SPLITTER} did not return within 2000 ms`),
  ]);
  await worker.request('DELETE', `/connectors/${name}`);
  await expectInnocence();
});

test('a module that never finishes its top-level await is abandoned', async () => {
  const answer = await neverImported;
  expect([answer.status, answer.json.message]).toEqual([
    500,
    expect.stringMatching(
      /com\.example\.NeverImported in .*: the import of its module did not complete within 30000 ms/,
    ),
  ]);
});
