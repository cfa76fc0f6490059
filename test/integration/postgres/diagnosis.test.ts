/** What the connector's diagnosis finds on servers with planted faults. */
import { createServer, type AddressInfo } from 'node:net';
import type { Finding } from '@millrace/sdk';
import { postgresConnector } from '../../../connectors/postgres/src';
import { startPostgres, type RunningPostgres } from '../../../dev/services/postgres';
import { TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { TODOS, TaskRun, taskConfig } from './harness';

let server: RunningPostgres;
let database: TestDatabase;
beforeAll(async () => {
  server = await startPostgres({ settings: { max_replication_slots: '3', max_wal_size: '2GB' } });
});
afterAll(async () => {
  await server.stop();
});
beforeEach(async () => {
  database = await TestDatabase.create(TODOS, { server: server.url });
});
afterEach(async () => {
  await database.drop();
});

const TABLE = { 'table.include.list': 'public.todos' };

async function diagnose(overrides: Record<string, string> = {}, of = database): Promise<readonly Finding[]> {
  const config = taskConfig(of, { ...TABLE, ...overrides });
  const context = { connector: 'test', workerSettings: {}, timeoutMs: 20_000 };
  return (await postgresConnector.diagnose?.(config, context)) ?? [];
}
const codes = (findings: readonly Finding[]): string[] => findings.map(({ severity, code }) => `${severity} ${code}`);

/** A role that owns nothing, with the privileges that `sql` gives it. */
async function role(sql: (name: string) => string): Promise<Record<string, string>> {
  const name = `r_${database.name}`;
  await database.query(`CREATE ROLE ${name} LOGIN PASSWORD 'top-secret'; ${sql(name)}`);
  return { 'database.user': name, 'database.password': 'top-secret' };
}

test('a server with all that the connector needs has no finding, before and while it runs', async () => {
  expect(await diagnose()).toEqual([]);
  const task = await TaskRun.start(taskConfig(database, TABLE));
  await waitFor('the stream', async () => (await task.poll(), (await database.streams()) === 1));
  expect(await diagnose()).toEqual([]);
  await task.stop();
});

test('a diagnosis leaves no slot, publication or session', async () => {
  await diagnose();
  expect(await database.slots()).toEqual([]);
  expect(await database.query('SELECT * FROM pg_publication')).toEqual([]);
  await waitFor('its session to end', async () => {
    const sessions = await database.query(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'Millrace%'",
    );
    return sessions.length === 0;
  });
});

test.each([
  [{ 'database.password': 'not-the-password' }, 'PG_AUTHENTICATION', 'password authentication failed'],
  [{ 'database.dbname': 'no_such_db' }, 'PG_NO_DATABASE', 'does not exist'],
  [{ 'database.port': '1' }, 'PG_CONNECTION', 'ECONNREFUSED'],
])('a connection that fails for %p is %s, with a command to try it', async (overrides, code, text) => {
  const found = await diagnose(overrides as Record<string, string>);
  expect(codes(found)).toEqual([`error ${code}`]);
  expect(found[0]?.message).toContain(text);
  expect(found[0]?.statement).toMatch(/^psql "host='127\.0\.0\.1'/);
  expect(JSON.stringify(found)).not.toContain('not-the-password');
});

test('a server that never answers ends the diagnosis in time', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo;
  const config = taskConfig(database, { 'database.hostname': '127.0.0.1', 'database.port': String(port) });
  const found = await postgresConnector.diagnose?.(config, { connector: 'test', workerSettings: {}, timeoutMs: 200 });
  expect(codes(found ?? [])).toEqual(['error PG_CONNECTION']);
  silent.close();
});

test('wal_level=replica', async () => {
  const other = await startPostgres({ walLevel: 'replica' });
  const onOther = await TestDatabase.create(TODOS, { server: other.url });
  try {
    const found = await diagnose({}, onOther);
    expect(codes(found)).toEqual(['error PG_WAL_LEVEL']);
    expect(found[0]?.statement).toBe("ALTER SYSTEM SET wal_level = 'logical';");
  } finally {
    await onOther.drop();
    await other.stop();
  }
});

test('a missing publication that the connector may not create; its statement is the cure', async () => {
  const overrides = { 'publication.autocreate.mode': 'disabled' };
  const found = await diagnose(overrides);
  expect(codes(found)).toEqual(['error PG_PUBLICATION_MISSING']);
  await database.query(found[0]?.statement ?? '');
  expect(await diagnose(overrides)).toEqual([]);
});

test('a publication without a captured table; its statement is the cure', async () => {
  const overrides = { 'publication.autocreate.mode': 'disabled', 'table.include.list': 'public.todos,public.other' };
  await database.query(
    `CREATE TABLE other (id int PRIMARY KEY); CREATE PUBLICATION pub_${database.name} FOR TABLE todos`,
  );
  const found = await diagnose(overrides);
  expect(codes(found)).toEqual(['error PG_PUBLICATION_TABLES']);
  expect(found[0]?.message).toContain('public.other');
  await database.query(found[0]?.statement ?? '');
  expect(await diagnose(overrides)).toEqual([]);
});

test('a role without REPLICATION, without SELECT, and that may not create the publication', async () => {
  const login = await role(() => '');
  const found = await diagnose(login);
  expect(codes(found)).toEqual(['error PG_ROLE_REPLICATION', 'error PG_PRIVILEGE', 'error PG_PRIVILEGE']);
  expect(JSON.stringify(found)).not.toContain('top-secret');
  for (const { statement } of found) await database.query(statement ?? '');
  expect(await diagnose({ ...login, 'publication.autocreate.mode': 'disabled' })).toEqual([]);
});

test('a schema without USAGE', async () => {
  await database.query('CREATE SCHEMA shop; CREATE TABLE shop.orders (id int PRIMARY KEY)');
  const login = await role((name) => `ALTER ROLE ${name} REPLICATION; GRANT SELECT ON shop.orders TO ${name}`);
  await database.query(`CREATE PUBLICATION pub_${database.name} FOR TABLE shop.orders`);
  const overrides = {
    ...login,
    'table.include.list': 'shop.orders',
    'publication.autocreate.mode': 'disabled',
  };
  const found = await diagnose(overrides);
  expect(codes(found)).toEqual(['error PG_PRIVILEGE']);
  await database.query(found[0]?.statement ?? '');
  expect(await diagnose(overrides)).toEqual([]);
});

test('tables whose updates the server will reject; the statement is the cure', async () => {
  await database.query(`
    CREATE TABLE keyless (id int);
    CREATE TABLE nothing (id int PRIMARY KEY); ALTER TABLE nothing REPLICA IDENTITY NOTHING;
    CREATE TABLE complete (id int); ALTER TABLE complete REPLICA IDENTITY FULL;
    CREATE TABLE indexed (id int NOT NULL UNIQUE); ALTER TABLE indexed REPLICA IDENTITY USING INDEX indexed_id_key;`);
  const overrides = { 'table.include.list': 'public.(keyless|nothing|complete|indexed)' };
  const found = await diagnose(overrides);
  expect(codes(found)).toEqual(['error PG_REPLICA_IDENTITY']);
  expect(found[0]?.message).toContain('public.keyless, public.nothing: ');
  expect(await diagnose({ ...overrides, 'replica.identity.autoset.values': '.*:FULL' })).toEqual([]);
  await database.query(found[0]?.statement ?? '');
  expect(await diagnose(overrides)).toEqual([]);
});

test('filters that match no table, all of them or one', async () => {
  expect(codes(await diagnose({ 'table.include.list': 'public.nope' }))).toEqual(['error PG_NO_TABLES']);
  const found = await diagnose({ 'table.include.list': 'public.todos,public.nope' });
  expect(codes(found)).toEqual(['warning PG_SETTING_UNMATCHED']);
  expect(found[0]?.message).toContain('public.nope');
});

test('an unlogged table', async () => {
  await database.query('CREATE UNLOGGED TABLE fleeting (id int PRIMARY KEY)');
  const found = await diagnose({ 'table.include.list': 'public.(todos|fleeting)' });
  expect(codes(found)).toEqual(['error PG_UNLOGGED_TABLE']);
  await database.query(found[0]?.statement ?? '');
  expect(await diagnose({ 'table.include.list': 'public.(todos|fleeting)' })).toEqual([]);
});

const createSlot = (name: string): Promise<unknown> =>
  database.query("SELECT pg_create_logical_replication_slot($1, 'pgoutput')", [name]);

test('an inactive slot, the connector’s own or another that retains much WAL', async () => {
  await createSlot(database.slot);
  const own = await diagnose();
  expect(codes(own)).toEqual(['warning PG_SLOT_INACTIVE']);
  expect(own[0]?.message).toContain(`"${database.slot}"`);
  await createSlot(`other_${database.name}`);
  // Transactional: the commit flushes them.
  await database.query("SELECT pg_logical_emit_message(true, 'x', repeat('x', 16777216)) FROM generate_series(1, 6)");
  const found = await diagnose();
  expect(codes(found)).toEqual(['warning PG_SLOT_INACTIVE', 'warning PG_SLOT_INACTIVE']);
  expect(found[1]?.message).toMatch(/other_.*retains \d+\.\d MB of WAL/);
  for (const { statement } of found) await database.query(statement ?? '');
  expect(await diagnose()).toEqual([]);
});

test('a slot that the server has invalidated, and one of another plugin', async () => {
  await database.query("SELECT pg_create_logical_replication_slot($1, 'test_decoding')", [database.slot]);
  expect(codes(await diagnose())).toEqual(['error PG_SLOT_MISMATCH']);
  await database.dropSlots();
  await createSlot(database.slot);
  await database.query("ALTER SYSTEM SET max_slot_wal_keep_size = '1MB'");
  await database.query('SELECT pg_reload_conf()');
  try {
    await waitFor('the slot to be lost', async () => {
      await database.query("SELECT pg_logical_emit_message(false, 'x', repeat('x', 33554432)), pg_switch_wal()");
      await database.query('CHECKPOINT');
      return (await database.slots()).some(({ wal_status: status }) => status === 'lost');
    });
    const found = await diagnose();
    expect(codes(found)).toEqual(['error PG_SLOT_LOST']);
  } finally {
    await database.query('ALTER SYSTEM RESET max_slot_wal_keep_size');
    await database.query('SELECT pg_reload_conf()');
  }
});

test('no free replication slot', async () => {
  for (const number of [1, 2, 3]) await createSlot(`s${number}_${database.name}`);
  const found = await diagnose();
  expect(codes(found)).toEqual(['error PG_TOO_MANY_SLOTS']);
  expect(found[0]?.message).toContain('3 of 3');
});

test('an output plugin that is not installed', async () => {
  expect(codes(await diagnose({ 'plugin.name': 'decoderbufs' }))).toEqual(['error PG_PLUGIN_MISSING']);
});

test('settings that are invalid are reported without a connection', async () => {
  const found = await diagnose({ 'database.port': 'x' });
  expect(codes(found)).toEqual(['error PG_CONFIG']);
  expect(found[0]?.message).toContain('database.port');
});
