/** What a hostile server sends, at any moment of a connection. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import { Client } from 'pg';
import type { ConnectionConfig } from '../../../../connectors/postgres/src/config/postgres-config';
import { clientConfig, openConnection } from '../../../../connectors/postgres/src/database/connection';
import { MessageGuard } from '../../../../connectors/postgres/src/database/message-guard';

function message(type: string, body: string | Buffer = '', length?: number): Buffer {
  const bytes = Buffer.from(body);
  const head = Buffer.from(`${type}    `, 'latin1');
  head.writeUInt32BE(length ?? bytes.length + 4, 1);
  return Buffer.concat([head, bytes]);
}

const ENDLESS = 0x7ffffff0;
const AUTHENTICATED = message('R', '\0\0\0\0');
const READY = message('Z', 'I');
const ERROR = message('E', 'SFATAL\0C28000\0Mno\0\0');

const servers: Server[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

/** Sends `answers[n]` to the client's message n, and never ends a connection. */
async function serve(answers: readonly Buffer[]): Promise<{ config: ConnectionConfig; socket: Promise<Socket> }> {
  let opened: (socket: Socket) => void;
  const socket = new Promise<Socket>((resolve) => (opened = resolve));
  const server = createServer((connection) => {
    let received = 0;
    sockets.push(connection.on('error', () => undefined));
    connection.on('data', () => connection.write(answers[received++] ?? Buffer.alloc(0)));
    opened(connection);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const config = {
    ...{ host: '127.0.0.1', port: (server.address() as AddressInfo).port, user: 'u', password: 'p', database: 'd' },
    ...{ keepAlive: false, sslMode: 'disable', initialStatements: [] },
    ...{ validationTimeoutMs: 20_000, connectTimeoutMs: 20_000, socketTimeoutMs: 0 },
  } as unknown as ConnectionConfig;
  return { config, socket };
}

test.each([
  ['error', message('E', 'S', ENDLESS)],
  ['notice', message('N', 'S', ENDLESS)],
  ['request for authentication', message('R', '', ENDLESS)],
  ['reply of a server of another protocol', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ['message without a length', message('E', '', 0)],
  // The parser would look for the end of its text forever.
  ['error without an end', message('E', 'SFATAL')],
  ['message that ends before its content', message('K', 'x')],
  ['endless row of a session', Buffer.concat([AUTHENTICATED, READY, message('D', '', ENDLESS)])],
])('an endless or malformed message ends the connection: %s', async (_, answer) => {
  const { config, socket } = await serve([answer]);
  const refused = openConnection(config, 'Validate Connection');
  await expect(refused).rejects.toMatchObject({ code: 'PG_SERVER_MESSAGE', retriable: false });
  await expect(refused).rejects.toThrow(`The server at 127.0.0.1:${config.port} sent`);
  await finished(await socket).catch(() => undefined);
});

test('a connection is closed although the server keeps it open after its error', async () => {
  const { config, socket } = await serve([ERROR]);
  await expect(openConnection(config, 'General')).rejects.toMatchObject({ code: 'PG_AUTHENTICATION' });
  await finished(await socket).catch(() => undefined);
});

test('an endless answer to a query fails the query', async () => {
  const { config } = await serve([Buffer.concat([AUTHENTICATED, READY]), message('T', '\0', ENDLESS)]);
  const client = new Client(clientConfig(config, 'General', false));
  client.on('error', () => undefined);
  await client.connect();
  await expect(client.query('SELECT 1')).rejects.toMatchObject({ code: 'PG_SERVER_MESSAGE' });
});

describe('the guard', () => {
  const ROW_LIMIT = 1_000_000;
  const PARTS = [AUTHENTICATED, message('N', 'SINFO\0\0'), message('E', '\0'), READY, message('D', 'x'.repeat(70_000))];

  test('passes messages however the network splits them', () => {
    const bytes = Buffer.concat([...PARTS, message('d', 'x'.repeat(70_000)), message('N', 'Mtext\0\0'), READY]);
    for (const size of [1, 2, 3, 4, 5, 6, 7, 9, 11, 4096, bytes.length]) {
      const guard = new MessageGuard('h:1', ROW_LIMIT);
      for (let at = 0; at < bytes.length; at += size) guard.check(bytes.subarray(at, at + size));
    }
  });

  test.each([
    ['30001 bytes before the session is ready', [message('N', `${'x'.repeat(29_995)}\0\0`)]],
    ['an error whose end is in the next message', [message('E', 'Sx\0'), message('E', '\0')]],
    ['a long message that is not a row', [READY, message('S', '', 16 * 1024 * 1024 + 1)]],
    ['rows of one answer that are too many together', [READY, ...Array<Buffer>(15).fill(PARTS[4] as Buffer)]],
  ])('rejects %s', (_, messages) => {
    const bytes = Buffer.concat(messages);
    for (const size of [1, 5, 1000, bytes.length]) {
      const guard = new MessageGuard('h:1', ROW_LIMIT);
      expect(() => {
        for (let at = 0; at < bytes.length; at += size) guard.check(bytes.subarray(at, at + size));
      }).toThrow(expect.objectContaining({ code: 'PG_SERVER_MESSAGE' }));
    }
  });

  test('counts the rows of each answer anew', () => {
    const guard = new MessageGuard('h:1', ROW_LIMIT);
    guard.check(READY);
    for (let n = 0; n < 30; n++) guard.check(Buffer.concat([PARTS[4] as Buffer, READY]));
  });
});
