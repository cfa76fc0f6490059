/**
 * Geometric types, PostGIS and pgvector. The golden schemas and values are what Debezium 3.7.0.Final made of the same
 * statements, without its nulls for arrays. pgvector is not packaged for the servers of these tests: types of its names
 * stand in, whose text is any text.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Schema } from '@millrace/sdk';
import { installDebianPostgres, startDebianPostgres } from '../../../dev/services/debian-postgres';
import { JsonConverter } from '../../../src/converters/json/json-converter';
import { TestDatabase } from '../../helpers/test-database';
import { TaskRun, ops, taskConfig, type AnyRecord } from './harness';

type Row = Record<string, unknown>;
interface Golden {
  readonly schemas: Row;
  readonly events: readonly (readonly [op: string, before: Row | null, after: Row | null])[];
}
const golden = JSON.parse(
  readFileSync(join(__dirname, '../../golden/postgres/extension-types.json'), 'utf8'),
) as Readonly<Record<string, Golden>>;

const standIn = (name: string): string => `
  CREATE TYPE ${name};
  CREATE FUNCTION ${name}_in(cstring) RETURNS ${name} AS 'textin' LANGUAGE internal IMMUTABLE STRICT;
  CREATE FUNCTION ${name}_out(${name}) RETURNS cstring AS 'textout' LANGUAGE internal IMMUTABLE STRICT;
  CREATE TYPE ${name} (INPUT = ${name}_in, OUTPUT = ${name}_out, LIKE = text);`;
const VECTORS = ['vector', 'halfvec', 'sparsevec'].map(standIn).join('');

const GEO = `
  CREATE DOMAIN d_point AS point; CREATE DOMAIN d_box AS box;
  CREATE TABLE geo (id int PRIMARY KEY, p point, l line, ls lseg, b box, pa path, po polygon, c circle, p_a point[],
    l_a line[], ls_a lseg[], b_a box[], pa_a path[], po_a polygon[], c_a circle[], bd box DEFAULT '((0,0),(1,1))', dp d_point,
    db d_box);
  CREATE TABLE geo_nn (id int PRIMARY KEY, p point NOT NULL, l line NOT NULL, ls lseg NOT NULL, b box NOT NULL,
    pa path NOT NULL, po polygon NOT NULL, c circle NOT NULL, l_a line[] NOT NULL);`;
const geoRows = (i: number): string => `
  INSERT INTO geo VALUES (${i}, '(1,2.5)', '{1,2,3}', '[(1,2),(3,4)]', '((3,4),(1,2))', '[(0,0),(1,1),(2,0)]',
    '((0,0),(1,1),(2,0))', '<(1,2),3>', '{"(1,2)","(3,4)"}', '{"{1,2,3}",NULL}', '{"[(1,2),(3,4)]"}',
    '{(3,4),(1,2);(1,1),(0,0)}', '{"((0,0),(1,1))","[(0,0),(1,1),(3,3)]"}', '{"((0,0),(1,1),(2,0))"}', '{"<(1,2),3>"}',
    DEFAULT, '(1,2)', '((3,4),(1,2))');
  INSERT INTO geo (id) VALUES (${i + 100});
  INSERT INTO geo (id, pa, p, c, l, po, b, b_a, l_a) VALUES (${i + 200}, '((0,0),(1,1),(2,0))', '(1e300,-0)',
    '<(1.5,-2),0>', '{0,-1,1e-7}', '((5,5))', '((1,1),(1,1))', '{}', '{}');
  INSERT INTO geo (id, p, ls) VALUES (${i + 300}, '(Infinity,NaN)', '[(Infinity,0),(1,NaN)]');
  INSERT INTO geo_nn VALUES (${i}, '(1,2.5)', '{1,2,3}', '[(1,2),(3,4)]', '((3,4),(1,2))', '[(0,0),(1,1),(2,0)]',
    '((0,0),(1,1),(2,0))', '<(1,2),3>', '{}');
  DELETE FROM geo_nn WHERE id = 2;`;

const VEC = `
  CREATE DOMAIN d_vec AS vector;
  CREATE TABLE vec (id int PRIMARY KEY, v vector, h halfvec, s sparsevec, va vector[], dv d_vec, sa sparsevec[]);
  CREATE TABLE vec_nn (id int PRIMARY KEY, v vector NOT NULL, h halfvec NOT NULL, s sparsevec NOT NULL);`;
const vecRows = (i: number): string => `
  INSERT INTO vec VALUES (${i}, '[1,2,3.5]', '[1,2.5]', '{1:0.5,3:2}/5', '{"[1,2]","[3]"}', '[1,2]', '{"{1:1}/2"}');
  INSERT INTO vec (id) VALUES (${i + 100});
  INSERT INTO vec VALUES (${i + 200}, '[1e-7,-2,3e20]', '[65504]', '{}/5', NULL, NULL, NULL);
  INSERT INTO vec_nn VALUES (${i}, '[1]', '[1]', '{}/3'); DELETE FROM vec_nn WHERE id = 2;`;

let database: TestDatabase;
let run: TaskRun | null = null;
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

const of = (records: readonly AnyRecord[], table: string): AnyRecord[] =>
  records.filter(({ topic, value }) => topic.endsWith(`.${table}`) && value !== null);

function json(record: AnyRecord): {
  fields: readonly Row[];
  payload: { op: string; before: Row | null; after: Row | null };
} {
  const converter = new JsonConverter();
  converter.configure({ 'schemas.enable': 'true' });
  const text = converter.fromConnectData('t', record.valueSchema as Schema, record.value as never)?.toString() ?? '';
  const { schema, payload } = JSON.parse(text) as { schema: { fields: { fields: Row[] }[] }; payload: never };
  return { fields: schema.fields[1]?.fields ?? [], payload };
}

/** Debezium publishes no array of these types that has elements. */
function expectGolden(
  records: readonly AnyRecord[],
  table: string,
  arrays: readonly string[],
  phases: readonly string[],
): void {
  const own = of(records, table).map(json);
  const { schemas, events } = golden[table] as Golden;
  expect(Object.fromEntries((own[0]?.fields ?? []).map(({ field, ...schema }) => [field, schema]))).toEqual(schemas);
  const without = (row: Row | null): Row | null =>
    row === null
      ? null
      : Object.fromEntries(Object.entries(row).filter(([name, value]) => !arrays.includes(name) || stringEmpty(value)));
  const wanted = events.filter(([op]) => phases.includes(op));
  expect(own.map(({ payload: { op, before, after } }) => [op, without(before), without(after)])).toEqual(
    wanted.map(([op, before, after], i) => [
      op,
      without(before),
      kept(without(after), own[i]?.payload.after ?? null, arrays),
    ]),
  );
}
const stringEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
/** Without Debezium's nulls where the own row has elements. */
function kept(row: Row | null, own: Row | null, arrays: readonly string[]): Row | null {
  if (row === null) return null;
  return Object.fromEntries(Object.entries(row).filter(([name]) => !arrays.includes(name) || stringEmpty(own?.[name])));
}

