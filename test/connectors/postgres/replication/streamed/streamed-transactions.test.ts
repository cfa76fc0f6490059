/** Interleaved segments of transactions that the server sends before they commit, as messages of protocol 1. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Lsn } from '../../../../../connectors/postgres/src/database/lsn';
import { FrameQueue } from '../../../../../connectors/postgres/src/replication/frame-queue';
import { StreamedTransactions } from '../../../../../connectors/postgres/src/replication/streamed/streamed-transactions';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-spill-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const int64 = (value: number): Buffer => Buffer.concat([int32(0), int32(value)]);
const text = (value: string): Buffer => Buffer.from(value);

/** A message of the server at position `lsn`. */
type Sent = readonly [lsn: number, type: string, ...parts: (string | Buffer)[]];
const start = (xid: number, first = true): Sent => [0, 'S', int32(xid), Buffer.from([first ? 1 : 0])];
const stop: Sent = [0, 'E'];
const row = (lsn: number, xid: number, name: string): Sent => [lsn, 'I', int32(xid), name];
const plain = (lsn: number, name: string): Sent => [lsn, 'I', name];
const abort = (xid: number, subxid = xid): Sent => [0, 'A', int32(xid), int32(subxid)];
const times = (commit: number): Buffer => Buffer.concat([int64(commit), int64(commit + 8), int64(777)]);
const commit = (xid: number, at: number): Sent => [at + 8, 'c', int32(xid), Buffer.from([0]), times(at)];
const begin = (at: number, xid: number): Sent => [at, 'B', int64(at), int64(777), int32(xid)];
const end = (at: number): Sent => [at + 8, 'C', Buffer.from([0]), times(at)];
const beginPrepare = (at: number, xid: number): Sent => [at, 'b', times(at), int32(xid), 'gid\0'];
const prepare = (at: number, xid: number): Sent => [at, 'P', Buffer.from([0]), times(at), int32(xid), 'gid\0'];
const streamPrepare = (at: number, xid: number): Sent => [at, 'p', Buffer.from([0]), times(at), int32(xid), 'gid\0'];
const commitPrepared = (xid: number, at: number): Sent => [
  at + 8,
  'K',
  Buffer.from([0]),
  times(at),
  int32(xid),
  'gid\0',
];
const rollbackPrepared = (xid: number): Sent => [1, 'r', Buffer.from([0]), Buffer.alloc(32), int32(xid), text('gid\0')];
const keepalive = (at: number): Buffer => Buffer.concat([text('k'), int64(at), int64(0), Buffer.from([0])]);

class Server {
  readonly queue = new FrameQueue<null>();
  held: Lsn | null = null;
  replays = 0;
  readonly source: StreamedTransactions;

  constructor(resumedAt: number | null = null, heldAt: number | null = null) {
    this.held = heldAt;
    this.source = new StreamedTransactions(this.queue, {
      ...{ folder, resumedAt, heldAt },
      onHeld: (at) => {
        this.held = at;
      },
      onReplay: () => this.replays++,
    });
  }

  send(...messages: (Sent | Buffer)[]): void {
    for (const message of messages) {
      const body = Buffer.isBuffer(message) ? message : xlogData(message);
      const frame = Buffer.concat([text('d'), int32(body.length + 4), body]);
      this.queue.push(frame, 0, frame.length, 1, null);
    }
  }

  /** All messages passed on: `<type>@<lsn>`, with the row or, for Begin, the commit position and transaction. */
  async received(limit = Infinity): Promise<string[]> {
    const { source } = this;
    const seen: string[] = [];
    while (seen.length < limit) {
      const found = source.peek();
      if (found === 'none') break;
      if (found === 'wait') await source.proceed();
      else {
        const { buffer, start: from, end: to } = source;
        if (buffer[from] === 0x6b) seen.push('keepalive');
        else seen.push(shown(buffer.subarray(from, to)));
        source.shift();
      }
    }
    return seen;
  }
}

function xlogData([lsn, type, ...parts]: Sent): Buffer {
  const header = Buffer.concat([text('w'), int64(lsn), int64(0), int64(0)]);
  const bytes = [type, ...parts].map((part) => (typeof part === 'string' ? text(part) : part));
  return Buffer.concat([header, ...bytes]);
}

