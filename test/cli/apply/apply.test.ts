import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../../src/cli/cli';
import { FakeIo } from '../fake-io';
import { ScriptedCluster } from './scripted-cluster';

let folder: string;
let cluster: ScriptedCluster;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-apply-'));
  cluster = new ScriptedCluster();
  await cluster.start();
});
afterEach(() => {
  cluster.stop();
  rmSync(folder, { recursive: true, force: true });
});

function put(name: string, overrides: Record<string, unknown> = {}, document: Record<string, unknown> = {}): void {
  const config = { 'connector.class': 'X', topic: 't', ...overrides };
  writeFileSync(join(folder, `${name}.json`), JSON.stringify({ name, config, ...document }));
}

async function millrace(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const io = new FakeIo(folder, { MILLRACE_CONTEXTS: join(folder, 'contexts') });
  const code = await runCli([...args, '--url', cluster.url], io);
  return { code, out: io.out, err: io.err };
}
const apply = async (...args: string[]): ReturnType<typeof millrace> => await millrace('apply', '-f', '.', ...args);

test('50 connectors, twice: the second time nothing is sent', async () => {
  for (let i = 0; i < 50; i++) put(`c${i}`);
  expect(await apply()).toMatchObject({
    code: 0,
    out: expect.stringContaining('50 to create, 0 to change, 0 to delete, 0 unchanged.'),
    err: expect.stringMatching(/c9: running\n/),
  });
  expect(cluster.configs.size).toBe(50);
  expect(cluster.changes.splice(0)).toHaveLength(50);
  expect(await apply()).toEqual({ code: 0, out: '0 to create, 0 to change, 0 to delete, 50 unchanged.\n', err: '' });
  expect(cluster.changes).toEqual([]);
  expect((await millrace('diff', '-f', '.')).code).toBe(0);
});

test('differences are shown without secrets; only changed connectors are sent, after a confirmation', async () => {
  cluster.configs.set('a', { name: 'a', 'connector.class': 'X', topic: 't', 'db.password': 'old1', gone: '1' });
  put('a', { topic: 'u', 'db.password': 'new1', added: '2', url: 'http://me:hidden1@host' });
  put('b');
  cluster.configs.set('b', { name: 'b', 'connector.class': 'X', topic: 't' });
  const text = `~ a
  + added: 2
  ~ db.password: [hidden] (changed)
  - gone: 1
  ~ topic: t -> u
  + url: http://me:[hidden]@host
0 to create, 1 to change, 0 to delete, 1 unchanged.
`;
  expect(await millrace('diff', '-f', '.')).toEqual({ code: 5, out: text, err: '' });
  expect(await apply('--dry-run')).toEqual({ code: 0, out: text, err: '' });
  expect(await apply()).toMatchObject({
    code: 2,
    out: text,
    err: expect.stringContaining('repeat the command with --yes'),
  });
  expect(cluster.changes).toEqual([]);
  expect(await apply('--yes')).toMatchObject({ code: 0, out: text, err: 'a: changed\na: running\n' });
  expect(cluster.changes).toEqual(['PUT /connectors/a/config']);
  expect(await millrace('diff', '-f', '.', '-o', 'json')).toMatchObject({
    code: 0,
    out: expect.stringContaining('"none"'),
  });
});

test('warnings of changed connectors are shown, and they are changed', async () => {
  put('a', { topci: 'x' });
  put('b');
  const warnings = [{ key: 'topci', meant: 'topic', message: 'did you mean "topic"?' }];
  cluster.script = (line, body) =>
    line.endsWith('/validate') && Object.hasOwn(body as object, 'topci')
      ? { status: 200, body: { configs: [], warnings } }
      : undefined;
  const { code, err } = await apply('--yes');
  expect(code).toBe(0);
  expect(err).toMatch(/^a\n {2}warning: did you mean "topic"\?\n/);
  expect([...cluster.configs.keys()].sort()).toEqual(['a', 'b']);
});

test('an initial state is part of the creation', async () => {
  cluster.status = () => ({ connector: { state: 'STOPPED', worker_id: 'w' }, tasks: [] });
  put('a', {}, { initial_state: 'stopped', labels: { team: 'x' } });
  expect((await apply()).code).toBe(0);
  expect(cluster.posted).toEqual([
    {
      name: 'a',
      config: { name: 'a', 'connector.class': 'X', topic: 't', 'millrace.label.team': 'x' },
      initial_state: 'STOPPED',
    },
  ]);
});

test('--prune deletes connectors with the labels only', async () => {
  cluster.configs.set('old', { 'millrace.label.team': 'x' });
  cluster.configs.set('other', { 'millrace.label.team': 'y' });
  put('a', {}, { labels: { team: 'x' } });
  expect(await apply('--prune', '--yes')).toMatchObject({ code: 2, err: expect.stringContaining('--selector') });
  expect(await apply('--prune', '-l', 'team=x', '--yes')).toMatchObject({ code: 0 });
  expect([...cluster.configs.keys()]).toEqual(['other', 'a']);
  expect((await apply('--prune', '--all', '--yes')).code).toBe(0);
  expect([...cluster.configs.keys()]).toEqual(['a']);
});

test('all configs are validated before one is changed', async () => {
  for (const name of ['a', 'b']) put(name);
  put('c', { 'connector.class': 'Y', 'db.password': 'secret1' });
  cluster.script = (line) => {
    if (line !== 'PUT /connector-plugins/Y/config/validate') return undefined;
    const value = { name: 'db.password', value: 'secret1', errors: ['secret1 is too short'], recommended_values: [] };
    return {
      status: 200,
      body: { error_count: 1, configs: [{ definition: { type: 'PASSWORD', documentation: 'Of the user.' }, value }] },
    };
  };
  const text = 'c (c.json): invalid\n  db.password = [hidden]: [hidden] is too short\n    Of the user.\n';
  expect(await apply()).toMatchObject({ code: 5, err: `${text}Nothing was changed.\n` });
  expect(cluster.changes).toEqual([]);
  expect(await millrace('validate', 'a.json', 'c.json')).toEqual({ code: 5, out: `${text}a: valid\n`, err: '' });
  expect((await millrace('validate', 'a.json')).code).toBe(0);
});

