import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { connect as connectTls, createServer as createTlsServer } from 'node:tls';
import { setImmediate as turn } from 'node:timers/promises';
import { SocketReads } from '../../../../connectors/postgres/src/database/socket-reads';
import { makeIdentity } from '../../../kafka/certificates';

let server: Server;
let peer: Socket;
let socket: Socket;
let received: string;

async function open(tls: boolean): Promise<SocketReads> {
  if (tls) {
    const { key, cert } = makeIdentity('localhost', null);
    server = createTlsServer({ key, cert });
  } else server = createServer();
  const accepted = once(server, tls ? 'secureConnection' : 'connection');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const tcp = connect((server.address() as AddressInfo).port, '127.0.0.1');
  // As pg does: TLS begins on a socket that is connected.
  await once(tcp, 'connect');
  socket = tls ? connectTls({ socket: tcp, rejectUnauthorized: false }) : tcp;
  [peer] = (await accepted) as [Socket];
  received = '';
  return new SocketReads(socket);
}
afterEach(() => {
  socket.destroy();
  server.close();
});

const send = async (text: string): Promise<void> =>
  await new Promise((resolve, reject) => peer.write(text, (error) => (error ? reject(error) : resolve())));

/** Resolves when `text` has arrived; calls `act` in the listener that receives its end. */
async function arrival(text: string, act?: () => void): Promise<void> {
  await new Promise<void>((resolve) => {
    const take = (chunk: Buffer): void => {
      received += chunk.toString();
      if (!received.endsWith(text)) return;
      socket.off('data', take);
      act?.();
      resolve();
    };
    socket.on('data', take);
  });
}

test.each([false, true])('bytes collect while reads are held, and arrive after it: TLS %s', async (tls) => {
  const reads = await open(tls);
  const held: boolean[] = [];
  const first = arrival('one', () => held.push(reads.hold(), reads.hold()));
  await send('one');
  await first;
  expect(held).toEqual([true, false]);
  const { bytesRead } = socket;
  const second = arrival('three');
  await send('two');
  await send('three');
  for (let turns = 0; turns < 20; turns++) await turn();
  expect([received, socket.bytesRead]).toEqual(['one', bytesRead]);
  reads.release();
  await second;
  expect(received).toBe('onetwothree');
});

test('a socket that was paused meanwhile stays paused, and reads on when it is resumed', async () => {
  const reads = await open(false);
  const first = arrival('one', () => reads.hold());
  await send('one');
  await first;
  socket.pause();
  reads.release();
  const rest = arrival('end');
  // More than the buffer of the stream, so that Node stops reading, too.
  await send('x'.repeat(1 << 20));
  peer.write('end');
  while (socket.readableLength < socket.readableHighWaterMark) await turn();
  expect(reads.hold()).toBe(false);
  reads.release();
  socket.resume();
  await rest;
  expect(received).toHaveLength((1 << 20) + 6);
});

test('a socket that was closed meanwhile is left alone', async () => {
  const reads = await open(false);
  const first = arrival('one', () => reads.hold());
  await send('one');
  await first;
  socket.destroy();
  reads.release();
  expect(reads.hold()).toBe(false);
});