function shown(message: Buffer): string {
  const type = String.fromCharCode(message[25] as number);
  const at = message.readUInt32BE(5);
  if (type === 'B') return `B@${at} ${message.readUInt32BE(30)} ${message.readUInt32BE(42)}`;
  return type === 'C' ? `C@${at}` : `${type}@${at} ${message.toString('latin1', 26, 40)}`;
}

test('cdc-postgres 92: interleaved transactions appear at their commits, each as in protocol 1', async () => {
  const server = new Server();
  server.send(start(10), row(1, 10, 'a'), stop, start(20), row(2, 20, 'x'), keepalive(2), stop);
  server.send(start(10, false), row(3, 10, 'b'), stop, begin(4, 30), plain(4, 'p'), end(5), commit(20, 6));
  expect(await server.received()).toEqual(['keepalive', 'B@4 4 30', 'I@4 p', 'C@13', 'B@2 6 20', 'I@2 x', 'C@14']);
  server.send(start(10, false), row(7, 10, 'c'), stop, commit(10, 8));
  expect(await server.received()).toEqual(['B@1 8 10', 'I@1 a', 'I@3 b', 'I@7 c', 'C@16']);
  await server.source.close();
});

test('cdc-postgres 92: nothing of a rolled back transaction or savepoint appears', async () => {
  const server = new Server();
  server.send(start(10), row(1, 10, 'a'), row(2, 11, 'b'), row(3, 12, 'c'), stop, abort(10, 12));
  server.send(start(10, false), row(4, 11, 'd'), stop, abort(10, 11), abort(10, 19));
  server.send(start(10, false), row(5, 10, 'e'), row(6, 13, 'f'), stop, start(20), row(7, 20, 'x'), stop, abort(20));
  server.send(commit(10, 8));
  expect(await server.received()).toEqual(['B@1 8 10', 'I@1 a', 'I@5 e', 'I@6 f', 'C@16']);
  server.send(start(30), row(9, 31, 'g'), stop, abort(30, 31), commit(30, 10));
  expect(await server.received()).toEqual([]);
  await server.source.close();
});

const logical = (lsn: number, xid: number, prefix: string): Sent => [lsn, 'M', int32(xid), prefix];

test('cdc-postgres 42, 92: a message that was sent after the first change of a savepoint with the same LSN precedes it', async () => {
  const server = new Server();
  server.send(start(10), row(1, 10, 'a'), [0, 'R', int32(11), 'v1'], row(2, 11, 'gone'), row(2, 11, 'gone'));
  server.send(logical(2, 10, 'kept'), row(2, 11, 'gone'), row(3, 11, 'gone'), logical(4, 10, 'gone'), stop);
  server.send(abort(10, 11), start(10, false), logical(5, 10, 'b'), row(6, 10, 'c'), stop, commit(10, 8));
  expect(await server.received()).toEqual(['B@1 8 10', 'I@1 a', 'M@2 kept', 'M@5 b', 'I@6 c', 'C@16']);
  // As the first one that remains, from a file, and after a second rollback.
  server.send(start(20), row(12, 21, 'g'.repeat(300_000)), logical(12, 20, 'kept'), stop, abort(20, 21));
  server.send(start(20, false), row(13, 22, 'gone'), stop, abort(20, 22), start(20, false), row(14, 23, 'gone'));
  server.send(logical(14, 20, 'too'), stop, abort(20, 23), commit(20, 15));
  expect(await server.received()).toEqual(['B@12 15 20', 'M@12 kept', 'M@14 too', 'C@23']);
  await server.source.close();
});

test('a message that precedes the first remaining change keeps its place, and Begin has the position of that change', async () => {
  const server = new Server();
  server.send(start(10), [0, 'O', int64(0), 'origin\0'], [0, 'R', int32(11), 'v1'], row(2, 11, 'gone'), stop);
  server.send(abort(10, 11), start(10, false), [0, 'R', int32(10), 'v2'], row(5, 10, 'kept'), stop, commit(10, 6));
  const received = await server.received();
  expect(received.map((message) => message.replaceAll('\0', ''))).toEqual([
    'B@5 6 10',
    'O@0 origin',
    'R@0 v2',
    'I@5 kept',
    'C@14',
  ]);
  await server.source.close();
});

