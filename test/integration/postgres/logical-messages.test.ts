/** `pg_logical_emit_message` (cdc-postgres §2.6 g, Appendix R 9). */
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { TaskRun, taskConfig, type AnyRecord } from './harness';

let database: TestDatabase;
let run: TaskRun | null = null;
beforeEach(async () => {
  database = await TestDatabase.create('CREATE TABLE t (id int PRIMARY KEY)');
});
afterEach(async () => {
  await run?.stop();
  run = null;
  await database.drop();
});

const start = async (settings = {}, stored: AnyRecord['sourceOffset'] | null = null): Promise<TaskRun> => {
  run = await TaskRun.start(taskConfig(database, { 'snapshot.mode': 'no_data', ...settings }), stored);
  return run;
};
const emit = (transactional: boolean, prefix: string, content: string): Promise<unknown> =>
  database.query('SELECT pg_logical_emit_message($1, $2, $3)', [transactional, prefix, content]);
/** Rows by id, messages by prefix. */
const names = (records: readonly AnyRecord[]): unknown[] => records.map(({ key }) => key.id ?? key.prefix);

test('cdc-postgres 42, R9: a message in a transaction', async () => {
  await start();
  await database.query("BEGIN; SELECT pg_logical_emit_message(true, 'p', 'x'); INSERT INTO t VALUES (1); COMMIT");
  const [message, row] = (await run?.count(2)) as [AnyRecord, AnyRecord];
  expect(message).toMatchObject({
    topic: 'fulfillment.message',
    headers: null,
    key: { prefix: 'p' },
    keySchema: { name: 'io.debezium.connector.postgresql.MessageKey', version: 1 },
    valueSchema: { name: 'io.debezium.connector.postgresql.MessageValue', version: 1 },
    sourceOffset: { messageType: 'MESSAGE', txId: row.value.source.txId, lsn: message.value.source.lsn },
  });
  expect(message.valueSchema?.fields?.map(({ name }) => name)).toEqual([
    'op',
    'ts_ms',
    'source',
    'transaction',
    'message',
  ]);
  const { lsn, ...source } = row.value.source;
  expect(message.value).toEqual({
    op: 'm',
    ts_ms: expect.any(Number),
    source: {
      ...source,
      schema: '',
      table: '',
      lsn: expect.any(Number),
      sequence: `[null,"${message.value.source.lsn}"]`,
    },
    transaction: null,
    message: { prefix: 'p', content: Buffer.from('x') },
  });
  // The end of its WAL record; of a row, it is the begin.
  expect(message.value.source.lsn).toBeLessThanOrEqual(lsn);
  expect(message.sourceOffset?.lsn_proc).toBe(message.value.source.lsn);
});

test('cdc-postgres 42: a message outside of transactions is emitted at once, and advances the confirmed position', async () => {
  await start({ 'binary.handling.mode': 'hex' });
  const other = await database.connect();
  try {
    await other.query('BEGIN; INSERT INTO t VALUES (1)');
    await emit(false, 'now', 'é');
    const [message] = (await run?.count(1)) as [AnyRecord];
    const { lsn } = message.value.source;
    expect(message.value.source).toMatchObject({ txId: null, sequence: `["${lsn}","${lsn}"]` });
    expect(message.value.message).toEqual({ prefix: 'now', content: 'c3a9' });
    expect(message.sourceOffset).toEqual({
      ...{ lsn, lsn_commit: lsn, lsn_proc: lsn },
      messageType: 'MESSAGE',
      ts_usec: expect.any(Number),
      wal_timeline: expect.any(String),
    });
    await run?.stop();
    await start({}, message.sourceOffset);
    await other.query('COMMIT');
    expect(names((await run?.count(1)) as AnyRecord[])).toEqual([1]);
  } finally {
    await other.end();
  }
});

test.each([
  ['include', 'B.*,rows', ['bb', 1, 'rows', 2]],
  ['exclude', 'B.*', ['a', 1, 'rows', 2]],
])('cdc-postgres 42: message.prefix.%s.list', async (kind, patterns, expected) => {
  await start({ [`message.prefix.${kind}.list`]: patterns });
  await emit(true, 'a', '');
  await emit(false, 'bb', '');
  await database.query("BEGIN; INSERT INTO t VALUES (1); SELECT pg_logical_emit_message(true, 'rows', 'x'); COMMIT");
  await database.query('INSERT INTO t VALUES (2)');
  const records = (await run?.until((all) => all.at(-1)?.key.id === 2)) as AnyRecord[];
  expect(names(records)).toEqual(expected);
});

