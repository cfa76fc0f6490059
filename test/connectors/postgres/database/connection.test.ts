/** What of the worker's own files and variables a connection takes: nothing. The server asks for the password. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionConfig } from '../../../../connectors/postgres/src/config/postgres-config';
import { openConnection } from '../../../../connectors/postgres/src/database/connection';
import { tlsAttempts } from '../../../../connectors/postgres/src/database/tls';

/** AuthenticationCleartextPassword. */
const ASKS = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);
let server: Server;
/** Parameters of the startup packet, and the password. */
let started: string[];
let sent: string[];
let home: string;
const OF_THE_WORKER: Readonly<Record<string, string>> = {
  PGUSER: 'user-of-the-worker',
  PGPASSWORD: 'password-of-the-worker',
  PGDATABASE: 'database-of-the-worker',
  PGHOST: '192.0.2.1',
  PGPORT: '1',
  PGOPTIONS: '-c role=worker',
  PGAPPNAME: 'name-of-the-worker',
  PGSSLMODE: 'require',
  PGSSLNEGOTIATION: 'direct',
  PGREPLICATION: 'database',
  PGCLIENT_ENCODING: 'LATIN1',
};
const before = { ...process.env };

beforeEach(async () => {
  sent = [];
  started = [];
  home = mkdtempSync(join(tmpdir(), 'millrace-home-'));
  mkdirSync(join(home, '.postgresql'));
  for (const name of ['root.crt', 'postgresql.crt', 'postgresql.pk8'])
    writeFileSync(join(home, '.postgresql', name), `-----BEGIN ${name}`);
  writeFileSync(join(home, '.pgpass'), '*:*:*:*:password-of-the-worker', { mode: 0o600 });
  Object.assign(process.env, { ...OF_THE_WORKER, HOME: home });
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (startup) => {
      started = startup.toString('latin1', 8).split('\0').slice(0, -2);
      socket.write(ASKS);
      socket.once('data', (bytes) => {
        sent.push(bytes.toString('latin1', 5));
        socket.end();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  for (const name of [...Object.keys(OF_THE_WORKER), 'HOME'])
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  rmSync(home, { recursive: true, force: true });
  await new Promise((resolve) => server.close(resolve));
});

const connection = (config: Partial<ConnectionConfig> = {}): ConnectionConfig => ({
  host: '127.0.0.1',
  port: (server.address() as AddressInfo).port,
  user: 'u',
  password: 'p',
  database: 'd',
  keepAlive: false,
  sslMode: 'disable',
  sslRootCert: null,
  sslCert: null,
  sslKey: null,
  sslPassword: null,
  validationTimeoutMs: 10_000,
  connectTimeoutMs: 10_000,
  socketTimeoutMs: 0,
  queryTimeoutMs: 0,
  initialStatements: [],
  ...config,
});

test.each([
  ['', '\0'],
  ['of-the-config', 'of-the-config\0'],
])('with the password "%s" of the config, the server does not receive PGPASSWORD', async (password, expected) => {
  await expect(openConnection(connection({ password }), 'Validate Connection')).rejects.toThrow(
    /Cannot connect to PostgreSQL/,
  );
  expect(sent).toEqual([expected]);
});

test("the server does not receive other settings of the worker's variables", async () => {
  await expect(openConnection(connection(), 'General')).rejects.toThrow(/Cannot connect to PostgreSQL/);
  const { options, ...others } = Object.fromEntries(
    started.flatMap((name, at) => (at % 2 === 0 ? [[name, started[at + 1]]] : [])),
  ) as Record<string, string>;
  expect(others).toEqual({ user: 'u', database: 'd', application_name: 'Millrace General', client_encoding: 'UTF8' });
  expect(options).not.toContain('role');
});

test.each(['allow', 'prefer', 'require'] as const)('sslmode=%s takes no files of ~/.postgresql', async (sslMode) => {
  const [encrypted] = (await tlsAttempts(connection({ sslMode }))).filter((attempt) => attempt !== false);
  expect(encrypted).toEqual({ minVersion: 'TLSv1.2', rejectUnauthorized: false });
});

test.each([
  [{ sslMode: 'verify-ca' }, 'database.sslmode=verify-ca needs database.sslrootcert'],
  [{ sslMode: 'verify-full' }, 'database.sslmode=verify-full needs database.sslrootcert'],
  [{ sslMode: 'require', sslCert: '-----BEGIN' }, 'database.sslcert needs database.sslkey'],
] as const)('without a file that %j needs, the default one is not taken', async (config, message) => {
  await expect(tlsAttempts(connection(config))).rejects.toThrow(message);
});
