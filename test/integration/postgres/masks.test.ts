/**
 * Masked, hashed and truncated columns. The golden events are what Debezium 3.7.0.Final made of the same statements,
 * without two columns: it leaves out `citext`, and streams `name` as null.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Schema } from '@millrace/sdk';
import { JsonConverter } from '../../../src/converters/json/json-converter';
import { TestDatabase } from '../../helpers/test-database';
import { TaskRun, taskConfig, type AnyRecord } from './harness';

type Event = readonly [op: string, key: unknown, before: unknown, after: unknown];
interface Golden {
  readonly parameters: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly events: readonly Event[];
}
const golden = JSON.parse(readFileSync(join(__dirname, '../../golden/postgres/masks.json'), 'utf8')) as Readonly<
  Record<string, Golden>
>;

const SALT = 'CzQMA0cB5K';
const MASKS = {
  'column.mask.with.5.chars': String.raw`public\.m_mask\.(?!id$).*,public\.m_key\.k`,
  'column.mask.with.0.chars': String.raw`public\.m_zero\.(?!id$).*`,
  'column.truncate.to.2.chars': String.raw`public\.m_trunc\.(?!id$).*`,
  [`column.mask.hash.SHA-256.with.salt.${SALT}`]: String.raw`public\.m_h1\.(?!id$).*`,
  [`column.mask.hash.v2.SHA-256.with.salt.${SALT}`]: String.raw`public\.m_h2\.(?!id$).*`,
  'column.mask.hash.v2.MD5.with.salt.a.b': String.raw`public\.m_md5\.(?!id$).*`,
};
const LIKE = ['m_zero', 'm_trunc', 'm_h1', 'm_h2', 'm_md5'];
const TABLES = ['m_mask', ...LIKE];
const CREATE = `
  CREATE EXTENSION citext; CREATE EXTENSION hstore; CREATE TYPE mood AS ENUM ('sad', 'ok');
  CREATE DOMAIN d_text AS text; CREATE DOMAIN d_v10 AS varchar(10);
  CREATE TABLE m_mask (id int PRIMARY KEY, v varchar(10), t text, c char(8), n int, j jsonb, u uuid, e mood, ta text[],
    nn varchar(30) NOT NULL DEFAULT 'xyz', nn2 text NOT NULL, ci citext, b bytea, big text, d d_v10, ip inet, x xml, nm name,
    h hstore, ch "char", ts timestamptz, num numeric(6,2), r int4range, b1 bit(1), v10a varchar(10)[], domt d_text,
    big2 text NOT NULL DEFAULT '');
  ALTER TABLE m_mask ALTER big SET STORAGE EXTERNAL; ALTER TABLE m_mask ALTER big2 SET STORAGE EXTERNAL;
  ${LIKE.map((name) => `CREATE TABLE ${name} (LIKE m_mask INCLUDING ALL);`).join('')}
  CREATE TABLE m_key (k text PRIMARY KEY, v text)`;

/** @param id 1: the row of the snapshot */
const insert = (table: string, id: number): string => `
  INSERT INTO ${table} VALUES (${id}, 'abc', 'abc', 'abc', 5, '{"a": 1}', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'sad',
    '{abc,def}', DEFAULT, 'abcdef', 'CiText', '\\xabcd', repeat('x', 9000), 'domain', '1.2.3.4', '<a/>', 'nam', 'a=>1', 'c',
    '2020-01-01 00:00:00+00', 1.5, '[1,2)', B'1', '{abc}', 'dt😀é', repeat('y', 9000));
  INSERT INTO ${table} (id, nn, nn2) VALUES (${id + 100}, 'a😀bcdef', 'xx');`;
const change = (table: string): string => `
  UPDATE ${table} SET n = 6 WHERE id = 2; UPDATE ${table} SET id = 1002 WHERE id = 2; DELETE FROM ${table} WHERE id = 1002;`;