test('cdc-postgres 90: a transaction larger than memory is read back in pieces, and its file has no name', async () => {
  const server = new Server();
  const wide = 'x'.repeat(100_000);
  server.send(start(10));
  for (let i = 1; i <= 20; i++) server.send(row(i, i % 2 === 0 ? 10 + i : 10, wide));
  server.send([0, 'E'], abort(10, 30), commit(10, 50));
  const first = await server.received(2);
  expect(first[0]).toBe('B@1 50 10');
  expect(await readdir(folder)).toEqual([]);
  const rest = await server.received();
  expect(rest).toHaveLength(19);
  expect(rest.at(-2)).toMatch(/^I@19 xxx/);
  expect(rest.at(-1)).toBe('C@58');
  expect(server.source.hasMore).toBe(false);
  await server.source.close();
});

test('a folder that cannot be written to is an error that names it', async () => {
  const missing = join(folder, 'missing');
  folder = missing;
  const server = new Server();
  const { source } = server;
  server.send(start(10), row(1, 10, 'x'.repeat(300_000)));
  expect(source.peek()).toBe('wait');
  folder = dirname(missing);
  await expect(source.proceed()).rejects.toMatchObject({ code: 'PG_SPILL', message: expect.stringContaining(missing) });
});

test('cdc-postgres 91: prepared transactions appear at COMMIT PREPARED, never when rolled back', async () => {
  const server = new Server();
  server.send(beginPrepare(5, 10), plain(1, 'aaaa'), plain(2, 'bbbb'), prepare(5, 10));
  server.send(start(20), row(3, 20, 'x'), stop, streamPrepare(6, 20), beginPrepare(7, 30), plain(4, 'rrrr'));
  server.send(prepare(7, 30), begin(9, 40), plain(9, 'pppp'), end(9));
  expect(await server.received()).toEqual(['B@9 9 40', 'I@9 pppp', 'C@17']);
  expect(server.held).toBe(5);
  server.send(commitPrepared(10, 20));
  expect(await server.received(3)).toEqual(['B@1 20 10', 'I@1 aaaa', 'I@2 bbbb']);
  // A restart before the end of these changes needs them again, also once the last one was read.
  expect(server.source.peek()).toBe('wait');
  await server.source.proceed();
  expect(server.held).toBe(5);
  expect(await server.received()).toEqual(['C@28']);
  expect(server.held).toBe(6);
  server.send(rollbackPrepared(30), commitPrepared(20, 40));
  expect(await server.received()).toEqual(['B@3 40 20', 'I@3 x', 'C@48']);
  expect(server.held).toBeNull();
});

test('cdc-postgres 91: after a restart the position stays until the prepared transactions were sent again', async () => {
  const server = new Server(100, 50);
  server.send(keepalive(60));
  await server.received();
  expect(server.held).toBe(50);
  // Prepared before this stream starts and completed before the restart.
  server.send(commitPrepared(8, 70), beginPrepare(80, 10), plain(1, 'aaaa'), prepare(80, 10));
  expect(await server.received()).toEqual([]);
  expect(server.held).toBe(50);
  server.send(keepalive(100));
  await server.received();
  expect(server.held).toBe(80);
  server.send(commitPrepared(10, 120));
  expect(await server.received()).toEqual(['B@1 120 10', 'I@1 aaaa', 'C@128']);
  expect(server.held).toBeNull();
});

test('cdc-postgres 91: a prepared transaction that was not sent again is an error', async () => {
  const server = new Server(100);
  server.send(commitPrepared(10, 120));
  expect(() => server.source.peek()).toThrow(expect.objectContaining({ code: 'PG_POSITION_LOST' }));
});

