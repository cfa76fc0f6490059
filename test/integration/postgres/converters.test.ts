/** Columns in a form that a plugin chooses. */
import {
  schema,
  type ColumnConversion,
  type ColumnConverter,
  type ColumnConverterPlugin,
  type ConnectorConfig,
  type SourceColumn,
} from '@millrace/sdk';
import { TestDatabase } from '../../helpers/test-database';
import { TaskRun, taskConfig, type AnyRecord } from './harness';

const asked: SourceColumn[] = [];
let closed = 0;

/** Publishes columns of one type as numbers of cents, and fails for texts without a fraction. */
class Cents implements ColumnConverter {
  private typeName = '';
  private name = '';

  configure(config: ConnectorConfig): void {
    if (config['type.name'] === undefined) throw new Error('type.name is missing');
    this.typeName = config['type.name'];
    this.name = config['schema.name'] ?? '';
  }

  conversion(column: SourceColumn) {
    asked.push(column);
    if (column.name === 'broken') throw new Error('no such luck');
    if (column.typeName !== this.typeName) return null;
    return {
      schema: schema('INT64', { name: this.name, version: 1 }),
      convert: (text: string) => {
        const [, whole = '', cents = ''] = /^(\d+)\.(\d\d)$/.exec(text) ?? [];
        if (cents === '') throw new Error('it has no cents');
        return Number(whole + cents);
      },
    };
  }

  close(): void {
    closed++;
  }
}
const PLUGIN: ColumnConverterPlugin = { type: 'column_converter', config: [], create: () => new Cents() };

const SETTINGS = {
  converters: 'cents',
  'cents.type': 'com.example.Cents',
  'cents.type.name': 'price',
  'cents.schema.name': 'com.example.Cents',
};