test.each<[string, Record<string, string>, unknown[]]>([
  ['protocol 1', {}, [0, 1, 'a', 'b', 2, 'c']],
  // The server does not tell in which subtransaction a message was, so one of a rolled back savepoint remains.
  ['streaming', { 'pgoutput.streaming': 'on' }, [0, 1, 'a', 'gone', 'b', 2, 'c']],
])(
  'cdc-postgres 42, 66: restarts amid a transaction repeat and lose no message (%s)',
  async (_, settings, expected) => {
    await database.query(`ALTER DATABASE ${database.name} SET logical_decoding_work_mem = '64kB'`);
    await start({ ...settings, 'max.batch.size': '1' });
    await database.query('INSERT INTO t VALUES (0)');
    await run?.count(1);
    const big = 'repeat(md5(random()::text), 1000)';
    await database.query(`BEGIN; INSERT INTO t VALUES (1); SELECT pg_logical_emit_message(true, 'a', ${big});
      SAVEPOINT s; SELECT pg_logical_emit_message(true, 'gone', ${big}); INSERT INTO t SELECT generate_series(9, 999);
      ROLLBACK TO s; SELECT pg_logical_emit_message(true, 'b', ${big});
      INSERT INTO t VALUES (2); SELECT pg_logical_emit_message(true, 'c', ${big}); COMMIT`);
    const seen: unknown[] = [];
    for (let i = 0; i < expected.length; i++) {
      const records = (await run?.count(1)) as AnyRecord[];
      seen.push(...names(records.slice(0, 1)));
      const stored = run?.commitUpTo(0) ?? null;
      await run?.stop();
      await start({ ...settings, 'max.batch.size': '1' }, stored);
    }
    expect(seen).toEqual(expected);
  },
);

test('cdc-postgres 42, 74: heartbeat.action.query with pg_logical_emit_message advances the slot of idle tables', async () => {
  await start({
    'heartbeat.interval.ms': '100',
    'heartbeat.action.query': "SELECT pg_logical_emit_message(false, 'heartbeat', now()::varchar)",
  });
  const messages = (records: readonly AnyRecord[]): AnyRecord[] => records.filter(({ value }) => value.op === 'm');
  const records = (await run?.until((all) => messages(all).length >= 2)) as AnyRecord[];
  const [first, second] = messages(records) as [AnyRecord, AnyRecord];
  expect(second.sourceOffset?.lsn_commit).toBeGreaterThan(Number(first.sourceOffset?.lsn_commit));
});

test.each(['off', 'on'])(
  'cdc-postgres 42: a message and the row after it, which share an LSN, sent in either order, pgoutput.streaming=%s',
  async (streaming) => {
    const settings = { 'pgoutput.streaming': streaming };
    const whole = await start(settings);
    const client = await database.connect();
    /** The server sorts subtransactions by LSN only. Of the first transaction, it sends row 2 before `a`. */
    const attempt = async (id: number): Promise<AnyRecord[]> => {
      const before = whole.records.length;
      await client.query(`BEGIN; INSERT INTO t VALUES (${id + 1}); SAVEPOINT s;
        SELECT pg_logical_emit_message(true, 'a', 'x');
        SAVEPOINT s; INSERT INTO t VALUES (${id + 2}), (${id + 3}); COMMIT`);
      await client.query(`BEGIN; SAVEPOINT s; INSERT INTO t VALUES (${id + 4});
        SELECT pg_logical_emit_message(true, 'b', 'x');
        SAVEPOINT s; INSERT INTO t VALUES (${id + 5}), (${id + 6}); COMMIT`);
      return (await whole.count(before + 8)).slice(before);
    };
    let id = 0;
    let records: AnyRecord[] = [];
    const lsnOf = (name: unknown): unknown => records[names(records).indexOf(name)]?.value.source.lsn;
    try {
      // They share it unless another session of the server, as those of other tests, writes to the WAL in between.
      await waitFor('a message and the row after it to share an LSN', async () => {
        records = await attempt((id += 6));
        return lsnOf('a') === lsnOf(id + 2) && lsnOf('b') === lsnOf(id + 5);
      });
    } finally {
      await client.end();
    }
    const all = names(records);
    const rows = [1, 2, 3, 4, 5, 6].map((row) => id + row);
    expect(all.filter((name) => typeof name === 'number')).toEqual(rows);
    expect(all.filter((name) => typeof name === 'string').sort()).toEqual(['a', 'b']);
    await whole.stop();
    for (const [i, { sourceOffset }] of records.slice(0, -1).entries()) {
      const rest = await start(settings, sourceOffset);
      await rest.until((found) => found.at(-1)?.key.id === rows.at(-1));
      expect([i, ...names(rest.records)]).toEqual([i, ...all.slice(i + 1)]);
      await rest.stop();
    }
  },
);

test('cdc-postgres 42, 92: a message before a savepoint that is rolled back, sent after its first row', async () => {
  await database.query(`ALTER DATABASE ${database.name} SET logical_decoding_work_mem = '64kB'`);
  await start({ 'pgoutput.streaming': 'on' });
  await database.query(`BEGIN; INSERT INTO t VALUES (1); SAVEPOINT s;
    SELECT pg_logical_emit_message(true, 'a', 'x'); SAVEPOINT s; INSERT INTO t SELECT generate_series(10, 2000);
    ROLLBACK TO s; INSERT INTO t VALUES (2); COMMIT`);
  const records = (await run?.until((all) => all.at(-1)?.key.id === 2)) as AnyRecord[];
  expect(names(records)).toEqual([1, 'a', 2]);
});
