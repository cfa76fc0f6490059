import { EventEmitter, once } from 'node:events';
import type { Client } from 'pg';
import { MessageGuard } from '../../../../connectors/postgres/src/database/message-guard';
import { COPY_DATA, MessageTap } from '../../../../connectors/postgres/src/replication/message-tap';

class FakeSocket extends EventEmitter {
  paused = false;
  destroyed = false;
  error: Error | null = null;
  pause(): void {
    this.paused = true;
  }
  resume(): void {
    this.paused = false;
  }
  destroy(error: Error): void {
    this.destroyed = true;
    this.error = error;
  }
}

function message(type: string, body: string): Buffer {
  const buffer = Buffer.alloc(5 + Buffer.byteLength(body));
  buffer.write(type, 0);
  buffer.writeUInt32BE(buffer.length - 1, 1);
  buffer.write(body, 5);
  return buffer;
}

function open(
  limits = { maxMessages: 1000, maxBytes: 1_000_000 },
  reuses = false,
): {
  socket: FakeSocket;
  tap: MessageTap<string>;
  forwarded: string[];
} {
  const socket = new FakeSocket();
  const forwarded: string[] = [];
  socket.on('data', (chunk: Buffer) => forwarded.push(chunk.toString('latin1', 5)));
  const guard = new MessageGuard('host:1');
  // Before, it allows no long message.
  if (reuses) guard.check(message('Z', 'I'));
  const connection = { stream: socket, guard };
  const tap = new MessageTap<string>({ connection } as unknown as Client, COPY_DATA, limits, 'a', reuses);
  return { socket, tap, forwarded };
}

function drain(tap: MessageTap<string>): string[] {
  const out: string[] = [];
  while (tap.queue.peek()) {
    const { buffer, start, end } = tap.queue;
    out.push(buffer.toString('utf8', start, end));
    tap.queue.shift();
  }
  return out;
}

test('messages are whole and in order however the network splits them; others go to pg', () => {
  const bodies = ['', 'one', 'x'.repeat(300), 'two', 'end'];
  const bytes = Buffer.concat([
    message('C', 'first'),
    ...bodies.map((body) => message('d', body)),
    message('Z', 'I'),
    message('d', 'last'),
  ]);
  for (const size of [1, 2, 3, 4, 5, 6, 7, 11, 64, bytes.length]) {
    const { socket, tap, forwarded } = open();
    for (let at = 0; at < bytes.length; at += size) socket.emit('data', bytes.subarray(at, at + size));
    expect(drain(tap)).toEqual([...bodies, 'last']);
    expect(forwarded).toEqual(['first', 'I']);
    expect([tap.queue.bytes, tap.queue.messages]).toEqual([0, 0]);
  }
});

test('memory is used again, but never under a message that is queued or was not released', () => {
  let seed = 7;
  const random = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  const { socket, tap } = open({ maxMessages: 1e9, maxBytes: 1e9 }, true);
  // Few of some length, and some that are larger than a segment.
  const sent = Array.from({ length: 6000 }, (_, i) =>
    String.fromCharCode(97 + (i % 26)).repeat(random(400) === 0 ? 200_000 + random(99) : random(2000)),
  );
  const bytes = Buffer.concat(sent.map((body) => message('d', body)));
  const segments = new Set<Buffer>();
  const kept: { buffer: Buffer; start: number; end: number; body: string }[] = [];
  let removed = 0;
  for (let at = 0; at < bytes.length;) {
    const size = 1 + random(random(3) === 0 ? 100_000 : 3000);
    socket.emit('data', bytes.subarray(at, at + size));
    at += size;
    for (let i = random(40); i > 0 && tap.queue.peek(); i--, tap.queue.shift()) {
      const { buffer, start, end } = tap.queue;
      if (buffer.length === 128 * 1024) segments.add(buffer);
      kept.push({ buffer, start, end, body: sent[removed++] as string });
    }
    if (random(10) > 0) continue;
    for (const { buffer, start, end, body } of kept.splice(0))
      if (buffer.toString('latin1', start, end) !== body) throw new Error('the bytes of a message have changed');
    tap.released();
  }
  expect(socket.error).toBeNull();
  expect(drain(tap).join() === sent.slice(removed).join()).toBe(true);
  expect(removed).toBeGreaterThan(1000);
  expect(segments.size).toBeLessThan(bytes.length / (128 * 1024) / 2);
});

