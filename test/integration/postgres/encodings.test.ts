import { Client } from 'pg';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { TaskRun, taskConfig, type AnyRecord } from './harness';

let database: TestDatabase;
let run: TaskRun | null = null;
afterEach(async () => {
  jest.restoreAllMocks();
  await run?.stop();
  run = null;
  await database.drop();
});

/** Text everywhere that text can be: names, columns, keys, arrays, labels, defaults. */
const tables = (text: string): string => `
  CREATE TYPE "${text}_type" AS ENUM ('${text}', 'plain');
  CREATE TABLE "${text}_table" (
    "${text}_key" varchar(20) PRIMARY KEY, list text[], label "${text}_type", json jsonb,
    given text NOT NULL DEFAULT '${text}', long text);
  ALTER TABLE "${text}_table" REPLICA IDENTITY FULL`;

function check(record: AnyRecord | undefined, text: string, op: string): void {
  expect(record?.value.source.table).toBe(`${text}_table`);
  expect(record?.key).toEqual({ [`${text}_key`]: text });
  expect([record?.value.op, record?.value.after]).toEqual([
    op,
    { [`${text}_key`]: text, list: [text, null], label: text, json: `"${text}"`, given: text, long: text.repeat(3000) },
  ]);
  const after = record?.valueSchema?.fields?.find(({ name }) => name === 'after')?.schema;
  expect(after?.fields?.find(({ name }) => name === 'label')?.schema.parameters).toEqual({
    allowed: `${text},plain`,
  });
  expect(after?.fields?.find(({ name }) => name === 'given')?.schema.default).toBe(text);
}

test.each([
  ['LATIN1', 'äßÿ'],
  ['LATIN9', '€œŸ'],
  ['WIN1251', 'Привет'],
  ['EUC_JP', '日本語'],
  ['SQL_ASCII', 'äß€日'],
])(
  'cdc-postgres 93: a database in %s: its text arrives as UTF-8, by snapshot and by stream',
  async (encoding, text) => {
    database = await TestDatabase.create(tables(text), { encoding });
    const insert = `INSERT INTO "${text}_table" ("${text}_key", list, label, json, long)
    VALUES ('${text}', ARRAY['${text}', NULL], '${text}', '"${text}"', repeat('${text}', 3000))`;
    await database.query(insert);
    run = await TaskRun.start(taskConfig(database, { 'publication.name': `${text} pub` }));
    check((await run.count(1))[0], text, 'r');
    await database.query(`DELETE FROM "${text}_table"`);
    await database.query(insert);
    const [, gone, , again] = await run.count(4);
    expect(gone?.value.before).toMatchObject({ [`${text}_key`]: text, long: text.repeat(3000) });
    check(again, text, 'c');
  },
);

describe('cdc-postgres 93: bytes in SQL_ASCII that are not UTF-8 are an error, never other text', () => {
  const INSERT = String.raw`INSERT INTO t VALUES (1, E'a\xe4b')`;
  const failure = (doing: string): object => ({
    code: 'PG_ENCODING',
    retriable: false,
    message:
      `${doing}: invalid byte sequence for encoding "UTF8": 0xe4 0x62 (SQLSTATE 22021). ` +
      'The database contains text that is not valid UTF-8, which SQL_ASCII permits. Find these bytes and correct them.',
  });
  beforeEach(async () => {
    database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY, v text)', { encoding: 'SQL_ASCII' });
  });

  test('in a snapshot', async () => {
    await database.query(INSERT);
    run = await TaskRun.start(taskConfig(database));
    await expect(run.count(1)).rejects.toMatchObject(failure('Snapshotting of table public.t failed'));
  });

  test('in the stream', async () => {
    run = await TaskRun.start(taskConfig(database));
    await database.query(INSERT);
    await expect(run.count(1)).rejects.toMatchObject(failure('Streaming changes failed'));
  });

  test('in a stream that fails before the connector has checked that the slot is active', async () => {
    const query = Client.prototype.query as (this: Client, ...given: unknown[]) => Promise<unknown>;
    const isFree = async (): Promise<boolean> => (await database.slots()).every(({ active }) => active === false);
    jest.spyOn(Client.prototype, 'query').mockImplementation(async function (this: Client, ...given: unknown[]) {
      if (String(given[0]).startsWith('SELECT to_jsonb(s) AS slot')) await waitFor('the slot to be free', isFree);
      return await query.apply(this, given);
    } as never);
    run = await TaskRun.start(taskConfig(database));
    await database.query(INSERT);
    await expect(run.count(1)).rejects.toMatchObject(failure('Streaming changes failed'));
    expect(run.log.map(({ message }) => message).join('\n')).not.toContain('The stream could not start');
  });
});
