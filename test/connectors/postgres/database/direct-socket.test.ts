import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { directSocket, readDirectly } from '../../../../connectors/postgres/src/database/direct-socket';

let server: Server;
let peer: Socket;
let socket: Socket;

beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const accepted = once(server, 'connection');
  socket = directSocket();
  socket.connect((server.address() as AddressInfo).port, '127.0.0.1');
  [peer] = (await accepted) as [Socket];
});
afterEach(() => {
  socket.destroy();
  peer.destroy();
  server.close();
});

/** A reader with little room, so that most of it is used again. */
class Reader {
  readonly memory = Buffer.alloc(1000);
  text = '';
  private change: () => void = () => undefined;
  room(): Uint8Array {
    return this.memory.subarray(10);
  }
  received(size: number): void {
    this.text += this.memory.toString('latin1', 10, 10 + size);
    this.change();
  }
  async has(text: string): Promise<void> {
    while (!this.text.endsWith(text)) await new Promise<void>((resolve) => (this.change = resolve));
  }
}

test('bytes are emitted in memory of their own until there is a reader, which then gets each byte once', async () => {
  const emitted: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => emitted.push(chunk));
  const reader = new Reader();
  for (const text of ['one', 'two']) {
    const arrived = once(socket, 'data');
    peer.write(text);
    await arrived;
  }
  expect(emitted.map(String)).toEqual(['one', 'two']);
  readDirectly(socket, reader);
  // What the kernel had room for before the reader came is emitted once more.
  const before = once(socket, 'data');
  peer.write('three');
  await before;
  const body = Array.from({ length: 5000 }, (_, i) => i).join();
  peer.write(body);
  await reader.has('4999');
  expect(emitted.map(String)).toEqual(['one', 'two', 'three']);
  expect(reader.text).toBe(body);
});

test('a paused socket reads on where it was resumed, and its end is emitted', async () => {
  socket.on('data', () => undefined);
  const reader = new Reader();
  readDirectly(socket, reader);
  const first = once(socket, 'data');
  peer.write('-');
  await first;
  const { received } = reader;
  reader.received = (size) => {
    received.call(reader, size);
    socket.pause();
    setImmediate(() => socket.resume());
  };
  const body = 'x'.repeat(5000) + 'y';
  const ended = once(socket, 'end');
  peer.end(body);
  await reader.has('y');
  await ended;
  expect(reader.text).toBe(body);
});

test('sockets of other kinds are left as they are', () => {
  readDirectly(peer, new Reader());
  expect(peer.listenerCount('data')).toBe(0);
});