test('an unknown class', async () => {
  put('a');
  cluster.script = (line) => (line.endsWith('/validate') ? { status: 404, body: { message: 'no X' } } : undefined);
  expect(await millrace('validate', 'a.json')).toMatchObject({
    code: 5,
    out: expect.stringContaining('connector.class = X: no X'),
  });
});

test('an invalid document among 50: nothing is asked', async () => {
  for (let i = 0; i < 50; i++) put(`c${i}`);
  writeFileSync(join(folder, 'c7.json'), '{');
  expect(await apply()).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^millrace: c7\.json: .*CLI_DOCUMENT_INVALID/),
  });
  expect(cluster.configs.size).toBe(0);
});

test.each([
  ['refused', { status: 500, body: { message: 'no room' } }, 'b: cannot create it: no room (REST_REFUSED)\n'],
  ['a worker that ends', 'cut' as const, /b: cannot create it: No answer from /],
])('%s: the others are carried out', async (_, answer, expected) => {
  for (const name of ['a', 'b', 'c']) put(name);
  cluster.script = (line) => (line.startsWith('PUT /connectors/b/') ? answer : undefined);
  const { code, err } = await apply();
  expect(code).toBe(1);
  expect(err).toEqual(
    typeof expected === 'string' ? expect.stringContaining(expected) : expect.stringMatching(expected),
  );
  expect(err).toContain('1 of 3 connectors failed: b\n');
  expect([...cluster.configs.keys()].sort()).toEqual(['a', 'c']);
  cluster.script = () => undefined;
  cluster.changes.splice(0);
  expect((await apply()).code).toBe(0);
  expect(cluster.changes).toEqual(['PUT /connectors/b/config']);
});

test('of the plugins that Java lists for an unknown class, only the classes are shown', async () => {
  put('a');
  const plugin = (name: string): string =>
    `PluginDesc{klass=class ${name}, name='${name}', version='1', type=sink, location='file:/opt/a b/'}`;
  const message = `org.apache.kafka.connect.runtime.rest.errors.BadRequestException: Failed to find any class that implements Connector and which name matches X, available connectors are: ${plugin('o.a.File')}, ${plugin('o.a.Jdbc$Sink')}`;
  cluster.script = (line) => (line.endsWith('/validate') ? { status: 400, body: { message } } : undefined);
  const { out } = await millrace('validate', 'a.json');
  expect(out).toContain(': Failed to find any class that implements');
  expect(out).toMatch(/ matches X, available connectors are: o\.a\.File, o\.a\.Jdbc\$Sink\n$/);
});

test('401: the message of the worker', async () => {
  put('a');
  cluster.script = () => ({ status: 401, body: { message: 'User cannot access the resource.' } });
  expect(await apply()).toMatchObject({ code: 1, err: expect.stringContaining('User cannot access the resource.') });
});

test('a task that fails after the change; one that failed before and runs now', async () => {
  const state = (name: string): unknown => ({
    connector: { state: 'RUNNING', worker_id: 'w:1' },
    tasks: [
      {
        id: 0,
        state: name,
        worker_id: 'w:1',
        ...(name === 'FAILED' && { trace: 'ConnectException: no disk\n\tat x' }),
      },
    ],
  });
  put('a');
  put('b');
  cluster.configs.set('b', { name: 'b', 'connector.class': 'X', topic: 'before' });
  let polls = 0;
  cluster.status = (name) => state(name === 'a' || polls++ < 2 ? 'FAILED' : 'RUNNING');
  const { code, err } = await apply('--yes');
  expect(code).toBe(1);
  expect(err).toContain('a: task 0 is FAILED: ConnectException: no disk (on w:1)\n');
  expect(err).toContain('b: running\n');
});

test('a connector that never runs: the reason after the timeout', async () => {
  put('a');
  cluster.status = () => ({ connector: { state: 'UNASSIGNED', worker_id: 'w:1' }, tasks: [] });
  expect(await apply('--timeout', '1')).toMatchObject({
    code: 1,
    err: expect.stringContaining('a: the connector is UNASSIGNED\n'),
  });
  expect((await apply('--no-wait')).code).toBe(0);
});

test('a worker that restarts during the wait is waited for', async () => {
  put('a');
  let polls = 0;
  cluster.script = (request) => (request === 'GET /connectors?expand=status' && polls++ === 1 ? 'cut' : undefined);
  expect(await apply()).toMatchObject({ code: 0, err: expect.stringContaining('a: running\n') });
  cluster.configs.clear();
  cluster.script = (request) => (request === 'GET /connectors?expand=status' && polls++ > 3 ? 'cut' : undefined);
  expect(await apply('--timeout', '1')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/a: No answer from .*\n1 of 1 connectors failed: a\n$/),
  });
});

test('-o json of invalid configs: the errors in the answer', async () => {
  put('a');
  cluster.script = (request) =>
    request.includes('/validate')
      ? {
          status: 200,
          body: { configs: [{ value: { name: 'topic', value: null, errors: ['Missing.'], recommended_values: [] } }] },
        }
      : undefined;
  const { code, out } = await apply('-o', 'json');
  expect(code).toBe(5);
  expect(JSON.parse(out)).toMatchObject([{ name: 'a', action: 'create', error: 'topic: Missing.' }]);
});
