/** More connections than a listener has room for, from one client and from several. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect as connectTls } from 'node:tls';
import { RestMetrics } from '../../../src/metrics/rest-metrics';
import { ConnectionLimit } from '../../../src/rest/http/connection-limit';
import type { HttpsOptions } from '../../../src/rest/http/https';
import { ListenerServer } from '../../../src/rest/http/listener-server';
import { RareWarnings } from '../../../src/rest/http/rare-warnings';
import { waitFor } from '../../helpers/wait-for';
import { makeIdentity } from '../../kafka/certificates';

const MAX = 8;
const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
let server: ListenerServer;
let port: number;
let metrics: RestMetrics;
let warnings: string[];
let waiting: ServerResponse[];
let opened: Socket[];

async function serve(https: HttpsOptions | null = null): Promise<void> {
  metrics = new RestMetrics();
  warnings = [];
  waiting = [];
  opened = [];
  const app: RequestListener = ({ url }, response) => void (url === '/wait' ? waiting.push(response) : response.end());
  const limit = new ConnectionLimit(MAX, metrics, new RareWarnings((message) => warnings.push(message)));
  const protocol = https ? 'https' : 'http';
  server = new ListenerServer({ protocol, host: '127.0.0.1', port: 0 }, https, app, { limit });
  port = await server.open();
}
afterEach(async () => {
  for (const socket of opened) socket.destroy();
  await server.close();
});

/** The server has accepted it. */
async function open(localAddress = '127.0.0.1', first = ''): Promise<Socket> {
  const before = metrics.connections + metrics.dropped.idle + metrics.dropped.refused;
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  opened.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  if (first !== '') socket.write(first);
  await waitFor(
    'the connection to be accepted',
    () => metrics.connections + metrics.dropped.idle + metrics.dropped.refused > before,
  );
  return socket;
}

const answers = async (socket: Socket): Promise<boolean> => {
  const answered = Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)]);
  socket.write(GET);
  return await answered;
};

test('a client with half of the connections loses the one that has been idle for longest, and no other client does', async () => {
  await serve();
  const other = await open('127.0.0.2');
  const head = await open('127.0.0.1', 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ');
  const busy = await open('127.0.0.1', GET.replace('/', '/wait'));
  await waitFor('the request', () => waiting.length === 1);
  const idle = [await open(), await open()];
  expect(metrics.connections).toBe(5);
  const closed = once(head, 'close');
  const fifth = await open();
  await closed;
  expect(await answers(idle[0]!)).toBe(true);
  // It is the most recent one now.
  const second = once(idle[1]!, 'close');
  await open();
  await second;
  expect([metrics.connections, metrics.dropped]).toEqual([5, { idle: 2, refused: 0 }]);
  for (const socket of [other, idle[0]!, fifth]) expect(await answers(socket)).toBe(true);
  const answered = once(busy, 'data');
  waiting[0]!.end();
  await answered;
  expect(warnings).toEqual([
    'REST: 127.0.0.1 has half of rest.connections.max (8), its limit: for each new connection the one that has been idle for longest is closed, or the new one while none is idle',
  ]);
});

test('a client whose connections all have requests in progress gets no more, and other clients do', async () => {
  await serve();
  for (let i = 0; i < MAX / 2; i++) await open('127.0.0.1', GET.replace('/', '/wait'));
  await waitFor('the requests', () => waiting.length === MAX / 2);
  const refused = await open();
  if (!refused.closed) await once(refused, 'close');
  expect(metrics.dropped).toEqual({ idle: 0, refused: 1 });
  expect(await answers(await open('127.0.0.2'))).toBe(true);
  const freed = once(opened[0]!, 'data');
  waiting[0]!.end();
  await freed;
  expect(await answers(await open())).toBe(true);
});

test('when all are in use, a new client gets the place of the client with most', async () => {
  await serve();
  const [first] = [await open('127.0.0.3'), await open('127.0.0.3')];
  const many = [];
  for (let i = 0; i < 4; i++) many.push(await open('127.0.0.4'));
  await open('127.0.0.5');
  await open('127.0.0.5');
  const closed = once(many[0]!, 'close');
  expect(await answers(await open('127.0.0.6'))).toBe(true);
  await closed;
  expect(await answers(first!)).toBe(true);
  expect([metrics.connections, metrics.dropped.idle]).toEqual([MAX, 1]);
});

test('over TLS, connections without a handshake count, and are closed first', async () => {
  const { key, cert } = makeIdentity('worker', null, '127.0.0.1');
  await serve({ server: { key, cert }, rejectUntrusted: false });
  const secure = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false });
  opened.push(secure);
  await once(secure, 'secureConnect');
  const raw = [];
  for (let i = 0; i < 3; i++) raw.push(await open());
  expect(await answers(secure)).toBe(true);
  const closed = once(raw[0]!, 'close');
  await open();
  await closed;
  expect(await answers(secure)).toBe(true);
  expect(metrics.connections).toBe(MAX / 2);
  for (const socket of opened) socket.destroy();
  await waitFor('all to be closed', () => metrics.connections === 0);
});
