/** connect-rest §7, cases 143 to 148, as a client sees them. */
import { uniqueName } from '../../helpers/unique-name';
import { expectError, ours, Target } from './client';

let target: Target;
beforeAll(async () => {
  target = await Target.open();
});
afterAll(() => target.close());

/** No logger of another test has this prefix. */
const namespace = uniqueName('org.example.conformance');
const put = (name: string, body: unknown): ReturnType<Target['call']> =>
  target.call('PUT', `/admin/loggers/${name}`, body);

test('connect-rest 143: all loggers, sorted, root among them', async () => {
  for (const path of ['/admin/loggers', '/admin/loggers/']) {
    const { status, json } = await target.call('GET', path);
    const names = Object.keys(json as object);
    expect([status, names]).toEqual([200, [...names].sort()]);
    expect(names).toContain('root');
    for (const state of Object.values(json as object)) {
      expect(Object.keys(state as object)).toEqual(['level', 'last_modified']);
    }
  }
});

test('connect-rest 144: an unknown logger', async () => {
  expectError(await target.call('GET', '/admin/loggers/none.such'), 404, 'Logger none.such not found.');
});

test('connect-rest 144: the main classes of a worker', async () => {
  const runtime = 'org.apache.kafka.connect.runtime';
  for (const name of [
    'Worker',
    'AbstractHerder',
    'distributed.DistributedHerder',
    'rest.RestServer',
    'isolation.Plugins',
  ]) {
    const answer = await target.call('GET', `/admin/loggers/${runtime}.${name}`);
    expect([name, answer.status, Object.keys(answer.json as object)]).toEqual([name, 200, ['level', 'last_modified']]);
  }
  for (const name of [runtime, `${runtime}.distributed`])
    expectError(await target.call('GET', `/admin/loggers/${name}`), 404, `Logger ${name} not found.`);
});

test('connect-rest 145, 146: a namespace and everything below it; a repeated change has no effect', async () => {
  const before = Date.now();
  await put(`${namespace}.b`, { level: 'warn' });
  expect((await put(`${namespace}.a`, { level: 'Error' })).json).toEqual([`${namespace}.a`]);
  const answer = await put(namespace, { level: 'debug', ignored: 'x' });
  expect([answer.status, answer.json]).toEqual([200, [namespace, `${namespace}.a`, `${namespace}.b`]]);
  const state = (await target.call('GET', `/admin/loggers/${namespace}.a`)).json as Record<string, unknown>;
  expect(state['level']).toBe('DEBUG');
  expect(state['last_modified']).toBeGreaterThanOrEqual(before);
  expect((await put(namespace, { level: ' DEBUG ' })).json).toEqual([]);
  expect((await target.call('GET', `/admin/loggers/${namespace}.a`)).json).toEqual(state);
});

test('connect-rest 147: the whole group, through its config topic', async () => {
  const name = `${namespace}.cluster`;
  const answer = await put(`${name}?scope=Cluster`, { level: 'trace' });
  expect([answer.status, answer.text]).toEqual([204, '']);
  await target.poll(`/admin/loggers/${name}`, ({ json }) => (json as { level?: string }).level === 'TRACE');
  expect((await put(`${name}?scope=bogus`, { level: 'warn' })).json).toEqual([name]);
});

test('connect-rest 148: invalid levels', async () => {
  for (const query of ['', '?scope=cluster']) {
    for (const body of [{}, { level: null }]) {
      expectError(await put(namespace + query, body), 400, "Desired 'level' parameter was not specified in request.");
    }
    expectError(await put(namespace + query, { level: 'nope' }), 404, "invalid log level 'nope'.");
    expectError(await put(namespace + query, { level: 5 }), 404, "invalid log level '5'.");
  }
  for (const query of ['', '?scope=cluster'])
    expectError(
      await put(namespace + query, 'null'),
      500,
      'Cannot invoke "java.util.Map.get(Object)" because "levelMap" is null',
    );
});

ours('connect-rest R8: an empty level is answered as any other unknown level', async () => {
  expectError(await put(namespace, { level: '' }), 404, "invalid log level ''.");
});