test('announcements of streamed segments are not read ahead', async () => {
  const server = new Server();
  const relation = (name: string, ...xid: Buffer[]): Sent => [
    0,
    'R',
    ...xid,
    int32(7),
    `public\0${name}\0d`,
    Buffer.from([0, 0]),
  ];
  server.send(begin(1, 30), relation('a'), plain(1, 'p'), end(1), start(10), relation('b', int32(10)), stop);
  server.send(beginPrepare(3, 11), relation('c'), prepare(3, 11), begin(4, 31), relation('d'));
  await server.received(1);
  expect(server.source.peek()).toBe('message');
  const ahead = (): string[] => {
    const names: string[] = [];
    server.source.forEach((buffer, from) => {
      if (buffer[from + 25] === 0x52) names.push(buffer.toString('latin1', from + 25, from + 50));
    });
    return names.map((message) => /public\0(.)/.exec(message)?.[1] as string);
  };
  expect(ahead()).toEqual(['a', 'c', 'd']);
  await server.received(4);
  expect(ahead()).toEqual(['d']);
  await server.source.close();
});

test('announcements of a transaction that is passed on are read ahead as far as they are in memory', async () => {
  const server = new Server();
  const relation = (name: string): Sent => [0, 'R', int32(10), name];
  server.send(start(10), relation('a'), row(1, 10, 'x'), relation('b'), row(2, 10, 'y'), stop, commit(10, 5));
  expect(await server.received(1)).toEqual(['B@1 5 10']);
  expect(server.replays).toBe(1);
  expect(server.source.peek()).toBe('wait');
  await server.source.proceed();
  server.source.peek();
  const types: string[] = [];
  server.source.forEach((buffer, from) => types.push(String.fromCharCode(buffer[from + 25] as number)));
  expect(types).toEqual(['R', 'I', 'R', 'I']);
  await server.source.close();
});

describe('announcements of transactions that are passed on later than they were sent', () => {
  const oid = text('oid7');
  const relation = (name: string, ...xid: Buffer[]): Sent => [0, 'R', ...xid, oid, name];
  const change = (lsn: number, name: string, ...xid: Buffer[]): Sent => [lsn, 'I', ...xid, oid, name];

  test('cdc-postgres 91: definitions of a prepared transaction apply at once, and are not repeated', async () => {
    const server = new Server();
    server.send(beginPrepare(5, 10), relation('v1'), change(1, 'a'), prepare(5, 10));
    server.send(begin(6, 11), change(6, 'b'), end(6), commitPrepared(10, 7));
    expect(await server.received()).toEqual([
      ...['R@0 oid7v1', 'B@6 6 11', 'I@6 oid7b', 'C@14'],
      ...['B@1 7 10', 'I@1 oid7a', 'C@15'],
    ]);
  });

  test('cdc-postgres 91: a prepared transaction keeps those before it when newer ones follow', async () => {
    const server = new Server();
    server.send(begin(1, 9), relation('v1'), change(1, 'x'), end(1));
    server.send(beginPrepare(5, 10), change(2, 'a'), prepare(5, 10));
    server.send(begin(6, 11), relation('v2'), change(6, 'b'), end(6), commitPrepared(10, 7));
    server.send(begin(8, 12), change(8, 'c'), end(8));
    expect((await server.received()).slice(4)).toEqual([
      ...['B@6 6 11', 'R@0 oid7v2', 'I@6 oid7b', 'C@14'],
      ...['B@2 7 10', 'R@0 oid7v1', 'I@2 oid7a', 'R@0 oid7v2', 'C@15'],
      ...['B@8 8 12', 'I@8 oid7c', 'C@16'],
    ]);
  });

  test('cdc-postgres 92: definitions of a streamed transaction apply from its commit on, unless newer ones were sent since', async () => {
    const server = new Server();
    const ten = int32(10);
    server.send(start(10), relation('v1', ten), change(1, 'a', ten), stop);
    server.send(begin(2, 11), relation('v2'), change(2, 'b'), end(2), commit(10, 3));
    expect((await server.received()).slice(4)).toEqual([
      ...['B@1 3 10', 'R@0 oid7v1', 'I@1 oid7a', 'R@0 oid7v2', 'C@11'],
    ]);
    server.send(start(10), relation('v3', ten), change(4, 'a', ten), stop, commit(10, 5));
    server.send(begin(6, 12), change(6, 'c'), end(6));
    expect(await server.received()).toEqual([
      ...['B@4 5 10', 'R@0 oid7v3', 'I@4 oid7a', 'C@13'],
      ...['B@6 6 12', 'I@6 oid7c', 'C@14'],
    ]);
  });
});
