/** `millrace preview` as a user starts it: on files and on PostgreSQL, without Kafka. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../../dev/services/paths';
import { Clients } from '../../helpers/kafka-clients';
import { TestDatabase } from '../../helpers/test-database';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

let folder: string;
let database: TestDatabase;
const clients = new Clients();
const running = new Set<Preview>();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-preview-'));
  database = await TestDatabase.create(
    "CREATE TABLE todos (id int PRIMARY KEY, what text); INSERT INTO todos VALUES (1, 'a'), (2, 'b')",
  );
});
afterEach(async () => {
  for (const preview of running) preview.kill('SIGKILL');
  await Promise.all([...running].map(({ ended }) => ended));
  running.clear();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});
afterAll(() => clients.close());

interface Preview {
  out(): string;
  err(): string;
  kill(signal: NodeJS.Signals): void;
  /** The exit code; null after SIGKILL. */
  readonly ended: Promise<number | null>;
}

/** In an environment that names a broker, which it must not need or use. */
function preview(args: readonly string[]): Preview {
  const child = spawn(process.execPath, [join(ROOT, 'dist', 'main.js'), 'preview', ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, BOOTSTRAP_SERVERS: process.env.BOOTSTRAP_SERVERS ?? '' },
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (said[name] += text));
  const started: Preview = {
    out: () => said.stdout,
    err: () => said.stderr,
    kill: (signal) => void child.kill(signal),
    ended: new Promise((resolve) => child.once('close', resolve)),
  };
  running.add(started);
  return started;
}

async function connector(config: Record<string, string>): Promise<string> {
  await writeFile(join(folder, 'c.json'), JSON.stringify({ name: 'previewed', config }));
  return 'c.json';
}

const postgres = (overrides: Record<string, string> = {}): Promise<string> =>
  connector(
    database.sourceConfig({
      'table.include.list': 'public.todos',
      'value.converter': 'org.apache.kafka.connect.json.JsonConverter',
      'value.converter.schemas.enable': 'false',
      'heartbeat.interval.ms': '10',
      'heartbeat.action.query': "INSERT INTO todos VALUES (99, 'heartbeat')",
      ...overrides,
    }),
  );

async function state(): Promise<string> {
  const all = async (sql: string): Promise<unknown> => await database.query(sql);
  return JSON.stringify({
    slots: await database.slots(),
    publications: await all('SELECT pubname FROM pg_publication ORDER BY 1'),
    published: await all('SELECT tablename FROM pg_publication_tables ORDER BY 1'),
    tables: await all(
      "SELECT relname, relreplident FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1",
    ),
    rows: await all('SELECT * FROM todos WHERE id <> 3 ORDER BY id'),
  });
}

/** The server drops temporary slots when it notices that their connections have ended. */
async function expectUnchanged(before: string): Promise<void> {
  let now = '';
  await waitFor('the state before the preview', async () => (now = await state()) === before, { detail: () => now });
  expect(await clients.admin.listTopics()).not.toEqual(
    expect.arrayContaining([expect.stringContaining(database.name)]) as string[],
  );
}

interface Line {
  readonly topic: string;
  readonly value: { readonly op: string; readonly after: { readonly what: string } };
  readonly sourcePartition: unknown;
  readonly sourceOffset: Record<string, unknown>;
}
const lines = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

test('a file, with converters of the worker settings: no topic is created', async () => {
  const topic = uniqueName('previewed');
  await writeFile(join(folder, 'lines.txt'), 'one\ntwo\nthree\n');
  await writeFile(
    join(folder, 'text.properties'),
    'value.converter=org.apache.kafka.connect.storage.StringConverter\n',
  );
  const file = await connector({ 'connector.class': 'FileStreamSource', file: join(folder, 'lines.txt'), topic });
  const run = preview([file, '-n', '2', '--config', 'text.properties']);
  expect(await run.ended).toBe(0);
  expect(
    run
      .out()
      .split('\n')
      .slice(0, 3)
      .map((line) => line.split(/ +/).slice(1)),
  ).toEqual([
    ['PARTITION', 'KEY', 'VALUE', 'SOURCE', 'OFFSET'],
    ['null', 'one', '{"position":4}'],
    ['null', 'two', '{"position":8}'],
  ]);
  expect(run.err()).toBe('2 records of task 0.\nNothing was written.\n');
  expect(await clients.admin.listTopics()).not.toContain(topic);
});