test('cdc-postgres 50, R6: geometric types and their arrays, and what deletes hold of required ones', async () => {
  database = await TestDatabase.create(GEO + geoRows(1));
  run = await TaskRun.start(taskConfig(database));
  await run.count(5);
  await database.query(geoRows(2));
  const records = await run.until((all) => of(all, 'geo_nn').length === 3);
  const arrays = ['l_a', 'ls_a', 'b_a', 'pa_a', 'po_a', 'c_a'];
  expectGolden(records, 'geo', arrays, ['r', 'c']);
  expectGolden(records, 'geo_nn', [], ['r', 'c', 'd']);
  const [read] = of(records, 'geo');
  const { b, c, l, ls, l_a, ls_a, b_a, pa_a, po_a, c_a, p_a } = (read as AnyRecord).value.after;
  expect(p_a).toBeUndefined();
  expect([l_a, ls_a, c_a]).toEqual([[l, null], [ls], [c]]);
  expect(b_a).toEqual([b, expect.objectContaining({ extensions: new Map([['type', 'box']]) })]);
  expect(pa_a.map(({ extensions }: Row) => (extensions as Map<string, string>).get('closed'))).toEqual([
    'true',
    'false',
  ]);
  expect(po_a).toEqual([read?.value.after.po]);
});

test('cdc-postgres 60: vector, halfvec and sparsevec, their domains and arrays', async () => {
  database = await TestDatabase.create(VECTORS + VEC + vecRows(1));
  run = await TaskRun.start(taskConfig(database));
  await run.count(4);
  await database.query(vecRows(2));
  const records = await run.until((all) => of(all, 'vec_nn').length === 3);
  expectGolden(records, 'vec', ['va', 'sa'], ['r', 'c']);
  const [read] = of(records, 'vec');
  expect([read?.value.after.va, read?.value.after.sa]).toEqual([
    [[1, 2], [3]],
    [{ dimensions: 2, vector: new Map([[1, 1]]) }],
  ]);
  // Debezium fails at this delete.
  expect(of(records, 'vec_nn').at(-1)?.value.before).toEqual({
    id: 2,
    v: [],
    h: [],
    s: { dimensions: 0, vector: new Map() },
  });
});

