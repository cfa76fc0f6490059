import { createServer, type AddressInfo, type Server } from 'node:net';
import { postgresConnector } from '../../../connectors/postgres/src';
import { TestDatabase } from '../../helpers/test-database';
import { TODOS, TaskRun, taskConfig } from './harness';

let database: TestDatabase;
beforeAll(async () => {
  database = await TestDatabase.create(TODOS);
});
afterAll(async () => {
  await database.drop();
});

async function problems(overrides: Record<string, string>): Promise<Record<string, string>> {
  const found = (await postgresConnector.validate?.(taskConfig(database, overrides), {})) ?? [];
  return Object.fromEntries(found.map((problem) => [problem.key, problem.message]));
}

afterEach(async () => {
  expect(await database.slots()).toEqual([]);
  expect(await database.query('SELECT pubname FROM pg_publication')).toEqual([]);
});

test('a good configuration has no problems', async () => {
  expect(await problems({ 'table.include.list': 'public.todos' })).toEqual({});
});

test('the longest accepted times are awaited, not 1 ms', async () => {
  const times = {
    'connection.validation.timeout.ms': '9007199254740991',
    'internal.create.slot.command.timeout': '2147483647',
  };
  expect(await problems({ 'table.include.list': 'public.todos', ...times })).toEqual({});
  const task = await TaskRun.start(taskConfig(database, { 'table.include.list': 'public.todos', ...times }));
  await task.stop();
  await database.query(
    'SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE database = current_database()',
  );
  for (const { pubname } of await database.query('SELECT pubname FROM pg_publication'))
    await database.query(`DROP PUBLICATION "${pubname}"`);
});

const HOST = "The 'database.hostname' value is invalid: Error while validating connector config: ";

/** Too long for a DNS name, so it fails without a DNS query, which could be slow. */
const NO_HOST = `no-such-host-${'x'.repeat(60)}`;

test.each([
  [{ 'database.password': 'wrong-one' }, 'password authentication failed for user "postgres"'],
  [{ 'database.dbname': 'no_such_db' }, 'database "no_such_db" does not exist'],
  [{ 'database.port': '1' }, 'ECONNREFUSED'],
  [{ 'database.hostname': NO_HOST }, NO_HOST],
])('cdc-postgres 5: %p', async (overrides, text) => {
  const found = await problems(overrides as Record<string, string>);
  expect(Object.keys(found)).toEqual(['database.hostname']);
  expect(found['database.hostname']?.startsWith(HOST)).toBe(true);
  expect(found['database.hostname']).toContain(text);
  expect(JSON.stringify(found)).not.toContain('wrong-one');
});

test('cdc-postgres 5: a server that never answers', async () => {
  const silent: Server = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const port = String((silent.address() as AddressInfo).port);
  const found = await problems({
    'database.hostname': '127.0.0.1',
    'database.port': port,
    'connection.validation.timeout.ms': '200',
  });
  expect(found).toEqual({
    'database.hostname': "The 'database.hostname' value is invalid: Connection validation timed out after 200 ms",
  });
  silent.close();
});

test('validation does not run database.initial.statements, nor shows what they read', async () => {
  await database.query('CREATE TABLE victims (id int PRIMARY KEY)');
  const statements = [
    'DROP TABLE victims',
    "SELECT ('secret of ' || current_user)::int",
    "SELECT set_config('role', 'nobody', false)",
  ];
  for (const statement of statements) expect(await problems({ 'database.initial.statements': statement })).toEqual({});
  expect(await database.query('SELECT * FROM victims')).toEqual([]);
  await database.query('DROP TABLE victims');
});

test('privileges of a role that initial statements may set are not checked', async () => {
  const role = `i_${database.name}`;
  await database.query(`CREATE ROLE ${role} LOGIN REPLICATION PASSWORD 'x'`);
  try {
    const overrides = {
      ...{ 'database.user': role, 'database.password': 'x', 'table.include.list': 'public.todos' },
      'publication.autocreate.mode': 'no_tables',
    };
    expect(await problems(overrides)).toEqual({ 'database.user': expect.stringContaining('permission denied') });
    expect(await problems({ ...overrides, 'database.initial.statements': 'SET ROLE postgres' })).toEqual({});
  } finally {
    await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  }
});