test('a converter that does not fit: the record is refused as in a worker', async () => {
  await writeFile(join(folder, 'lines.txt'), 'one\n');
  const file = await connector({
    ...{ 'connector.class': 'FileStreamSource', file: join(folder, 'lines.txt'), topic: 't' },
    'value.converter': 'org.apache.kafka.connect.converters.ByteArrayConverter',
  });
  const run = preview([file]);
  expect([await run.ended, run.out()]).toEqual([1, '']);
  expect(run.err()).toMatch(/^ERROR The task failed: .*VALUE_CONVERTER/);
});

test('PostgreSQL without a publication: rows of the snapshot, and the statement for changes', async () => {
  const before = await state();
  const run = preview([await postgres(), '-n', '2', '-o', 'json']);
  expect(await run.ended).toBe(0);
  expect(lines(run.out()).map(({ value }) => `${value.op} ${value.after.what}`)).toEqual(['r a', 'r b']);
  expect(lines(run.out())[0]).toMatchObject({
    topic: `${database.name}.public.todos`,
    sourcePartition: { server: database.name },
    sourceOffset: { snapshot: 'INITIAL' },
  });
  expect(run.err()).toContain('The connector would run CREATE PUBLICATION');
  await expectUnchanged(before);
});

test.each([
  ['SIGINT', 130],
  ['SIGKILL', null],
] as const)('PostgreSQL, snapshot and changes, ended by %s: the server is as before', async (signal, code) => {
  await database.query(`CREATE PUBLICATION pub_${database.name} FOR TABLE todos`);
  const before = await state();
  const run = preview([await postgres(), '-n', '100', '-o', 'json', '--idle', '600']);
  await waitFor('the rows', () => lines(run.out()).length === 2, { detail: () => run.err() });
  await database.query("INSERT INTO todos VALUES (3, 'c')");
  await waitFor('the change', () => lines(run.out()).length === 3, { detail: () => run.err() });
  expect(lines(run.out())[2]?.value).toMatchObject({ op: 'c', after: { what: 'c' } });
  const slots = await database.slots();
  expect(slots.map(({ temporary }) => temporary)).toEqual([true, true]);
  run.kill(signal);
  expect(await run.ended).toBe(code);
  await expectUnchanged(before);
});

test('a wrong password: the error of the field, and no password', async () => {
  const run = preview([await postgres({ 'database.user': 'nobody', 'database.password': 'not-the-password' })]);
  expect(await run.ended).toBe(5);
  expect(run.err()).toMatch(/^The config has 1 error\(s\):\n {2}database\.hostname: /);
  expect(run.out() + run.err()).not.toContain('not-the-password');
});

test('output of a plugin is not part of the result', async () => {
  const plugins = [{ type: 'source', class: 'com.acme.Printer' }];
  const manifest = { name: 'printer', version: '1.0.0', main: './index.js', millrace: { plugins } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await writeFile(
    join(folder, 'index.js'),
    `module.exports = { type: 'source', config: [], createTask: () => ({
      start: () => undefined, stop: () => undefined,
      poll: () => (console.log('printed by a plugin'), [{ topic: 't', keySchema: null, key: null, valueSchema: null, value: 'v', sourcePartition: {}, sourceOffset: {} }]),
    }) };`,
  );
  const file = await connector({ 'connector.class': 'com.acme.Printer' });
  const previewed = preview([file, '--plugin-path', folder, '-n', '1', '-o', 'json']);
  expect(await previewed.ended).toBe(0);
  expect(JSON.parse(previewed.out())).toMatchObject({ topic: 't' });
  expect(previewed.err()).toContain('printed by a plugin\n');
});