test('a fast sender is read again after a moment; a tap that discards is not held', async () => {
  const { socket, tap } = open();
  const reading = { reading: true, starts: 0, stops: 0 };
  const handle = Object.assign(reading, {
    readStop: () => ((reading.stops += 1), 0),
    readStart: () => ((reading.starts += 1), socket.emit('started'), 0),
  });
  Object.assign(socket, { _handle: handle });
  const now = jest.spyOn(performance, 'now').mockReturnValue(1000);
  try {
    const chunk = message('d', 'x'.repeat(20_000));
    socket.emit('data', chunk);
    now.mockReturnValue(1001);
    const started = once(socket, 'started');
    socket.emit('data', chunk);
    expect(reading).toMatchObject({ stops: 1, starts: 0 });
    await started;
    tap.discard();
    now.mockReturnValue(1002);
    socket.emit('data', chunk);
    expect(reading).toMatchObject({ stops: 1, starts: 1 });
  } finally {
    now.mockRestore();
  }
});

test('a full queue pauses the socket, a half empty queue resumes it', () => {
  const { socket, tap } = open({ maxMessages: 4, maxBytes: 1_000_000 });
  socket.emit('data', Buffer.concat([1, 2, 3].map((n) => message('d', String(n)))));
  expect(socket.paused).toBe(false);
  socket.emit('data', message('d', '4'));
  expect(socket.paused).toBe(true);
  tap.queue.peek();
  tap.queue.shift();
  tap.consumed();
  expect(socket.paused).toBe(true);
  tap.queue.peek();
  tap.queue.shift();
  tap.consumed();
  expect(socket.paused).toBe(false);
});

test('the limit counts bytes, too', () => {
  const { socket } = open({ maxMessages: 1000, maxBytes: 100 });
  socket.emit('data', message('d', 'x'.repeat(200)));
  expect(socket.paused).toBe(true);
});

test('messages carry the tag that was set when they arrived', () => {
  const { socket, tap } = open();
  socket.emit('data', message('d', '1'));
  tap.tag = 'b';
  socket.emit('data', message('d', '2'));
  tap.queue.peek();
  expect(tap.queue.tag).toBe('a');
  tap.queue.shift();
  tap.queue.peek();
  expect(tap.queue.tag).toBe('b');
});

test('discarded messages are not queued, and the socket is read to its end', () => {
  const { socket, tap, forwarded } = open({ maxMessages: 1, maxBytes: 1 });
  socket.emit('data', message('d', '1'));
  expect(socket.paused).toBe(true);
  tap.discard();
  expect(socket.paused).toBe(false);
  socket.emit('data', Buffer.concat([message('d', '2'), message('c', 'done')]));
  expect(tap.queue.messages).toBe(0);
  expect(forwarded).toEqual(['done']);
});

test('an endless message and one that is too short end the connection', () => {
  for (const length of [0x7ffffff0, 0xffffffff]) {
    const { socket } = open();
    const head = message('d', '');
    head.writeUInt32BE(length, 1);
    socket.emit('data', Buffer.concat([message('d', 'one'), head, Buffer.from('x')]));
    expect(socket.error).toMatchObject({ code: 'PG_SERVER_MESSAGE' });
  }
  const { socket, tap } = open();
  tap.onMessage = (buffer, at) => void buffer.readUInt32BE(at);
  socket.emit('data', message('d', 'k'));
  expect(socket.error).toMatchObject({ code: 'PG_SERVER_MESSAGE' });
});
