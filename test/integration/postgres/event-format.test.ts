/** Events and offsets in the layout of Debezium 1.2, against the examples of cdc-postgres §2.6 and §6.2. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Schema } from '@millrace/sdk';
import { JsonConverter } from '../../../src/converters/json/json-converter';
import { TestDatabase } from '../../helpers/test-database';
import { TODOS, TaskRun, ops, taskConfig, type AnyRecord } from './harness';

interface Golden {
  readonly keySchema: unknown;
  readonly valueSchema: unknown;
  readonly records: readonly { readonly key: unknown; readonly value: unknown; readonly offset: unknown }[];
}
const golden = JSON.parse(
  readFileSync(join(__dirname, '../../golden/postgres/event-format-1-2.json'), 'utf8'),
) as Golden;

/** As a document of Debezium 1.2 has it. */
const OLD = { 'event.format': '1.2', 'database.server.name': 'fulfillment', 'table.whitelist': 'public.todos' };

let database: TestDatabase;
let run: TaskRun | null = null;
beforeEach(async () => {
  database = await TestDatabase.create(TODOS);
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

function oldConfig(overrides: Record<string, string> = {}): Record<string, string> {
  const { 'topic.prefix': _, ...config } = taskConfig(database, { ...OLD, ...overrides });
  return config;
}

const { stringify } = JSON;
/** Clocks, positions and transaction ids are 0, and the database is `demo`. */
const normalized = (text: string): string =>
  text.replace(/"(ts_ms|txId|lsn|lsn_proc|ts_usec)":\d+/g, '"$1":0').replaceAll(database.name, 'demo');

function json(schemas: boolean, topic: string, schema: Schema | null, value: unknown): string {
  const converter = new JsonConverter();
  converter.configure({ 'schemas.enable': String(schemas) });
  return normalized(converter.fromConnectData(topic, schema, value as never)?.toString() ?? 'null');
}

test.each([true, false])(
  'cdc-postgres 33, 49: c, u, d, tombstone and r of event.format=1.2, schemas %s',
  async (schemas) => {
    await database.query(
      "INSERT INTO todos(description, todo_status) VALUES ('buy milk','open'), ('write spec','done')",
    );
    run = await TaskRun.start(oldConfig());
    await run.count(2);
    await run.nothingMore();
    await database.query("INSERT INTO todos(description, todo_status) VALUES ('feed cat','open')");
    await database.query("UPDATE todos SET todo_status = 'done' WHERE id = 3");
    await database.query('DELETE FROM todos WHERE id = 3');
    const records = await run.count(6);
    const expected = (schema: unknown, payload: unknown): string =>
      payload === null ? 'null' : stringify(schemas ? { schema, payload } : payload);
    const { keySchema, valueSchema, records: examples } = golden;
    expect(records.map(({ topic, keySchema: of, key }) => json(schemas, topic, of, key))).toEqual(
      examples.map(({ key }) => expected(keySchema, key)),
    );
    expect(records.map(({ topic, valueSchema: of, value }) => json(schemas, topic, of, value))).toEqual(
      examples.map(({ value }) => expected(valueSchema, value)),
    );
    expect(records.flatMap(({ headers }) => headers ?? [])).toEqual([]);
    // From the two members that Debezium 1.2 does not know, this connector resumes.
    const offsets = records.map(({ sourceOffset }) => {
      const { lsn_commit: _, tx_event_index: __, wal_timeline: ___, ...rest } = sourceOffset as Record<string, unknown>;
      return JSON.parse(normalized(stringify(rest))) as unknown;
    });
    expect(offsets).toEqual(examples.map(({ offset }) => offset));
    expect(records.map(({ valueSchema: of }) => of)[0]).toBe(records[4]?.valueSchema);
  },
);

test('cdc-postgres 33, 49: a restart in the middle of a transaction resumes from an offset of event.format=1.2', async () => {
  run = await TaskRun.start(oldConfig({ 'snapshot.mode': 'never' }));
  await run.nothingMore();
  await database.query("INSERT INTO todos(description) SELECT 'row ' || i FROM generate_series(1, 3) AS i");
  await run.count(3);
  const { sourceOffset } = run.records[1] as AnyRecord;
  await run.stop();
  run = await TaskRun.start(oldConfig({ 'snapshot.mode': 'never' }), sourceOffset);
  await database.query("INSERT INTO todos(description) VALUES ('row 4')");
  const records = await run.count(2);
  expect(records.map(({ key }) => key.id)).toEqual([3, 4]);
});

test('cdc-postgres 33, 49: no truncate, sanitized schema names, another version, and heartbeats without versions', async () => {
  const config = oldConfig({
    'database.server.name': 'my-server',
    'skipped.operations': 'none',
    'event.source.version': '1.2.5.Final',
    'heartbeat.interval.ms': '1',
  });
  run = await TaskRun.start(config);
  await database.query(
    "INSERT INTO todos(description) VALUES ('a'); TRUNCATE todos; INSERT INTO todos(description) VALUES ('b')",
  );
  const rows = (records: AnyRecord[]): AnyRecord[] => records.filter(({ topic }) => topic === 'my-server.public.todos');
  const records = rows(await run.until((all) => rows(all).length >= 2));
  expect(ops(records)).toEqual(['c', 'c']);
  expect(records[0]?.valueSchema?.name).toBe('my_server.public.todos.Envelope');
  expect(records[0]?.value.source.version).toBe('1.2.5.Final');
  const [heartbeat] = await run
    .until((all) => all.some(({ topic }) => topic.startsWith('__debezium-heartbeat')))
    .then((all) => all.filter(({ topic }) => topic.startsWith('__debezium-heartbeat')));
  expect([heartbeat?.keySchema, heartbeat?.valueSchema].map((of) => [of?.name, of?.version])).toEqual([
    ['io.debezium.connector.common.ServerNameKey', null],
    ['io.debezium.connector.common.Heartbeat', null],
  ]);
});