let database: TestDatabase;
let run: TaskRun | null = null;
beforeEach(async () => {
  database = await TestDatabase.create();
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

const table = ({ topic }: AnyRecord): string => topic.split('.').at(-1) as string;
const of = (records: readonly AnyRecord[], name: string): AnyRecord[] =>
  records.filter((record) => table(record) === name && record.value !== null);

function published(record: AnyRecord): Event {
  const converter = new JsonConverter();
  converter.configure({ 'schemas.enable': 'false' });
  const json = (schema: Schema | null, value: unknown): unknown =>
    JSON.parse(converter.fromConnectData('t', schema, value as never)?.toString() ?? 'null');
  const { op, before, after } = json(record.valueSchema, record.value) as Record<
    string,
    Record<string, unknown> | null
  >;
  for (const row of [before, after]) {
    delete row?.ci;
    delete row?.nm;
  }
  return [op as unknown as string, json(record.keySchema, record.key), before, after];
}

const rowSchema = (record: AnyRecord | undefined): Schema => record?.valueSchema?.fields?.[1]?.schema as Schema;
const parameters = (record: AnyRecord | undefined): unknown =>
  Object.fromEntries(
    (rowSchema(record).fields ?? [])
      .filter(({ name }) => name !== 'ci' && name !== 'nm')
      .map(({ name, schema }) => [name, schema.parameters ?? {}]),
  );

test('cdc-postgres 109, R23: masks, both hashes and truncation, as Debezium publishes them', async () => {
  const keyRow = (id: number): string => `INSERT INTO m_key VALUES ('secretkey${id}', 'v');`;
  await database.query(`${CREATE}; ${TABLES.map((name) => insert(name, 1)).join('')} ${keyRow(1)}`);
  run = await TaskRun.start(taskConfig(database, MASKS));
  await run.count(2 * TABLES.length + 1);
  for (const name of TABLES) await database.query(`${insert(name, 2)} ${change(name)}`);
  await database.query(keyRow(2));
  const records = await run.until((all) => of(all, 'm_key').length === 2);
  for (const [name, { events, parameters: expected }] of Object.entries(golden)) {
    const own = of(records, name);
    expect([name, own.map(published)]).toEqual([name, events]);
    expect([name, parameters(own[0])]).toEqual([name, expected]);
  }
  // What Debezium publishes unmasked.
  expect([...new Set(of(records, 'm_mask').flatMap(({ value }) => [value.before?.ci, value.after?.ci]))]).toEqual(
    expect.arrayContaining(['*****', undefined]),
  );
  expect(of(records, 'm_mask').map(({ value }) => (value.after ?? value.before).nm)).toEqual(Array(8).fill('*****'));
  const log = run.log.map(({ message }) => message).join('\n');
  expect(log).toContain('Column public.m_key.k is masked in rows, but not in the record key');
  expect(log).toContain('Column public.m_mask.j is published as it is');
  expect(log).not.toContain(SALT);
});

test('cdc-postgres 109: one mask per column, and one that hides wins over truncation and propagation', async () => {
  await database.query(
    `CREATE TABLE t (id int PRIMARY KEY, hidden text, hashed varchar(30), cut text, plain int);
     INSERT INTO t VALUES (1, 'abc', 'abc', 'abcdef', 1)`,
  );
  run = await TaskRun.start(
    taskConfig(database, {
      'column.truncate.to.2.chars': String.raw`public\.t\.(hidden|hashed|cut)`,
      'column.mask.with.3.chars': String.raw`public\.t\.hidden`,
      [`column.mask.hash.SHA-256.with.salt.${SALT}`]: String.raw`public\.t\.h.*`,
      'column.propagate.source.type': '.*',
    }),
  );
  const [record] = await run.count(1);
  expect(record?.value.after).toEqual({
    id: 1,
    hidden: '***',
    hashed: '23982a5060e938a6303e33d56b2bdf',
    cut: 'ab',
    plain: 1,
  });
  const source = (type: string, length: string, name: string): Record<string, string> => ({
    '__debezium.source.column.type': type,
    '__debezium.source.column.length': length,
    '__debezium.source.column.scale': '0',
    '__debezium.source.column.name': name,
  });
  expect(parameters(record)).toEqual({
    id: source('INT4', '10', 'id'),
    hidden: { masked: 'true', ...source('TEXT', '2147483647', 'hidden') },
    hashed: { masked: 'true', ...source('VARCHAR', '30', 'hashed') },
    cut: { truncateLength: '2', ...source('TEXT', '2147483647', 'cut') },
    plain: source('INT4', '10', 'plain'),
  });
  expect(record?.keySchema?.fields?.[0]?.schema.parameters ?? {}).toEqual({});
});

test('cdc-postgres 109: REPLICA IDENTITY FULL, a masked column of the key, and rows that differ in masked columns only', async () => {
  await database.query('CREATE TABLE t (k text PRIMARY KEY, v text, o text); ALTER TABLE t REPLICA IDENTITY FULL');
  run = await TaskRun.start(
    taskConfig(database, {
      'snapshot.mode': 'no_data',
      'column.mask.hash.v2.SHA-256.with.salt.s': String.raw`public\.t\.(k|v)`,
      'message.key.columns': 'public.t:k,o',
      'skip.messages.without.change': 'true',
    }),
  );
  await run.nothingMore();
  await database.query(
    "INSERT INTO t VALUES ('a', 'x', NULL); UPDATE t SET v = 'y'; UPDATE t SET k = 'b'; DELETE FROM t",
  );
  const records = (await run.until((all) => all.filter(({ value }) => value === null).length === 2)).filter(
    ({ value }) => value !== null,
  );
  expect(records.map(({ key, value }) => [value.op, key.k])).toEqual([
    ['c', 'a'],
    ['u', 'a'],
    ['d', 'a'],
    ['c', 'b'],
    ['d', 'b'],
  ]);
  const rows = records.flatMap(({ value }) => [value.before, value.after]).filter((row) => row !== null);
  for (const row of rows)
    expect([row.k, row.v]).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), expect.stringMatching(/^[0-9a-f]{64}$/)]);
  expect(new Set(rows.map(({ k }) => k)).size).toBe(2);
  expect(new Set(rows.map(({ v }) => v)).size).toBe(2);
});

test('cdc-postgres 109, 111: an update of a masked column alone changes nothing that is published', async () => {
  await database.query('CREATE TABLE t (id int PRIMARY KEY, v text, o int); ALTER TABLE t REPLICA IDENTITY FULL');
  run = await TaskRun.start(
    taskConfig(database, {
      'snapshot.mode': 'no_data',
      'column.mask.with.3.chars': String.raw`public\.t\.v`,
      'skip.messages.without.change': 'true',
    }),
  );
  await run.nothingMore();
  await database.query("INSERT INTO t VALUES (1, 'a', 1); UPDATE t SET v = NULL; UPDATE t SET v = 'b', o = 2");
  const records = await run.count(2);
  expect(records.map(({ value }) => [value.op, value.before?.v, value.after])).toEqual([
    ['c', undefined, { id: 1, v: '***', o: 1 }],
    ['u', '***', { id: 1, v: '***', o: 2 }],
  ]);
});
