/** A server that poses as PostgreSQL: it can fail a task, and nothing else of the worker. */
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { TestDatabase } from '../helpers/test-database';
import { uniqueName } from '../helpers/unique-name';
import { ServerProxy } from '../integration/postgres/server-proxy';

let database: TestDatabase;
let worker: StartedWorker;
let server: Server;
const sockets = new Set<Socket>();
/** What the server does with a connection whose client has asked for a session. */
let attack: (socket: Socket) => void;

beforeAll(async () => {
  database = await TestDatabase.create('CREATE TABLE notes (id int PRIMARY KEY)');
  server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
    socket.once('data', () => attack(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  worker = await startWorker({ group: uniqueName('postgres-server') });
  await worker.ready();
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  await worker.stop();
  await database.drop();
});

/** As fast as the client reads it. */
function sendForever(socket: Socket, head: Buffer): void {
  const body = Buffer.alloc(1024 * 1024, 'x');
  const send = (): void => {
    while (!socket.destroyed && socket.write(body));
  };
  socket.write(head);
  socket.on('drain', send);
  send();
}

const head = (type: string): Buffer => Buffer.from(`${type}\x7f\xff\xff\xf0`, 'latin1');
const ATTACKS: readonly (readonly [string, string, (socket: Socket) => void])[] = [
  ['an error without end', 'PG_SERVER_MESSAGE', (socket) => sendForever(socket, head('E'))],
  ['a notice without end', 'PG_SERVER_MESSAGE', (socket) => sendForever(socket, head('N'))],
  ['an error whose text has no end', 'PG_SERVER_MESSAGE', (socket) => socket.write('E\0\0\0\x0aSFATAL')],
  ['SCRAM with countless iterations', 'PG_SCRAM_ITERATIONS', scram],
];

/** AuthenticationSASL, then AuthenticationSASLContinue. */
function scram(socket: Socket): void {
  socket.write(authentication(10, 'SCRAM-SHA-256\0\0'));
  socket.once('data', (first) => {
    const nonce = /r=([^,]*)/.exec(first.toString('latin1'))?.[1];
    socket.write(authentication(11, `r=${nonce}x,s=${Buffer.alloc(16).toString('base64')},i=2147483647`));
  });
}

function authentication(kind: number, data: string): Buffer {
  const head = Buffer.alloc(9);
  head.write('R');
  head.writeInt32BE(8 + data.length, 1);
  head.writeInt32BE(kind, 5);
  return Buffer.concat([head, Buffer.from(data)]);
}

test.each(ATTACKS)('%s: validation reports it, and the task fails with %s', async (_, code, act) => {
  attack = act;
  const name = uniqueName('hostile');
  const proxy = await ServerProxy.to(database.url);
  const config = {
    'connector.class': 'PostgresConnector',
    ...database.sourceConfig({ 'slot.name': name.replaceAll('-', '_'), 'database.sslmode': 'disable' }),
    ...proxy.address,
  };
  try {
    await worker.register({ name, config });
    await worker.running(name);

    proxy.target = `postgres://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const answer = await worker.request('PUT', '/connector-plugins/PostgresConnector/config/validate', {
      name,
      ...config,
    });
    expect(JSON.stringify(answer.json)).toMatch(
      /Error while validating connector config: (The server at 127\.0\.0\.1|Cannot connect .* SCRAM)/,
    );
    proxy.cut();
    const { tasks } = await worker.statusWhen(name, ({ tasks: [task] }) => task?.state === 'FAILED');
    expect(tasks[0]?.trace).toContain(code);
  } finally {
    proxy.target = database.url;
    await worker.request('DELETE', `/connectors/${name}`);
    await proxy.close();
  }
});

test('afterwards, SIGTERM ends the worker', async () => {
  expect(await worker.stop()).toBe(0);
});