let database: TestDatabase;
let run: TaskRun | null = null;
beforeEach(() => {
  asked.length = 0;
  closed = 0;
  TaskRun.columnConverters.set('com.example.Cents', PLUGIN);
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

const TABLE = `CREATE DOMAIN price AS numeric(8,2); CREATE TYPE pair AS (a int);
  CREATE TABLE t (id price PRIMARY KEY, p price, q price NOT NULL, n numeric(8,2) DEFAULT 1)`;

test('keys and rows, in snapshot and stream; null, deletes and TOAST; other columns stay', async () => {
  database = await TestDatabase.create(`${TABLE}; INSERT INTO t VALUES (1, 2.5, 3)`);
  run = await TaskRun.start(taskConfig(database, SETTINGS));
  await run.count(1);
  await database.query('INSERT INTO t VALUES (2, NULL, 4); DELETE FROM t WHERE id = 2');
  const records = (await run.count(3)) as AnyRecord[];
  const n = { unscaled: 100n, scale: 2 };
  expect(records.slice(0, 3).map(({ key, value }) => [key, value.before, value.after])).toEqual([
    [{ id: 100 }, null, { id: 100, p: 250, q: 300, n }],
    [{ id: 200 }, null, { id: 200, p: null, q: 400, n }],
    [{ id: 200 }, { id: 200, p: null, q: 0, n: null }, null],
  ]);
  const fields = records[0]?.valueSchema?.fields?.[1]?.schema.fields?.map((field) => [
    field.name,
    field.schema.type,
    field.schema.name ?? null,
    field.schema.optional,
  ]);
  expect(fields).toEqual([
    ['id', 'INT64', 'com.example.Cents', false],
    ['p', 'INT64', 'com.example.Cents', true],
    ['q', 'INT64', 'com.example.Cents', false],
    ['n', 'BYTES', 'org.apache.kafka.connect.data.Decimal', true],
  ]);
  expect(asked[3]).toEqual({
    table: 'public.t',
    name: 'n',
    typeName: 'numeric',
    length: 8,
    scale: 2,
    optional: true,
    default: '1',
  });
  await run.stop();
  run = null;
  expect(closed).toBe(1);
});

test('a value that the plugin rejects fails the task and names the column, or is null as configured', async () => {
  database = await TestDatabase.create(
    `CREATE DOMAIN price AS text; CREATE TABLE t (id int PRIMARY KEY, p price); INSERT INTO t VALUES (1, '7')`,
  );
  const refusing = await TaskRun.start(taskConfig(database, SETTINGS));
  await expect(refusing.until(() => false)).rejects.toMatchObject({
    code: 'PG_DECODE',
    message: expect.stringContaining(
      'Column "p" of table public.t holds a value that cannot be emitted, 7: it has no cents',
    ),
  });
  await refusing.stop();
  run = await TaskRun.start(taskConfig(database, { ...SETTINGS, 'event.converting.failure.handling.mode': 'warn' }));
  expect((await run.count(1))[0]?.value.after).toEqual({ id: 1, p: null });
});

test('a masked value is not quoted in the error of a plugin', async () => {
  database = await TestDatabase.create(
    `CREATE DOMAIN price AS text; CREATE TABLE t (id int PRIMARY KEY, p price); INSERT INTO t VALUES (1, 'secret')`,
  );
  run = await TaskRun.start(
    taskConfig(database, { ...SETTINGS, 'column.mask.with.3.chars': String.raw`public\.t\.p` }),
  );
  const error: unknown = await run.until(() => false).catch((cause: unknown) => cause);
  expect(error).toMatchObject({
    code: 'PG_DECODE',
    message:
      'Column "p" of table public.t holds a value that cannot be emitted; the reason is not shown, because the column is masked.',
  });
  expect((error as Error).cause).toBeUndefined();
});

test.each<[string, () => unknown]>([
  ['undefined', () => undefined],
  ['a symbol', () => Symbol('x')],
  ['a promise', () => Promise.reject(new Error('late'))],
])('a plugin that returns %s for a value fails the task', async (what, convert) => {
  const conversion = { schema: schema('STRING'), convert } as ColumnConversion;
  // As JavaScript may: nothing for columns that stay.
  const of = ({ name }: SourceColumn) => (name === 'v' ? conversion : (undefined as unknown as null));
  const create = (): ColumnConverter => ({ configure: () => {}, conversion: of });
  TaskRun.columnConverters.set('com.example.Odd', { ...PLUGIN, create });
  database = await TestDatabase.create("CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t VALUES (1, 'a')");
  run = await TaskRun.start(taskConfig(database, { converters: 'odd', 'odd.type': 'com.example.Odd' }));
  await expect(run.until(() => false)).rejects.toMatchObject({
    code: 'PG_DECODE',
    message: expect.stringContaining(`its column converter returns ${what}`),
  });
});

test('an unknown second plugin closes the first one', async () => {
  database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY)');
  const settings = { ...SETTINGS, converters: 'cents,other', 'other.type': 'com.example.None' };
  await expect(TaskRun.start(taskConfig(database, settings))).rejects.toThrow('No column converter com.example.None');
  expect(closed).toBe(1);
});

test('an unknown plugin, rejected settings, and a plugin that fails for a column stop the start with a sentence', async () => {
  database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY, broken int)');
  const started = (settings: Record<string, string>): Promise<TaskRun> =>
    TaskRun.start(taskConfig(database, { ...SETTINGS, 'snapshot.mode': 'no_data', ...settings }));
  await expect(started({ 'cents.type': 'com.example.None' })).rejects.toThrow('No column converter com.example.None');
  await expect(started({ 'cents.type.name': '' })).rejects.toThrow(
    'The column converter "cents" fails for column "broken"',
  );
  const { 'cents.type.name': _, ...without } = SETTINGS;
  await expect(TaskRun.start(taskConfig(database, without))).rejects.toThrow(
    'The column converter "cents" rejects its settings: type.name is missing',
  );
  expect(closed).toBeGreaterThanOrEqual(2);
  expect(await database.slots()).toEqual([]);
});
