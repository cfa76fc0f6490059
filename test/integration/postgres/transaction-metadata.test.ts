/** `provide.transaction.metadata` (cdc-postgres §7.6) and `xmin.fetch.interval.ms`. */
import { TestDatabase } from '../../helpers/test-database';
import { TaskRun, taskConfig, type AnyRecord } from './harness';

let database: TestDatabase;
let run: TaskRun | null = null;
beforeEach(async () => {
  database = await TestDatabase.create(`
    CREATE TABLE a (id int PRIMARY KEY, v int);
    CREATE TABLE b (id int PRIMARY KEY, v int);
    CREATE TABLE skipped (id int PRIMARY KEY)`);
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

const start = async (settings = {}, stored: AnyRecord['sourceOffset'] | null = null): Promise<TaskRun> => {
  const common = { 'snapshot.mode': 'no_data', 'provide.transaction.metadata': 'true' };
  run = await TaskRun.start(taskConfig(database, { ...common, ...settings }), stored);
  return run;
};
const isBoundary = ({ topic }: AnyRecord): boolean => topic.endsWith('.transaction');
const ended =
  (count: number) =>
  (records: readonly AnyRecord[]): boolean =>
    records.filter(({ value }) => value?.status === 'END').length >= count;
/** `BEGIN`, `END n`, or `<op><id> total/collection`; `-` for a tombstone. */
const shown = ({ key, value }: AnyRecord): string => {
  if (value === null) return '-';
  if (value.status !== undefined) return value.status === 'END' ? `END ${value.event_count}` : 'BEGIN';
  const { total_order: total, data_collection_order: own } = value.transaction;
  return `${value.op}${key?.id ?? key?.prefix ?? ''} ${total}/${own}`;
};
const orders = (offset: AnyRecord['sourceOffset']): Record<string, unknown> =>
  Object.fromEntries(Object.entries(offset ?? {}).filter(([name]) => name.startsWith('transaction_')));

test('cdc-postgres 43, R9: begin and end, and the order of events of captured tables in between', async () => {
  await start({
    'table.include.list': 'public.[ab]',
    'publication.autocreate.mode': 'all_tables',
    'skipped.operations': 't,u',
  });
  await database.query(`BEGIN; INSERT INTO a VALUES (1); INSERT INTO b VALUES (1); INSERT INTO skipped VALUES (1);
    UPDATE a SET v = 1; UPDATE a SET id = 2; SELECT pg_logical_emit_message(true, 'p', 'x'); DELETE FROM b; COMMIT`);
  const records = (await run?.until(ended(1))) as AnyRecord[];
  expect(records.map(shown)).toEqual([
    ...['BEGIN', 'c1 1/1', 'c1 2/1', 'd1 3/2', '-', 'c2 4/3', 'mp 5/1', 'd1 6/2', '-', 'END 6'],
  ]);
  const events = records.filter(({ value }) => value?.transaction);
  const { txId } = (events[0] as AnyRecord).value.source;
  for (const { value } of events) expect(value.transaction.id).toBe(`${txId}:${value.source.lsn}`);
  const [begin, end] = [records[0], records.at(-1)] as [AnyRecord, AnyRecord];
  const ts = events[0]?.value.source.ts_ms;
  expect(begin).toMatchObject({
    topic: 'fulfillment.transaction',
    key: { id: `${txId}:${begin.sourceOffset?.lsn}` },
    value: { status: 'BEGIN', event_count: null, data_collections: null, ts_ms: ts },
    keySchema: { name: 'io.debezium.connector.common.TransactionMetadataKey', version: 1 },
    valueSchema: { name: 'io.debezium.connector.common.TransactionMetadataValue', version: 1 },
    sourceOffset: { messageType: 'BEGIN', transaction_id: String(txId), txId },
  });
  expect(begin.sourceOffset).not.toHaveProperty('lsn_commit');
  expect(begin.sourceOffset?.lsn).toBe(events[0]?.value.source.lsn);
  expect(end.value).toEqual({
    status: 'END',
    id: `${txId}:${end.sourceOffset?.lsn}`,
    event_count: 6,
    data_collections: [
      { data_collection: 'public.a', event_count: 3 },
      { data_collection: 'public.b', event_count: 2 },
      { data_collection: 'fulfillment.message', event_count: 1 },
    ],
    ts_ms: ts,
  });
  const { lsn } = end.sourceOffset as { lsn: number };
  expect(end.sourceOffset).toMatchObject({ lsn, lsn_commit: lsn, lsn_proc: lsn, messageType: 'COMMIT', txId });
  expect(orders(end.sourceOffset)).toEqual({
    transaction_id: String(txId),
    'transaction_data_collection_order_public.a': 3,
    'transaction_data_collection_order_public.b': 2,
    'transaction_data_collection_order_fulfillment.message': 1,
  });
  await database.query('TRUNCATE a');
  const next = (await run?.until(ended(2)))?.at(-2) as AnyRecord;
  expect(orders(next.sourceOffset)).toEqual({ transaction_id: String(next.sourceOffset?.txId) });
});

test.each([{}, { 'pgoutput.streaming': 'on' }])(
  'cdc-postgres 43, 66: a restart amid a transaction continues its orders (%j)',
  async (settings) => {
    await database.query(`ALTER DATABASE ${database.name} SET logical_decoding_work_mem = '64kB'`);
    const config = { ...settings, 'max.batch.size': '1' };
    await start(config);
    await database.query(`BEGIN; INSERT INTO a SELECT generate_series(1, 3), 1; INSERT INTO b VALUES (1);
      UPDATE a SET id = 9 WHERE id = 3; SELECT pg_logical_emit_message(true, 'p', repeat(md5('x'), 9000)); COMMIT`);
    const all = (await run?.until(ended(1))) as AnyRecord[];
    const expected = [...all];
    expect(expected.map(shown)).toEqual([
      ...['BEGIN', 'c1 1/1', 'c2 2/2', 'c3 3/3', 'c1 4/1', 'd3 5/4', '-', 'c9 6/5', 'mp 7/1', 'END 7'],
    ]);
    for (const [i, { sourceOffset }] of expected.slice(1, -1).entries()) {
      await run?.stop();
      await start(config, sourceOffset);
      const rest = (await run?.until(ended(1))) as AnyRecord[];
      // A delete and its tombstone precede the last record of their event.
      const from =
        expected[i + 1]?.sourceOffset === expected[i]?.sourceOffset
          ? expected.findIndex((one) => one.sourceOffset === sourceOffset)
          : i + 1;
      expect(rest.map(shown)).toEqual(expected.slice(from + 1).map(shown));
    }
  },
);

test('cdc-postgres 43: a transaction with nothing but skipped events, and other names', async () => {
  await start({
    'topic.transaction': 'tx',
    'topic.delimiter': '_',
    'transaction.id.format': 'xid_commit_lsn',
    'skipped.operations': 'u',
  });
  await database.query('INSERT INTO a VALUES (1)');
  await database.query('UPDATE a SET v = 2');
  const records = (await run?.until(
    (all) => all.filter(({ value }) => value.status === 'END').length === 2,
  )) as AnyRecord[];
  expect(records.filter(({ topic }) => topic === 'fulfillment_tx')).toHaveLength(4);
  expect(records.map(shown)).toEqual(['BEGIN', 'c1 1/1', 'END 1', 'BEGIN', 'END 0']);
  const ids = records.slice(0, 3).map(({ value }) => value.id ?? value.transaction.id);
  expect(new Set(ids).size).toBe(1);
  expect(ids[0]).toMatch(/^\d+:\d+$/);
});

test('cdc-postgres 43: event.format=1.2 has bare ids and no times', async () => {
  await start({ 'event.format': '1.2' });
  await database.query('INSERT INTO a VALUES (1)');
  const records = (await run?.until(ended(1))) as AnyRecord[];
  const { txId } = (records[1] as AnyRecord).value.source;
  expect(records[0]?.value).toEqual({ status: 'BEGIN', id: String(txId), event_count: null, data_collections: null });
  expect(records[1]?.value.transaction).toEqual({ id: String(txId), total_order: 1, data_collection_order: 1 });
  expect(records[0]?.valueSchema?.version).toBeNull();
});

test('cdc-postgres 45: xmin.fetch.interval.ms fills source.xmin and the offset', async () => {
  await start({ 'xmin.fetch.interval.ms': '1', 'provide.transaction.metadata': 'false' });
  await database.query('INSERT INTO a VALUES (1)');
  const [record] = (await run?.count(1)) as [AnyRecord];
  const { xmin } = record.value.source;
  expect(xmin).toEqual(expect.any(Number));
  expect(xmin).toBeLessThanOrEqual(record.value.source.txId);
  expect(record.sourceOffset?.xmin).toBe(xmin);
  expect(isBoundary(record)).toBe(false);
});

test('cdc-postgres 43, 66: a transaction of many tables has fewer offsets, exact at the end of each batch', async () => {
  const tables = Array.from({ length: 200 }, (_, i) => `t${i}`);
  await database.query(tables.map((table) => `CREATE TABLE ${table} (id int PRIMARY KEY)`).join(';'));
  await start({ 'max.batch.size': '50' });
  const insert = (id: number): string => tables.map((table) => `INSERT INTO ${table} VALUES (${id})`).join(';');
  const messages = "SELECT pg_logical_emit_message(true, 'p', 'x') FROM generate_series(1, 60)";
  await database.query(`BEGIN; ${insert(1)}; ${insert(2)}; ${insert(3)}; ${messages}; COMMIT`);
  const ends: AnyRecord[] = [];
  while (!ended(1)(run?.records ?? [])) {
    const last = (await run?.poll())?.at(-1);
    if (last?.value?.op === 'c') ends.push(last);
  }
  const events = (run?.records ?? []).filter(({ value }) => value.op === 'c');
  expect(ends.length).toBeGreaterThan(5);
  for (const { sourceOffset, value } of ends) {
    expect(sourceOffset?.tx_event_index).toBe(value.transaction.total_order);
    const counts = Object.values(orders(sourceOffset)).filter((count) => typeof count === 'number');
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(value.transaction.total_order);
  }
  const sent = (run?.records ?? []).filter(({ value }) => value.op === 'm');
  for (const all of [events, sent])
    expect(new Set(all.map(({ sourceOffset }) => sourceOffset)).size).toBeLessThan(all.length / 2);
  const at = 500;
  const done = Number(events[at]?.sourceOffset?.tx_event_index);
  expect(done).toBeLessThanOrEqual(at + 1);
  await run?.stop();
  await start({}, events[at]?.sourceOffset);
  const rest = (await run?.until(ended(1))) as AnyRecord[];
  const expected = [...events.slice(done), ...sent].map(shown);
  expect(rest.map(shown)).toEqual([...expected, 'END 660']);
  await run?.stop();
  const middle = sent[30]?.sourceOffset ?? null;
  await start({}, middle);
  const last = (await run?.until(ended(1))) as AnyRecord[];
  const shared = sent.findIndex(({ sourceOffset }) => sourceOffset === middle);
  // It is the offset of the first one that carries it.
  expect(last.map(shown)).toEqual([...sent.slice(shared + 1).map(shown), 'END 660']);
});
