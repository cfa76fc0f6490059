/** Clients that do not read what they asked for. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { ServerResponse } from 'node:http';
import { connect as connectTls } from 'node:tls';
import type { HttpsOptions } from '../../../src/rest/http/https';
import { ListenerServer } from '../../../src/rest/http/listener-server';
import { sendBody } from '../../../src/rest/http/send-body';
import { waitFor } from '../../helpers/wait-for';
import { makeIdentity } from '../../kafka/certificates';

/** More than the buffers of two sockets hold. */
const BYTES = 32 * 1024 * 1024;
/** The limit of a client that reads nothing. */
const STALL_MS = 300;
/** The limit of a client that reads slowly: far longer than its pauses, also on a machine that delays it. */
const SLOW_STALL_MS = 1_000;
const PAUSE_MS = 75;
/** In all, the pauses are longer than the limit. */
const PAUSES = 32;

let server: ListenerServer | undefined;
let port: number;
let answered: ServerResponse[];

beforeEach(() => (answered = []));
afterEach(async () => await server?.close());

async function serve(readStallMs: number, bytes = BYTES, https: HttpsOptions | null = null): Promise<void> {
  server = new ListenerServer(
    { protocol: https === null ? 'http' : 'https', host: '127.0.0.1', port: 0 },
    https,
    (_request, response) => {
      answered.push(response);
      response.setHeader('Content-Length', bytes);
      sendBody(response, Buffer.alloc(bytes));
    },
    { readStallMs },
  );
  port = await server.open();
}

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';

async function ask(isTls = false): Promise<Socket> {
  const socket = isTls ? connectTls(port, '127.0.0.1', { rejectUnauthorized: false }) : connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, isTls ? 'secureConnect' : 'connect');
  socket.write(GET);
  return socket;
}

/** Resolves to how many bytes have come when the response is complete or the connection is closed. */
async function readSlowly(socket: Socket): Promise<number> {
  let got = 0;
  let sincePause = 0;
  return await new Promise((resolve) => {
    socket.once('close', () => resolve(got));
    socket.on('data', ({ length }: Buffer) => {
      got += length;
      if (got >= BYTES) return resolve(got);
      if ((sincePause += length) < BYTES / PAUSES) return;
      sincePause = 0;
      socket.pause();
      setTimeout(() => socket.resume(), PAUSE_MS);
    });
  });
}

async function readsNothing(socket: Socket): Promise<void> {
  socket.pause();
  const response = await waitFor('the request', () => answered[0]);
  if (!response.closed) await once(response, 'close');
}

test('connect-rest §0.4: the connection of a client that reads nothing of a response is closed', async () => {
  await serve(STALL_MS);
  const socket = await ask();
  await readsNothing(socket);
  let got = 0;
  socket.on('data', ({ length }: Buffer) => (got += length));
  socket.resume();
  await once(socket, 'close');
  expect(got).toBeLessThan(BYTES);
});

test('a client that reads slowly gets all, and keeps its connection', async () => {
  await serve(SLOW_STALL_MS);
  const socket = await ask();
  expect(await readSlowly(socket)).toBeGreaterThanOrEqual(BYTES);
  socket.write(GET);
  await waitFor('the next request', () => answered.length === 2);
  socket.destroy();
});

test('the limit ends with the response: an idle connection stays open for longer', async () => {
  await serve(STALL_MS, 1);
  const socket = await ask();
  await once(socket, 'data');
  await new Promise((resolve) => setTimeout(resolve, 2 * STALL_MS));
  socket.write(GET);
  await waitFor('the next request', () => answered.length === 2);
  socket.destroy();
});

describe('over TLS, too', () => {
  const { key, cert } = makeIdentity('worker', null, '127.0.0.1');
  const https = { server: { key, cert }, rejectUntrusted: false };

  test('a client that reads slowly gets all', async () => {
    await serve(SLOW_STALL_MS, BYTES, https);
    const socket = await ask(true);
    expect(await readSlowly(socket)).toBeGreaterThanOrEqual(BYTES);
    socket.destroy();
  });

  test('the connection of a client that reads nothing is closed', async () => {
    await serve(STALL_MS, BYTES, https);
    const socket = await ask(true);
    await readsNothing(socket);
    socket.destroy();
  });
});
