/** A connection against a server that asks for the password in the clear. */
import { createServer, type AddressInfo, type Server } from 'node:net';
import type { ConnectionConfig } from '../../../../connectors/postgres/src/config/postgres-config';
import { openConnection } from '../../../../connectors/postgres/src/database/connection';

/** AuthenticationCleartextPassword. */
const ASKS = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);
let server: Server;
let sent: string[];
const before = process.env.PGPASSWORD;

beforeEach(async () => {
  sent = [];
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(ASKS);
      socket.once('data', (bytes) => {
        sent.push(bytes.toString('latin1', 5));
        socket.end();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.env.PGPASSWORD = 'password-of-the-worker';
});
afterEach(async () => {
  if (before === undefined) delete process.env.PGPASSWORD;
  else process.env.PGPASSWORD = before;
  await new Promise((resolve) => server.close(resolve));
});

test.each([
  ['', '\0'],
  ['of-the-config', 'of-the-config\0'],
])('with the password "%s" of the config, the server does not receive PGPASSWORD', async (password, expected) => {
  const config = {
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    user: 'u',
    password,
    database: 'd',
    keepAlive: false,
    sslMode: 'disable',
    validationTimeoutMs: 10_000,
    connectTimeoutMs: 10_000,
    socketTimeoutMs: 0,
    initialStatements: [],
  } as unknown as ConnectionConfig;
  await expect(openConnection(config, 'Validate Connection')).rejects.toThrow(/Cannot connect to PostgreSQL/);
  expect(sent).toEqual([expected]);
});
