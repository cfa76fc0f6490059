/** Domains over types of every kind, and their arrays (cdc-postgres §3.3, §3.4). */
import type { Schema } from '@millrace/sdk';
import { TestDatabase } from '../../helpers/test-database';
import { TaskRun, taskConfig, type AnyRecord } from './harness';

let database: TestDatabase;
let run: TaskRun | null = null;
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

const CREATE = `
  CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE TYPE pair AS (a int, b text);
  CREATE DOMAIN d_num AS numeric(8,3); CREATE DOMAIN d_dnum AS d_num; CREATE DOMAIN d_arr AS int[]; CREATE DOMAIN d_enum AS mood;
  CREATE DOMAIN d_denum AS d_enum; CREATE DOMAIN d_text AS text; CREATE DOMAIN d_earr AS mood[]; CREATE DOMAIN d_pair AS pair;
  CREATE DOMAIN d_ts3 AS timestamp(3); CREATE DOMAIN d_bit AS bit(5); CREATE DOMAIN d_range AS int4range;
  CREATE DOMAIN d_uuid AS uuid; CREATE DOMAIN d_circle AS circle; CREATE DOMAIN d_bits AS bit(3)[]; CREATE DOMAIN d_darr AS d_arr;
  CREATE TABLE doms (id int PRIMARY KEY, n d_num, dn d_dnum, ar d_arr, dar d_darr, e d_enum, de d_denum, t d_text, earr d_earr,
    ts d_ts3, b d_bit, r d_range, u d_uuid, c d_circle, bits d_bits, ea d_enum[], dea d_denum[], na d_num[], ta d_text[], p pair,
    dp d_pair, pa pair[]);`;
const row = (id: number): string => `
  INSERT INTO doms VALUES (${id}, 1.5, 2.5, '{1,NULL}', '{2}', 'sad', 'ok', 'x', '{sad,ok}', '2020-01-01 00:00:00.123',
    B'00101', '[1,5)', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '<(1,2),3>', '{101,NULL}', '{sad}', '{ok}', '{1.5}', '{a}',
    '(1,"x y")', '(2,z)', '{"(1,x)"}')`;
const VALUES = {
  n: { unscaled: 1500n, scale: 3 },
  dn: { unscaled: 2500n, scale: 3 },
  ar: [1, null],
  dar: [2],
  e: 'sad',
  de: 'ok',
  t: 'x',
  earr: ['sad', 'ok'],
  ts: 1577836800123,
  b: Buffer.of(5),
  r: '[1,5)',
  u: 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
  c: { center: expect.objectContaining({ x: 1, y: 2 }), radius: 3 },
  bits: [Buffer.of(5), null],
  ea: ['sad'],
  dea: ['ok'],
};

async function readTwice(settings: Record<string, string> = {}): Promise<readonly AnyRecord[]> {
  database = await TestDatabase.create(CREATE + row(1));
  run = await TaskRun.start(taskConfig(database, settings));
  await run.count(1);
  await database.query(row(2));
  return await run.count(2);
}

const rowSchema = (record: AnyRecord | undefined): Schema => record?.valueSchema?.fields?.[1]?.schema as Schema;

test('cdc-postgres 58, R13: domains over domains, arrays, enums, ranges, bits and geometric types, and arrays of enum domains', async () => {
  const records = await readTwice();
  expect(records.map(({ value }) => value.after)).toEqual([
    { id: 1, ...VALUES },
    { id: 2, ...VALUES },
  ]);
  const fields = new Map(rowSchema(records[0]).fields?.map(({ name, schema }) => [name, schema]));
  expect(fields.get('dn')?.parameters).toEqual({ scale: '3', 'connect.decimal.precision': '8' });
  // Debezium lists no labels for arrays of enum domains.
  for (const name of ['ea', 'dea', 'earr'])
    expect(fields.get(name)?.valueSchema).toMatchObject({ optional: false, parameters: { allowed: 'sad,ok' } });
  expect(run?.log.filter(({ message }) => message.includes('is omitted')).map(({ message }) => message)).toEqual(
    ['na', 'ta', 'p', 'dp', 'pa'].map((name) => expect.stringContaining(`public.doms.${name} is omitted`)),
  );
});

test('cdc-postgres 58, 62: with include.unknown.datatypes also arrays of domains and composite types, as bytes', async () => {
  const records = await readTwice({ 'include.unknown.datatypes': 'true' });
  const { p, dp, na, ta, pa, ...known } = (records[1] as AnyRecord).value.after;
  expect(known).toEqual({ id: 2, ...VALUES });
  expect([p, dp].map(String)).toEqual(['(1,"x y")', '(2,z)']);
  // One by one, or the text of the whole array.
  expect([na, ta, pa].map((value) => [value].flat().map(String))).toEqual([
    [expect.stringContaining('1.500')],
    [expect.stringContaining('a')],
    [expect.stringContaining('(1,x)')],
  ]);
  expect({ ...records[0]?.value.after, id: 2 }).toEqual(records[1]?.value.after);
});