test('cdc-postgres 60: vectors that events cannot hold are null, with a warning', async () => {
  database = await TestDatabase.create(
    `${VECTORS} CREATE TABLE vec (id int PRIMARY KEY, s sparsevec, va vector[]);
     INSERT INTO vec VALUES (1, '{1:1}/40000', '{"[1]",NULL}')`,
  );
  run = await TaskRun.start(taskConfig(database));
  expect((await run.count(1))[0]?.value.after).toEqual({ id: 1, s: null, va: null });
  const log = run.log.map(({ message }) => message).join('\n');
  expect(log).toContain('Column public.vec.s holds a sparse vector of more than 32767 dimensions');
  expect(log).toContain('Column public.vec.va holds an array with a NULL among its elements');
});

const missing = installDebianPostgres(['postgis-3']);
if (missing !== null) console.warn(`PostGIS is not tested: ${missing}`);

(missing === null ? test : test.skip)(
  'cdc-postgres 60: geometry and geography with and without SRID, empty ones, and arrays',
  async () => {
    const server = await startDebianPostgres(['postgis-3']);
    try {
      const rows = (i: number): string => `
      INSERT INTO pg_geom VALUES (${i}, 'POINT(1 2)', 'SRID=4326;POINT(1 2)', 'POINT(1 2)',
        ARRAY['POINT(1 2)'::geometry, NULL, 'SRID=4326;LINESTRING(0 0,1 1)'], ARRAY['POINT(1 2)'::geography],
        'BOX(0 0,1 1)', 'BOX3D(0 0 0,1 1 1)', 'SRID=4326;POINT(1 2)', ARRAY['BOX(0 0,1 1)'::box2d]);
      INSERT INTO pg_geom (id) VALUES (${i + 100});
      INSERT INTO pg_geom (id, g, gg, ga) VALUES (${i + 200}, 'POINT EMPTY', 'POLYGON EMPTY', '{}');
      INSERT INTO pg_geom (id, g, gg)
        VALUES (${i + 300}, 'SRID=3857;POINT ZM(1 2 3 4)', 'SRID=4326;GEOMETRYCOLLECTION(POINT(1 2))');
      INSERT INTO pg_geom_nn VALUES (${i}, 'POINT(1 2)', 'POINT(1 2)', '{}'); DELETE FROM pg_geom_nn WHERE id = 2;`;
      database = await TestDatabase.create(
        `CREATE EXTENSION postgis; CREATE DOMAIN d_geom AS geometry(Point, 4326);
       CREATE TABLE pg_geom (id int PRIMARY KEY, g geometry, gp geometry(Point, 4326), gg geography, ga geometry[],
         gga geography(Point)[], bx box2d, b3 box3d, dg d_geom, ba box2d[]);
       CREATE TABLE pg_geom_nn (id int PRIMARY KEY, g geometry NOT NULL, gg geography NOT NULL, ga geometry[] NOT NULL);
       ${rows(1)}`,
        { server: server.url },
      );
      run = await TaskRun.start(taskConfig(database));
      await run.count(5);
      expectGolden(run.records, 'pg_geom', [], ['r']);
      expectGolden(run.records, 'pg_geom_nn', [], ['r']);
      await database.query(rows(2));
      const records = await run.until((all) => of(all, 'pg_geom_nn').length === 3);
      const after = (op: string): Row[] =>
        of(records, 'pg_geom').flatMap(({ value }) => (value.op === op ? [{ ...value.after, id: 0 }] : []));
      expect(after('c')).toEqual(after('r'));
      const deleted = of(records, 'pg_geom_nn').at(-1);
      expect(ops([deleted as AnyRecord])).toEqual(['d']);
      const wkb = Buffer.from('010700000000000000', 'hex');
      expect(deleted?.value.before).toEqual({
        id: 2,
        g: { wkb, srid: null, extensions: null },
        gg: { wkb, srid: null },
        ga: [],
      });
      await run.stop();
      run = null;
      await database.drop();
      database = await TestDatabase.create();
    } finally {
      await server.stop();
    }
  },
);
