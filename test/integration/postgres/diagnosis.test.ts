/** What the connector's diagnosis finds; diagnosis-cures.test.ts has the faults that a statement cures. */
import { spawnSync } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import type { Finding } from '@millrace/sdk';
import { postgresConnector } from '../../../connectors/postgres/src';
import { startPostgres, type RunningPostgres } from '../../../dev/services/postgres';
import { onServer, TestDatabase } from '../../helpers/test-database';
import { waitFor } from '../../helpers/wait-for';
import { codes, createSlot, cure, diagnose, login, writeWal, type Settings } from './diagnosis-harness';
import { TODOS, TaskRun, taskConfig } from './harness';
import { OldServer } from './old-server';

const hasPsql = spawnSync('psql', ['--version']).status === 0;

let server: RunningPostgres;
let database: TestDatabase;
beforeAll(async () => {
  server = await startPostgres({ settings: { max_wal_size: '2GB' } });
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

test('a server with all that the connector needs has no finding, before and while it runs', async () => {
  expect(await diagnose(database)).toEqual([]);
  const task = await TaskRun.start(taskConfig(database, { 'table.include.list': 'public.todos' }));
  await waitFor('the stream', async () => (await task.poll(), (await database.streams()) === 1));
  expect(await diagnose(database)).toEqual([]);
  await task.stop();
});

test('a diagnosis leaves no slot, publication or session', async () => {
  await diagnose(database);
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
  [{ 'database.password': 'not-the-password' }, 'PG_AUTHENTICATION', 'password authentication failed', 0],
  [{ 'database.dbname': 'no_such_db' }, 'PG_NO_DATABASE', 'does not exist', 0],
  [{ 'database.port': '1' }, 'PG_CONNECTION', 'ECONNREFUSED', 2],
  [{ 'database.hostname': 'no-such-host.invalid' }, 'PG_UNKNOWN_HOST', 'no-such-host.invalid', 2],
])('a connection that fails for %p is %s, with a command to try it', async (overrides, code, text, exitCode) => {
  const found = await diagnose(database, overrides as Settings);
  expect(codes(found)).toEqual([`error ${code}`]);
  expect(found[0]?.message).toContain(text);
  expect(found[0]?.statements).toEqual([expect.stringMatching(/^psql "host='/)]);
  if (hasPsql) {
    const env = { ...process.env, PGPASSWORD: 'postgres' };
    const { status } = spawnSync('/bin/sh', ['-c', found[0]?.statements?.[0] ?? ''], { env, input: '' });
    expect(status).toBe(exitCode);
  }
  expect(JSON.stringify(found)).not.toContain('not-the-password');
});

test('a role that may not connect; the statement is the cure', async () => {
  const role = await login(database, 'REPLICATION');
  await database.query(`REVOKE CONNECT ON DATABASE ${database.name} FROM PUBLIC; GRANT SELECT ON todos TO PUBLIC`);
  const found = await diagnose(database, role);
  expect(codes(found)).toEqual(['error PG_PRIVILEGE']);
  await cure(found, database.url);
  expect(codes(await diagnose(database, { ...role, 'publication.autocreate.mode': 'disabled' }))).toEqual([
    'error PG_PUBLICATION_MISSING',
  ]);
});

test('a generated column in a key that changes do not contain, until the publication sends it', async () => {
  await database.query('CREATE TABLE g (id int, g int GENERATED ALWAYS AS (id * 2) STORED PRIMARY KEY)');
  const settings = { 'table.include.list': 'public.g', 'publication.name': 'sends' };
  const [found, ...others] = await diagnose(database, settings);
  expect(found).toMatchObject({
    severity: 'error',
    code: 'PG_INCOMPLETE_KEY',
    message: expect.stringContaining('table public.g contains the generated column g,'),
    cure: expect.stringContaining('publish_generated_columns = stored'),
  });
  expect(others).toEqual([]);
  const tolerant = { ...settings, 'event.incomplete.key.handling': 'warn' };
  expect(codes(await diagnose(database, tolerant))).toEqual(['warning PG_INCOMPLETE_KEY']);
  await database.query('CREATE PUBLICATION sends FOR TABLE g WITH (publish_generated_columns = stored)');
  expect(await diagnose(database, settings)).toEqual([]);
});

test('a role without a free connection', async () => {
  const found = await diagnose(database, await login(database, 'CONNECTION LIMIT 0'));
  expect(codes(found)).toEqual(['error PG_TOO_MANY_CONNECTIONS']);
  expect(await database.query(found[0]?.statements?.[0] ?? '')).not.toEqual([]);
});

test('a database that accepts no connections', async () => {
  await onServer(`ALTER DATABASE ${database.name} ALLOW_CONNECTIONS false`, [], server.url);
  const found = await diagnose(database);
  expect(codes(found)).toEqual(['error PG_ERROR']);
  expect(found[0]?.message).toContain('not currently accepting connections');
  expect(found[0]?.statements).toEqual([expect.stringMatching(/^psql /)]);
});

test('a server that is stopping', async () => {
  const stopping = await startPostgres();
  const open = await TestDatabase.create(TODOS, { server: stopping.url });
  try {
    const [row] = await open.query("SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid");
    // It waits for open sessions, and accepts no others.
    process.kill(row?.pid as number, 'SIGTERM');
    await waitFor('it to stop', async () => (await diagnose(open)).length > 0);
    const found = await diagnose(open);
    expect(codes(found)).toEqual(['error PG_SERVER_SHUTDOWN']);
    expect(found[0]?.cure).toContain('when the server has started');
  } finally {
    await open.client.end();
    await stopping.stop();
  }
});

test('database.initial.statements are not run: they may change data', async () => {
  await database.query('CREATE TABLE kept (id int PRIMARY KEY)');
  const without = await diagnose(database);
  for (const statement of ['SELECT nonsense', 'DROP TABLE kept'])
    expect(await diagnose(database, { 'database.initial.statements': statement })).toEqual(without);
  expect(await database.query('SELECT * FROM kept')).toEqual([]);
  await database.query('DROP TABLE kept');
});

test('a server that is too old for the other checks', async () => {
  const old = await OldServer.start();
  try {
    const found = await diagnose(database, old.address);
    expect(codes(found)).toEqual(['error PG_VERSION']);
    expect(found[0]?.message).toContain('90624');
  } finally {
    await old.stop();
  }
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

test('a connection pooler that refuses parameters of the startup packet', async () => {
  const field = (type: string, text: string): string => `${type}${text}\0`;
  const refusal = `${field('S', 'FATAL')}${field('C', '08P01')}${field('M', 'unsupported startup parameter in options: bytea_output')}\0`;
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(refusal.length + 4, 1);
  const pooler = createServer((socket) =>
    socket
      .on('error', () => undefined)
      // A request for TLS has eight bytes.
      .on('data', (data) =>
        data.length === 8 ? socket.write('N') : socket.end(Buffer.concat([head, Buffer.from(refusal)])),
      ),
  );
  await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve));
  const { port } = pooler.address() as AddressInfo;
  const found = await diagnose(database, { 'database.hostname': '127.0.0.1', 'database.port': String(port) });
  expect(codes(found)).toEqual(['error PG_POOLER']);
  expect(found[0]?.cure).toContain('of the PostgreSQL server itself');
  pooler.close();
});

test('rows that row level security hides; the statement is the cure', async () => {
  const role = { ...(await login(database, 'REPLICATION')), 'publication.autocreate.mode': 'disabled' };
  await database.query(
    `GRANT SELECT ON todos TO PUBLIC; ALTER TABLE todos ENABLE ROW LEVEL SECURITY; CREATE PUBLICATION pub_${database.name} FOR TABLE todos`,
  );
  const found = await diagnose(database, role);
  expect(codes(found)).toEqual(['error PG_ROW_SECURITY']);
  await cure(found, database.url);
  expect(await diagnose(database, role)).toEqual([]);
});

test('tables whose updates the server will reject; the statement is the cure', async () => {
  await database.query(`
    CREATE TABLE keyless (id int);
    CREATE TABLE nothing (id int PRIMARY KEY); ALTER TABLE nothing REPLICA IDENTITY NOTHING;
    CREATE TABLE complete (id int); ALTER TABLE complete REPLICA IDENTITY FULL;
    CREATE TABLE indexed (id int NOT NULL UNIQUE); ALTER TABLE indexed REPLICA IDENTITY USING INDEX indexed_id_key;`);
  const overrides = { 'table.include.list': 'public.(keyless|nothing|complete|indexed)' };
  const found = await diagnose(database, overrides);
  expect(codes(found)).toEqual(['error PG_REPLICA_IDENTITY']);
  expect(found[0]?.message).toContain('public.keyless, public.nothing: ');
  expect(await diagnose(database, { ...overrides, 'replica.identity.autoset.values': '.*:FULL' })).toEqual([]);
  await cure(found, database.url);
  expect(await diagnose(database, overrides)).toEqual([]);
});

test('filters that match no table, all of them or one', async () => {
  const none = await diagnose(database, { 'table.include.list': 'public.nope' });
  expect(codes(none)).toEqual(['warning PG_NO_TABLES']);
  expect(await database.query(none[0]?.statements?.[0] ?? '')).toEqual([{ name: 'public.todos' }]);
  const found = await diagnose(database, { 'table.include.list': 'public.todos,public.nope' });
  expect(codes(found)).toEqual(['warning PG_SETTING_UNMATCHED']);
  expect(found[0]?.message).toContain('public.nope');
});

test('an inactive slot, the connector’s own or another that retains much WAL', async () => {
  await createSlot(database);
  const own = await diagnose(database);
  expect(codes(own)).toEqual(['warning PG_SLOT_INACTIVE']);
  expect(own[0]?.message).toContain(`"${database.slot}"`);
  await createSlot(database, `other_${database.name}`);
  await writeWal(database, 80);
  const found = await diagnose(database);
  expect(codes(found)).toEqual(['warning PG_SLOT_INACTIVE', 'warning PG_SLOT_INACTIVE']);
  expect(found[1]?.message).toMatch(/other_.*retains \d+\.\d MB of WAL/);
  await cure(found, database.url);
  expect(await diagnose(database)).toEqual([]);
});

test('a slot that a deleted connector has left is named whatever its size; those of other connectors are not', async () => {
  const left = `left_${database.name}`;
  const stopped = `stopped_${database.name}`;
  await createSlot(database, left);
  await createSlot(database, stopped);
  await database.query("SELECT pg_create_physical_replication_slot('standby', true)");
  const others = [
    taskConfig(database, { 'slot.name': 'elsewhere' }),
    taskConfig(database, { 'slot.name': stopped }),
    taskConfig(database, { 'slot.name': left, 'database.dbname': 'another' }),
  ];
  const found = await diagnose(database, {}, others);
  await database.query("SELECT pg_drop_replication_slot('standby')");
  expect(codes(found)).toEqual(['warning PG_SLOT_INACTIVE']);
  const age = Number(await serverVersion()) >= 170_000 ? ' \\(last read less than two minutes ago\\)' : '';
  expect(found[0]?.message).toMatch(
    new RegExp(
      `^No process reads the logical replication slot "${left}" of database "${database.name}"${age}, and no connector of these workers names it: the server retains \\d+(\\.\\d)? (bytes|kB|MB) of WAL`,
    ),
  );
  expect(found[0]?.statements).toEqual([`SELECT pg_drop_replication_slot('${left}');`]);
  await cure(found, database.url);
  expect(await diagnose(database, {}, others)).toEqual([]);
  // A placeholder may be any name, and without the workers nothing is known of their connectors.
  expect(await diagnose(database, {}, [taskConfig(database, { 'slot.name': '${env:SLOT}' })])).toEqual([]);
  const unknown = await diagnose(database);
  expect(codes(unknown)).toEqual(['warning PG_SLOT_INACTIVE']);
  expect(unknown[0]?.message).not.toContain('no connector');

  async function serverVersion(): Promise<unknown> {
    return (await database.query("SELECT current_setting('server_version_num') AS version"))[0]?.version;
  }
});

test('a stored position that the server no longer has: the reset of the offsets, not a restart', async () => {
  const config = taskConfig(database, { 'table.include.list': 'public.todos', 'snapshot.mode': 'no_data' });
  const task = await TaskRun.start(config);
  await database.query("INSERT INTO todos (description) VALUES ('a')");
  await task.count(1);
  const stored = task.commitUpTo();
  const diagnosed = (overrides = {}): Promise<readonly Finding[]> => diagnose(database, overrides, undefined, stored);
  await task.nothingMore();
  expect(await diagnosed()).toEqual([]);
  await task.stop();
  await waitFor('the slot to be free', async () => (await database.streams()) === 0);
  expect(codes(await diagnosed())).toEqual(['warning PG_SLOT_INACTIVE']);
  // Another program has read it.
  await database.query("INSERT INTO todos (description) VALUES ('b')");
  await database.query('SELECT pg_replication_slot_advance($1, pg_current_wal_lsn())', [database.slot]);
  const trusting = await diagnosed({ 'offset.mismatch.strategy': 'trust_offset' });
  expect(codes(trusting)).toEqual(['error PG_POSITION_LOST', 'warning PG_SLOT_INACTIVE']);
  expect(trusting[0]?.cure).toContain('offset.mismatch.strategy=trust_greater_lsn');
  await database.query('SELECT pg_drop_replication_slot($1)', [database.slot]);
  const lost = await diagnosed();
  expect(codes(lost)).toEqual(['error PG_POSITION_LOST']);
  expect(lost[0]?.message).toContain(`replication slot "${database.slot}" does not exist`);
  expect(lost[0]?.cure).toMatch(/^A restart does not help\. For a new snapshot/);
  expect(lost[0]?.statements).toEqual(['millrace offsets reset test --resume']);
  const again = await diagnosed({ 'snapshot.mode': 'when_needed' });
  expect(codes(again)).toEqual(['warning PG_POSITION_LOST']);
  expect(again[0]?.cure).toBe('The connector takes a new snapshot when it starts.');
  // Its offsets are reset.
  expect(await diagnose(database)).toEqual([]);
});

test('an output plugin that is not installed', async () => {
  expect(codes(await diagnose(database, { 'plugin.name': 'decoderbufs' }))).toEqual(['error PG_PLUGIN_MISSING']);
});

test('settings that are invalid are reported without a connection', async () => {
  const found = await diagnose(database, { 'database.port': 'x' });
  expect(codes(found)).toEqual(['error PG_CONFIG']);
  expect(found[0]?.message).toContain('database.port');
});
