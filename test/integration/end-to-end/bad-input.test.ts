/** The answer to each invalid input: a clear error, and nothing partially created. */
import { Client } from 'pg';
import { freePort } from '../../../dev/services/free-port';
import { startPostgres, type RunningPostgres } from '../../../dev/services/postgres';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { TestDatabase } from '../../helpers/test-database';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

let worker: StartedWorker;
let database: TestDatabase;

const sourceConfig = (overrides: Record<string, string> = {}): Record<string, string> =>
  database.sourceConfig({ 'table.whitelist': 'public.todos', ...overrides });

beforeAll(async () => {
  database = await TestDatabase.create('CREATE TABLE todos (id int PRIMARY KEY, title text)');
  worker = await startWorker({ group: uniqueName('bad'), env: { MILLRACE_LOG_LEVEL: 'debug' } });
  await worker.ready();
});

afterAll(async () => {
  await worker?.stop();
  await database?.drop();
});

/** Nothing in Connect and nothing in the database. */
async function expectNothingCreated(name: string): Promise<void> {
  expect((await worker.request('GET', '/connectors')).json).not.toContain(name);
  expect(await database.slots()).toEqual([]);
  expect(await database.query('SELECT pubname FROM pg_publication')).toEqual([]);
}

async function refused(config: Record<string, string>, path = '/connectors'): Promise<string> {
  const name = uniqueName('refused');
  const answer = await worker.request('POST', path, { name, config });
  expect([answer.status, answer.json.error_code]).toEqual([400, 400]);
  await expectNothingCreated(name);
  return answer.json.message as string;
}

test('connect-rest 41: malformed JSON', async () => {
  const answer = await worker.request('POST', '/connectors', '{"name":"a"');
  expect(answer.status).toBe(500);
  expect(answer.json.message).toMatch(/^Unexpected end-of-input/);
});

test('connect-rest 35: unknown class, with the installed classes', async () => {
  const message = await refused({ 'connector.class': 'NoSuch' });
  expect(message).toMatch(
    /^Failed to find any class that implements Connector and which name matches NoSuch, available connectors are: /,
  );
  expect(message).toContain('io.debezium.connector.postgresql.PostgresConnector');
});

test('connect-rest 36: all missing keys are named', async () => {
  const message = await refused({ 'connector.class': 'PostgresConnector' });
  for (const key of ['database.hostname', 'database.user', 'database.dbname']) expect(message).toContain(key);
});

test('connect-rest 33: a name that exists already', async () => {
  const config = {
    ...sourceConfig({ 'slot.name': `slot_taken_${database.name}`.slice(0, 60) }),
    name: 'taken',
  };
  const document = { name: 'taken', config };
  await worker.register(document);
  const second = await worker.request('POST', '/connectors', document);
  expect([second.status, second.json]).toEqual([409, { error_code: 409, message: 'Connector taken already exists' }]);
  await worker.running('taken');
  expect((await worker.request('DELETE', '/connectors/taken')).status).toBe(204);
  // The answer does not wait for the task to end.
  await database.slotsLetGo();
  await database.dropSlots();
  await database.query(`DROP PUBLICATION pub_${database.name}`);
});

test('connect-rest 30: two different names in one document', async () => {
  const answer = await worker.request('POST', '/connectors', {
    name: 'a',
    config: { ...sourceConfig(), name: 'b' },
  });
  expect(answer.json).toEqual({
    error_code: 400,
    message: "Connector name configuration (b) doesn't match connector name in the URL (a)",
  });
});

test('cdc-postgres 5: unreachable database', async () => {
  const message = await refused(sourceConfig({ 'database.port': String(await freePort()) }));
  expect(message).toMatch(/Error while validating connector config: .*ECONNREFUSED/);
  expect(message).toContain('database.hostname');
});

test('cdc-postgres 5: wrong password; the password is not repeated', async () => {
  const path = '/connectors?wrong-password';
  const message = await refused(sourceConfig({ 'database.password': 'not-the-password' }), path);
  expect(message).toMatch(/password authentication failed for user/);
  expect(message).not.toContain('not-the-password');
  // The last log line of a request.
  await waitFor('the request to be logged', () => worker.process.log().includes(`POST ${path} 400`));
  expect(worker.process.log()).not.toContain('not-the-password');
});

test('cdc-postgres 5: unknown database', async () => {
  const message = await refused(sourceConfig({ 'database.dbname': 'no_such_database' }));
  expect(message).toMatch(/database "no_such_database" does not exist/);
});

test('a table that does not exist, of which only a snapshot is wanted', async () => {
  const message = await refused(
    sourceConfig({ 'snapshot.mode': 'initial_only', 'table.whitelist': 'public.no_such_table' }),
  );
  expect(message).toMatch(/no_such_table/);
});

describe('a server without wal_level=logical', () => {
  let server: RunningPostgres;
  beforeAll(async () => {
    server = await startPostgres({ walLevel: 'replica' });
  });
  afterAll(async () => {
    await server?.stop();
  });

  test('cdc-postgres 9: the message names wal_level and the statement that sets it', async () => {
    const url = new URL(server.url);
    const client = new Client({ connectionString: server.url });
    await client.connect();
    await client.query('CREATE TABLE todos (id int PRIMARY KEY, title text)');
    const message = await refused(
      sourceConfig({
        'database.hostname': url.hostname,
        'database.port': url.port,
        'database.user': decodeURIComponent(url.username),
        'database.password': decodeURIComponent(url.password),
        'database.dbname': url.pathname.slice(1),
      }),
    );
    expect(message).toMatch(/wal_level.*logical/);
    expect(message).toMatch(/ALTER SYSTEM SET wal_level/);
    expect((await client.query('SELECT slot_name FROM pg_replication_slots')).rows).toEqual([]);
    await client.end();
  });
});

test('cdc-postgres 113: a database that fails after registration: FAILED, and the trace starts with the reason', async () => {
  const role = uniqueName('role');
  await database.query(`CREATE ROLE ${role} LOGIN REPLICATION SUPERUSER PASSWORD 'first'`);
  const name = uniqueName('locked_out');
  const config = sourceConfig({ 'database.user': role, 'database.password': 'first' });
  await worker.register({ name, config });
  await worker.running(name);
  await database.query(`ALTER ROLE ${role} PASSWORD 'second'`);
  expect((await worker.request('POST', `/connectors/${name}/restart?includeTasks=true`)).status).toBe(202);
  const status = await worker.statusWhen(name, (s) => s.tasks.some((task) => task.state === 'FAILED'));
  expect(status.tasks[0]?.trace?.split('\n')[0]).toMatch(/password authentication failed/);
  expect((await worker.request('DELETE', `/connectors/${name}`)).status).toBe(204);
});
