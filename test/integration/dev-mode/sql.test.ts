/** `millrace dev --sql` with statements that do not end, and servers that do not answer. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { freePort } from '../../../dev/services/free-port';
import { startPostgres, type RunningPostgres } from '../../../dev/services/postgres';
import { runCli } from '../../../src/cli/cli';
import { FakeIo } from '../../cli/fake-io';
import { waitFor } from '../../helpers/wait-for';
import { millrace } from './dev-process';

let postgres: RunningPostgres;
let admin: Client;
let folder: string;
beforeAll(async () => {
  // A server of its own, because it is frozen.
  postgres = await startPostgres();
  admin = new Client(postgres.url);
  await admin.connect();
  await admin.query('CREATE TABLE todos (description text)');
});
afterAll(async () => {
  await admin?.end();
  await postgres?.stop();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-sql-'));
  serverFile(Number(new URL(postgres.url).port));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What `millrace dev --seed` leaves in its data folder. */
function serverFile(port: number): void {
  mkdirSync(join(folder, 'postgres'), { recursive: true });
  writeFileSync(join(folder, 'postgres', 'server.json'), JSON.stringify({ port, password: 'postgres' }));
}
const args = (statement: string, ...more: string[]) => ['dev', '--data-dir', folder, '--sql', statement, ...more];

async function sql(statement: string, ...more: string[]): Promise<{ code: number; out: string; err: string }> {
  const io = new FakeIo(folder, { HOME: folder });
  const code = await runCli(args(statement, ...more), io);
  return { code, out: io.out, err: io.err };
}

/** Process ids of the backends that run a statement with this text. */
async function running(text: string): Promise<number[]> {
  const query = `SELECT pid FROM pg_stat_activity WHERE state = 'active' AND application_name = 'millrace dev' AND query LIKE $1`;
  const { rows } = await admin.query<{ pid: number }>(query, [`%${text}%`]);
  return rows.map(({ pid }) => pid);
}
const isRunning = async (text: string) =>
  await waitFor(`the statement ${text} to run`, async () => (await running(text))[0]);
const hasEnded = async (text: string) =>
  await waitFor(`the statement ${text} to end`, async () => (await running(text)).length === 0);

test('a statement that does not end is canceled after --timeout, with exit code 3', async () => {
  expect(await sql('SELECT pg_sleep(1e9)', '--timeout', '1')).toEqual({
    code: 3,
    out: '',
    err: 'millrace: The statement did not finish within 1 s, and PostgreSQL has canceled it: end what it waits for, or raise --timeout. (DEV_SQL_TIMEOUT)\n',
  });
  await hasEnded('pg_sleep');
});

test('a row that waits for a lock until the deadline is not inserted later', async () => {
  await admin.query('BEGIN; LOCK TABLE todos');
  try {
    expect((await sql(`INSERT INTO todos VALUES ('late')`, '--timeout', '1')).code).toBe(3);
  } finally {
    await admin.query('COMMIT');
  }
  await hasEnded('late');
  expect((await admin.query('SELECT * FROM todos')).rows).toEqual([]);
  expect(await sql(`INSERT INTO todos VALUES ('in time') RETURNING *`)).toEqual({
    code: 0,
    out: '{"description":"in time"}\n',
    err: 'INSERT 1\n',
  });
});

test('Ctrl-C cancels the statement, with exit code 130', async () => {
  const command = millrace(args('SELECT pg_sleep(1e9 + 1)'));
  try {
    await isRunning('1e9 + 1');
    process.kill(command.pid, 'SIGINT');
    expect(await command.exited()).toBe(130);
    expect(command.process.log()).toBe('millrace: PostgreSQL has canceled the statement.\n');
    expect(await running('1e9 + 1')).toEqual([]);
  } finally {
    await command.stop();
  }
});

test('a server that is frozen during the statement: the command ends, and the server cancels it when it continues', async () => {
  const { rows } = await admin.query<{ file: string }>(`SELECT pg_read_file('postmaster.pid') AS file`);
  const io = new FakeIo(folder, { HOME: folder });
  const done = runCli(args(`INSERT INTO todos SELECT 'frozen' FROM pg_sleep(1e9 + 2)`, '--timeout', '5'), io);
  const pids = [Number.parseInt(rows[0]!.file, 10), await isRunning('1e9 + 2')];
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  try {
    expect(await done).toBe(3);
    expect(io.err).toBe(
      `millrace: The database in ${join(folder, 'postgres')} does not respond, and may still carry out the statement: restart millrace dev --seed. (DEV_SQL_TIMEOUT)\n`,
    );
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  }
  await hasEnded('1e9 + 2');
  expect((await admin.query(`SELECT * FROM todos WHERE description = 'frozen'`)).rows).toEqual([]);
});

describe('a server that accepts connections and never answers', () => {
  let silent: Server;
  const sockets: Socket[] = [];
  beforeEach(async () => {
    silent = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    serverFile((silent.address() as AddressInfo).port);
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    silent.close();
  });

  test('ends the command at the deadline', async () => {
    expect(await sql('SELECT 1', '--timeout', '1')).toEqual({
      code: 3,
      out: '',
      err: `millrace: The database in ${join(folder, 'postgres')} does not respond: restart millrace dev --seed. (DEV_SQL_TIMEOUT)\n`,
    });
  });

  test('does not keep Ctrl-C waiting', async () => {
    const io = new FakeIo(folder, { HOME: folder });
    const done = runCli(args('SELECT 1'), io);
    await waitFor('the connection', () => sockets.length > 0);
    io.signal('SIGINT');
    expect(await done).toBe(130);
    expect(io.err).toBe('');
  });
});

test('a database that does not run: exit code 3', async () => {
  serverFile(await freePort());
  expect(await sql('SELECT 1')).toEqual({
    code: 3,
    out: '',
    err: `millrace: The database in ${join(folder, 'postgres')} is not running: start it with millrace dev --seed. (DEV_POSTGRES_ABSENT)\n`,
  });
});

test('a statement that PostgreSQL rejects: exit code 1', async () => {
  expect(await sql('SELEC 1')).toEqual({
    code: 1,
    out: '',
    err: 'millrace: PostgreSQL refused the statement: syntax error at or near "SELEC". (DEV_SQL_FAILED)\n',
  });
});

test('--timeout without --sql is refused', async () => {
  const io = new FakeIo(folder, { HOME: folder });
  expect(await runCli(['dev', '--timeout', '5'], io)).toBe(2);
  expect(io.err).toBe('millrace: --timeout limits the statement of --sql: pass both. (CLI_USAGE)\n');
});
