/** Exactly-once snapshots and transactions that run, or are prepared, when the snapshot begins. */
import type { Client } from 'pg';
import { startPostgres, type RunningPostgres } from '../../../dev/services/postgres';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { Delivered, shown } from './exactly-once-harness';
import { taskConfig, type AnyRecord } from './harness';

let server: RunningPostgres;
let database: TestDatabase;
let delivered: Delivered;
beforeAll(async () => {
  server = await startPostgres({ settings: { max_prepared_transactions: '5', max_connections: '30' } });
});
afterAll(async () => {
  await server?.stop();
});
beforeEach(async () => {
  database = await TestDatabase.create(
    `CREATE TABLE t (id int PRIMARY KEY, v int) WITH (fillfactor = 10);
     INSERT INTO t SELECT i, 0 FROM generate_series(0, 2999) i`,
    { server: server.url },
  );
});
afterEach(async () => {
  await delivered?.stop();
  for (const client of clients.splice(0)) await client.end();
  await database.drop();
});

const clients: Client[] = [];
async function connected(): Promise<Client> {
  const client = await database.connect();
  clients.push(client);
  return client;
}

async function begun(sql: string): Promise<{ client: Client; xid: string }> {
  const client = await connected();
  await client.query(`BEGIN; ${sql}`);
  const { rows } = await client.query<{ xid: string }>('SELECT txid_current()::text AS xid');
  return { client, xid: rows[0]?.xid as string };
}

/** Resolves when the creation of a slot waits for the transaction. */
const slotWaitsFor = (xid: string): Promise<unknown> =>
  waitFor('the slot', async () => {
    const rows = await database.query(
      `SELECT FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted AND transactionid::text = $1`,
      [xid],
    );
    return rows.length > 0;
  });

/** Starts the task with a snapshot that begins while `statements` run; what `end` does comes after its first poll. */
async function spanned(
  settings: Record<string, string>,
  statements: (client: Client) => Promise<void>,
  end: () => Promise<void>,
): Promise<AnyRecord[]> {
  delivered = new Delivered(
    database,
    taskConfig(database, {
      'max.batch.size': '400',
      'max.queue.size': '500',
      'snapshot.fetch.size': '300',
      ...settings,
    }),
  );
  const first = await begun('UPDATE t SET v = 1 WHERE id = 2997');
  const starting = delivered.start();
  await slotWaitsFor(first.xid);
  const second = await begun('UPDATE t SET v = 1 WHERE id = 2998');
  await first.client.query('COMMIT');
  await slotWaitsFor(second.xid);
  const third = await connected();
  await third.query('BEGIN');
  await statements(third);
  await database.query('UPDATE t SET v = 1 WHERE id = 2996');
  await second.client.query('COMMIT');
  await starting;
  await delivered.poll();
  await delivered.kill();
  await delivered.poll();
  await end();
  await third.query('COMMIT');
  await delivered.kill();
  await database.query('INSERT INTO t VALUES (5000, 0)');
  const isDone = async (): Promise<boolean> => (await delivered.poll()).some(({ value }) => value?.after?.id === 5000);
  await waitFor('the last change', isDone, { everyMs: 0 });
  return delivered.records;
}

const events = (records: readonly AnyRecord[]): string[] =>
  records
    .filter(({ value }) => value.after.id >= 2996 && value.after.id < 3000)
    .map(shown)
    .sort();

test.each([
  ['a slot without two-phase commit', {}],
  ['a slot with two-phase commit', { 'pgoutput.two.phase': 'true' }],
])('a transaction that is prepared when the snapshot begins is streamed and not read: %s', async (_, settings) => {
  const records = await spanned(
    settings,
    async (client) => void (await client.query("UPDATE t SET v = 1 WHERE id = 2999; PREPARE TRANSACTION 'p'")),
    async () => void (await database.query("COMMIT PREPARED 'p'")),
  );
  expect(events(records)).toEqual(['t r 2996 1', 't r 2997 1', 't r 2998 1', 't u 2999 1']);
  expect(records.filter(({ value }) => value.op === 'r')).toHaveLength(2999);
});

test('more transactions than a snapshot lists: the server refuses the slot, and the start is repeated', async () => {
  const before = await database.query('SELECT slot_name FROM pg_replication_slots');
  const manySubtransactions = async (client: Client): Promise<void> => {
    for (let i = 0; i < 200; i++)
      await client.query('SAVEPOINT s; UPDATE t SET v = v + 1 WHERE id = 2999; RELEASE SAVEPOINT s');
  };
  await expect(spanned({}, manySubtransactions, async () => undefined)).rejects.toMatchObject({
    retriable: true,
    message: expect.stringContaining('initial slot snapshot too large') as string,
  });
  expect(await database.query('SELECT slot_name FROM pg_replication_slots')).toEqual(before);
});