test('cdc-postgres 10: a role without REPLICATION', async () => {
  const role = `r_${database.name}`;
  await database.query(`CREATE ROLE ${role} LOGIN PASSWORD 'x'; GRANT SELECT ON todos TO ${role}`);
  try {
    const overrides = { 'database.user': role, 'database.password': 'x' };
    expect(await problems(overrides)).toEqual({
      'database.user': `The 'database.user' value is invalid: Postgres roles LOGIN and REPLICATION are not assigned to user: ${role}. Run ALTER ROLE "${role}" WITH LOGIN REPLICATION;`,
    });
    await expect(TaskRun.start(taskConfig(database, overrides))).rejects.toMatchObject({ code: 'PG_ROLE_REPLICATION' });
  } finally {
    await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  }
});

test('cdc-postgres 10: a member of a superuser role of a database service is refused by the server only', async () => {
  const role = `m_${database.name}`;
  const groups = ['rds_superuser', 'cloudsqlsuperuser', 'azure_pg_admin', 'rds_replication'];
  await database.query(`
    CREATE ROLE ${role} LOGIN PASSWORD 'x';
    CREATE TABLE of_member (id int PRIMARY KEY);
    ALTER TABLE of_member OWNER TO ${role};
    GRANT CREATE ON DATABASE "${database.name}" TO ${role}`);
  const overrides = {
    ...{ 'database.user': role, 'database.password': 'x', 'table.include.list': 'public.of_member' },
    'errors.max.retries': '0',
  };
  try {
    for (const group of groups) {
      await database.query(`CREATE ROLE ${group}; GRANT ${group} TO ${role}`);
      expect([group, await problems(overrides)]).toEqual([group, {}]);
      await expect(TaskRun.start(taskConfig(database, overrides))).rejects.toMatchObject({
        code: 'PG_ROLE_REPLICATION',
        message: expect.stringContaining('As a superuser, run ALTER ROLE … WITH LOGIN REPLICATION') as string,
      });
      await database.query(`DROP ROLE ${group}`);
    }
  } finally {
    await database.query(groups.map((group) => `DROP ROLE IF EXISTS ${group};`).join(''));
    await database.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    for (const { pubname } of await database.query('SELECT pubname FROM pg_publication'))
      await database.query(`DROP PUBLICATION "${pubname}"`);
  }
});

test('a table that does not exist, under the name the user wrote, where no stream waits for it', async () => {
  const once = { 'snapshot.mode': 'initial_only' };
  const { 'table.whitelist': message } = await problems({ ...once, 'table.whitelist': 'public.no_such_table' });
  expect(message).toMatch(
    /^The 'table\.whitelist' value is invalid: No table of database .* matches .*public\.no_such_table/,
  );
  await expect(
    TaskRun.start(taskConfig(database, { ...once, 'table.include.list': 'public.no_such_table' })),
  ).rejects.toMatchObject({
    code: 'PG_NO_TABLES',
  });
  expect(await problems({ 'table.whitelist': 'public.no_such_table' })).toEqual({});
});

test('disabled without publication, and a publication that lacks the table', async () => {
  const overrides = { 'publication.autocreate.mode': 'disabled', 'table.include.list': 'public.todos' };
  expect((await problems(overrides))['publication.name']).toContain(
    `Run CREATE PUBLICATION "pub_${database.name}" FOR TABLE "public"."todos";`,
  );
  await database.query(`CREATE PUBLICATION pub_${database.name}`);
  expect((await problems(overrides))['publication.name']).toContain(
    `ALTER PUBLICATION "pub_${database.name}" ADD TABLE "public"."todos";`,
  );
  await database.query(`DROP PUBLICATION pub_${database.name}`);
});

test.each(['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'])(
  'cdc-postgres 11: sslmode=%s against a server without TLS',
  async (mode) => {
    const [{ ssl } = { ssl: 'off' }] = await database.query('SHOW ssl');
    const found = await problems({
      sslmode: mode,
      'database.sslrootcert': '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----',
    });
    if (ssl === 'on' || ['disable', 'allow', 'prefer'].includes(mode)) return;
    expect(found['database.hostname']).toContain('The server does not support SSL.');
  },
);
