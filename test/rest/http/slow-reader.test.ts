/** Clients that do not read what they asked for. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { ServerResponse } from 'node:http';
import { connect as connectTls } from 'node:tls';
import { ListenerServer } from '../../../src/rest/http/listener-server';
import { sendBody } from '../../../src/rest/http/send-body';
import { makeIdentity } from '../../kafka/certificates';

/** More than the buffers of two sockets hold. */
const BYTES = 32 * 1024 * 1024;
const STALL_MS = 300;

let server: ListenerServer;
let port: number;
let answered: ServerResponse[];

beforeEach(async () => {
  answered = [];
  const listener = { protocol: 'http', host: '127.0.0.1', port: 0 } as const;
  const body = Buffer.alloc(BYTES);
  server = new ListenerServer(
    listener,
    null,
    (_request, response) => {
      answered.push(response);
      response.setHeader('Content-Length', BYTES);
      response.end(body);
    },
    { readStallMs: STALL_MS },
  );
  port = await server.open();
});
afterEach(() => server.close());

async function ask(): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  return socket;
}

test('connect-rest §0.4: the connection of a client that reads nothing of a response is closed', async () => {
  const socket = await ask();
  socket.pause();
  while (answered[0] === undefined) await new Promise(setImmediate);
  await once(answered[0], 'close');
  let got = 0;
  socket.on('data', ({ length }: Buffer) => (got += length));
  socket.resume();
  await once(socket, 'close');
  expect(got).toBeLessThan(BYTES);
});

test('a client that reads slowly gets all, and keeps its connection', async () => {
  const socket = await ask();
  const began = Date.now();
  for (let left = BYTES; left > 0;) {
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    left -= chunk.length;
    // In all for longer than the limit.
    if (Date.now() - began < 2 * STALL_MS) {
      socket.pause();
      await new Promise((resolve) => setTimeout(resolve, 10));
      socket.resume();
    }
  }
  await new Promise((resolve) => setTimeout(resolve, 2 * STALL_MS));
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(socket, 'data');
  expect(answered).toHaveLength(2);
  socket.destroy();
});

test('over TLS, too, a client that reads slowly gets all, and one that reads nothing is closed', async () => {
  const { key, cert } = makeIdentity('worker', null, '127.0.0.1');
  const tls = new ListenerServer(
    { protocol: 'https', host: '127.0.0.1', port: 0 },
    { server: { key, cert }, rejectUntrusted: false },
    (_request, response) => {
      answered.push(response);
      response.setHeader('Content-Length', BYTES);
      sendBody(response, Buffer.alloc(BYTES));
    },
    { readStallMs: 2 * STALL_MS },
  );
  const tlsPort = await tls.open();
  const askTls = async (): Promise<Socket> => {
    const socket = connectTls(tlsPort, '127.0.0.1', { rejectUnauthorized: false });
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect');
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    return socket;
  };
  const slow = await askTls();
  const began = Date.now();
  let isClosed = false;
  slow.once('close', () => (isClosed = true));
  let got = 0;
  slow.on('data', ({ length }: Buffer) => {
    got += length;
    if (Date.now() - began > 6 * STALL_MS) return;
    slow.pause();
    setTimeout(() => slow.resume(), 2);
  });
  while (got < BYTES && !isClosed) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(got).toBeGreaterThanOrEqual(BYTES);
  slow.destroy();

  const idle = await askTls();
  idle.pause();
  while (answered[1] === undefined) await new Promise(setImmediate);
  await once(answered[1], 'close');
  idle.destroy();
  await tls.close();
});
