import { readFetchSettings } from '../../../packages/kafka-client/src/consumer/consumer-settings';
import { Fetcher } from '../../../packages/kafka-client/src/consumer/fetcher';
import { ByteReader, ByteWriter } from '../bytes';
import { protocolError } from '../../../packages/kafka-client/src/protocol/protocol-error';
import { divergence } from '../../../packages/kafka-client/src/consumer/truncation-check';
import type { FetchedBatch } from '../../../packages/kafka-client/src/port';
import type { Wire, WireRequest } from '../../../packages/kafka-client/src/wire';
import { silentLogger } from '../../../src/logging/logger';
import { RecordingLogger } from '../../tasks/fakes';
import { bomb } from '../records/bombs';
import { at, changed, encodeBatch, record, withLastOffsetDelta } from '../records/record-batch-samples';

const tp = { topic: 't', partition: 0 };
const OFFSET_FOR_LEADER_EPOCH = 23;
const LIST_OFFSETS = 2;
const ID = 'a'.repeat(32);

interface Asked {
  readonly node: number;
  /** Its name for brokers without ids. */
  readonly topicId: string;
  readonly partition: number;
  readonly offset: number;
  readonly epoch: number;
  readonly maxBytes: number;
}
interface Said {
  readonly errorCode: number;
  readonly records: Buffer;
}
type Reply = Said | null;

/**
 * Partitions, most often one, whose leader answers fetches with what `reply` says; null: the long poll lasts until
 * the wire is closed.
 */
class OnePartition {
  readonly asked: Asked[] = [];
  leader = 1;
  epoch = 3;
  /** In the metadata; undefined: brokers without ids. */
  topicId: string | undefined = ID;
  refreshes = 0;
  /** For replies that depend on it. */
  isRecreated = false;
  onRefresh = (): void => undefined;
  /** Where the leader says that an epoch ended; null: brokers that cannot be asked. */
  endOf: ((epoch: number) => { epoch: number; endOffset: number }) | null = null;
  readonly epochsAsked: { currentEpoch: number; epoch: number }[] = [];

  constructor(private readonly reply: (asked: Asked) => Reply) {}

  get wire(): Wire {
    return {
      version: (_node: number, key: number, _min: number, max: number) =>
        Promise.resolve(key === OFFSET_FOR_LEADER_EPOCH && this.endOf === null ? undefined : max),
      leader: () => this.leader,
      partitions: () => Promise.resolve([]),
      cachedPartitions: () => [
        { partition: 0, leader: this.leader, leaderEpoch: this.epoch, ...(this.topicId && { topicId: this.topicId }) },
      ],
      refresh: () => {
        this.refreshes++;
        this.onRefresh();
        return Promise.resolve();
      },
      send: (node: number, request: WireRequest<unknown>) => this.answer(node, request),
    } as unknown as Wire;
  }

  private async answer(node: number, request: WireRequest<unknown>): Promise<unknown> {
    await Promise.resolve();
    if (request.apiKey === OFFSET_FOR_LEADER_EPOCH)
      return request.decode(this.answerEpoch(new ByteReader(request.encode())));
    if (request.apiKey === LIST_OFFSETS) return request.decode(offsetZero());
    const byId = request.apiVersion > 12;
    const r = new ByteReader(request.encode(), request.flexible);
    // replica, wait, min bytes
    r.raw(12);
    const maxBytes = r.int32();
    // isolation, session
    r.raw(9);
    const asked: Asked[] = r
      .array(() => {
        const topicId = byId ? r.uuid() : r.string();
        const partitions = r.array(() => {
          const [partition, epoch, offset] = [r.int32(), r.int32(), r.int64()];
          r.raw(16);
          r.tags();
          return { node, topicId, partition, epoch, offset, maxBytes };
        });
        r.tags();
        return partitions;
      })
      .flat();
    this.asked.push(...asked);
    const replies = asked.map((one) => ({ partition: one.partition, reply: this.reply(one) }));
    const given = replies.filter((one): one is { partition: number; reply: Said } => one.reply !== null);
    if (given.length === 0) return new Promise(() => undefined);
    const w = new ByteWriter(request.flexible);
    w.int32(0).int16(0).int32(0);
    w.array([tp], ({ topic }) => {
      if (byId) w.uuid(asked[0]?.topicId ?? '');
      else w.string(topic);
      w.array(given, ({ partition, reply }) => {
        w.int32(partition).int16(reply.errorCode).int64(100).int64(100).int64(0);
        w.nullableArray(null, () => undefined)
          .int32(-1)
          .bytes(reply.records)
          .tags();
      }).tags();
    }).tags();
    return request.decode(w.finish());
  }

  private answerEpoch(r: ByteReader): Buffer {
    r.int32();
    r.int32();
    r.string();
    r.int32();
    r.int32();
    const asked = { currentEpoch: r.int32(), epoch: r.int32() };
    this.epochsAsked.push(asked);
    const { epoch, endOffset } = this.endOf?.(asked.epoch) ?? { epoch: -1, endOffset: -1 };
    const w = new ByteWriter().int32(0);
    w.array([tp], ({ topic, partition }) => {
      w.string(topic).array([partition], () => w.int16(0).int32(partition).int32(epoch).int64(endOffset));
    });
    return w.finish();
  }
}

function offsetZero(): Buffer {
  const w = new ByteWriter().int32(0);
  w.array([tp], ({ topic }) => w.string(topic).array([0], () => w.int32(0).int16(0).int64(-1).int64(0).int32(3)));
  return w.finish();
}

const none = Buffer.alloc(0);
const HEADER_BYTES = 61;

function batchOf(given: { baseOffset: number; values: string[]; lastOffsetDelta?: number }): Buffer {
  const { baseOffset, values, lastOffsetDelta = values.length - 1 } = given;
  let batch = encodeBatch(values.length === 0 ? [record('x')] : values.map((value) => record(value)));
  if (values.length === 0) {
    // Compaction keeps the header of a producer's last batch when all of its records are gone.
    batch = changed(batch.subarray(0, HEADER_BYTES), (copy) => {
      copy.writeInt32BE(HEADER_BYTES - 12, 8);
      copy.writeInt32BE(0, HEADER_BYTES - 4);
    });
  }
  return at(withLastOffsetDelta(batch, lastOffsetDelta), baseOffset);
}

const settings = readFetchSettings({
  'auto.offset.reset': 'earliest',
  'retry.backoff.ms': '1',
  'retry.backoff.max.ms': '2',
});

describe('the fetcher', () => {
  const open: Fetcher[] = [];
  afterEach(() => open.splice(0).forEach((fetcher) => fetcher.close()));
  const over = (partition: OnePartition, from = 0): Fetcher => {
    const fetcher = new Fetcher(partition.wire, settings, silentLogger);
    open.push(fetcher);
    fetcher.assign([tp], null);
    fetcher.seek({ ...tp, offset: from });
    return fetcher;
  };
  const nextOf = async (fetcher: Fetcher, limit = 100) => {
    for (;;) {
      const taken = fetcher.take(limit);
      if (taken.batches.length > 0 || taken.advanced) return taken;
      await fetcher.wait(1_000);
    }
  };

  test('kafka-client 3: the position moves over holes that compaction left', async () => {
    // Ten offsets, of which the first three survived with records, then a batch that is empty but for its header.
    const reply = ({ offset }: Asked): Reply => {
      if (offset < 10)
        return { errorCode: 0, records: batchOf({ baseOffset: 0, values: ['a', 'b', 'c'], lastOffsetDelta: 9 }) };
      if (offset < 20) return { errorCode: 0, records: batchOf({ baseOffset: 10, values: [], lastOffsetDelta: 9 }) };
      return null;
    };
    const fetcher = over(new OnePartition(reply));
    const first = await nextOf(fetcher);
    expect(first.batches.map(({ records, nextOffset }) => [records.length, nextOffset])).toEqual([[3, 10]]);
    expect(fetcher.position(tp)).toBe(10);
    expect(await nextOf(fetcher)).toEqual({ batches: [], advanced: true });
    expect(fetcher.position(tp)).toBe(20);
  });

  test('kafka-client 3: a deleted topic does not keep the other partitions from their positions', async () => {
    const broker = new OnePartition(() => null);
    const lost = protocolError(3, 'find the topic', { topic: 'deleted' });
    const known = broker.wire;
    const wire: Wire = {
      ...known,
      partitions: (topic) => (topic === 'deleted' ? Promise.reject(lost) : known.partitions(topic)),
      send: (node, request, lane) => {
        if (request.apiName !== 'ListOffsets') return known.send(node, request, lane);
        const w = new ByteWriter().int32(0);
        w.array([tp], ({ topic }) => w.string(topic).array([0], () => w.int32(0).int16(0).int64(-1).int64(7).int32(3)));
        return Promise.resolve(request.decode(w.finish()));
      },
    };
    const fetcher = new Fetcher(wire, settings, silentLogger);
    open.push(fetcher);
    fetcher.assign([{ topic: 'deleted', partition: 0 }, tp], 'earliest');
    for (let turns = 0; fetcher.position(tp) === undefined && turns < 100; turns++) await fetcher.wait(10);
    expect(fetcher.position(tp)).toBe(7);
    expect(fetcher.position({ topic: 'deleted', partition: 0 })).toBeUndefined();
  });

  describe('kafka-client 3: a topic that is deleted and created again', () => {
    const OTHER = 'b'.repeat(32);
    const UNKNOWN_TOPIC_ID = 100;
    const values = ({ batches }: { batches: readonly FetchedBatch[] }): string[] =>
      batches.flatMap(({ records }) => records.map(({ value }) => String(value)));

    /** The old topic had a, b and c, the new one has more. */
    function recreated(ids: { before: string | undefined; after: string | undefined }): OnePartition {
      const broker: OnePartition = new OnePartition(({ topicId, offset }) => {
        const old = topicId === (ids.before ?? 't') && !broker.isRecreated;
        if (old && offset === 0) return { errorCode: 0, records: batchOf({ baseOffset: 0, values: ['a', 'b', 'c'] }) };
        if (old) broker.isRecreated = true;
        if (topicId !== (ids.after ?? 't')) return { errorCode: UNKNOWN_TOPIC_ID, records: none };
        const rest = ['d', 'e', 'f', 'g'].slice(offset);
        return rest.length === 0 ? null : { errorCode: 0, records: batchOf({ baseOffset: offset, values: rest }) };
      });
      broker.topicId = ids.before;
      broker.onRefresh = () => (broker.topicId = ids.after);
      return broker;
    }

    async function readUntil(fetcher: Fetcher, last: string): Promise<string[]> {
      const read: string[] = [];
      for (let turns = 0; read.at(-1) !== last && turns < 20; turns++) read.push(...values(await nextOf(fetcher)));
      return read;
    }

    test.each(['earliest', 'latest'])('is read from its first record, with auto.offset.reset=%s', async (reset) => {
      const logger = new RecordingLogger();
      const fetcher = new Fetcher(
        recreated({ before: ID, after: OTHER }).wire,
        { ...settings, offsetReset: reset as 'earliest' | 'latest' },
        logger,
      );
      open.push(fetcher);
      fetcher.assign([tp], null);
      fetcher.seek({ ...tp, offset: 0 });
      const ids = new Map<string, string | undefined>();
      const take = fetcher.take.bind(fetcher);
      jest.spyOn(fetcher, 'take').mockImplementation((max) => {
        const taken = take(max);
        for (const { records, topicId } of taken.batches)
          for (const { value } of records) ids.set(String(value), topicId);
        return taken;
      });
      expect(await readUntil(fetcher, 'g')).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
      expect([ids.get('c'), ids.get('d')]).toEqual([ID, OTHER]);
      expect(logger.lines.join()).toContain(
        "Topic 't' was deleted and created again: offset 3 of t-0 is one of the old topic; reading the new topic from its first record",
      );
    });

    test('is an error with auto.offset.reset=none', async () => {
      const broker = recreated({ before: ID, after: OTHER });
      const fetcher = new Fetcher(broker.wire, { ...settings, offsetReset: 'none' }, silentLogger);
      open.push(fetcher);
      fetcher.assign([tp], null);
      fetcher.seek({ ...tp, offset: 0 });
      await expect(readUntil(fetcher, 'g')).rejects.toMatchObject({ code: 'TOPIC_CREATED_AGAIN', topic: 't' });
    });

    test('is read from the old position where brokers have no topic ids', async () => {
      const fetcher = over(recreated({ before: undefined, after: undefined }));
      expect(await readUntil(fetcher, 'g')).toEqual(['a', 'b', 'c', 'g']);
    });
  });

  test('max.poll.records: within a batch, the position is the first record that is not returned', async () => {
    const reply = ({ offset }: Asked): Reply =>
      offset === 0
        ? { errorCode: 0, records: batchOf({ baseOffset: 0, values: ['a', 'b', 'c'], lastOffsetDelta: 4 }) }
        : null;
    const fetcher = over(new OnePartition(reply));
    const [batch] = (await nextOf(fetcher, 2)).batches;
    expect([batch?.records.length, batch?.nextOffset, batch?.bytes]).toEqual([2, 2, 8]);
    expect(fetcher.position(tp)).toBe(2);
    const [rest] = fetcher.take(2).batches;
    expect([rest?.records.map(({ value }) => String(value)), rest?.nextOffset]).toEqual([['c'], 5]);
  });

  test('peek returns what is taken next, and nothing if less is decoded or the partition is paused', async () => {
    const reply = ({ offset }: Asked): Reply =>
      offset === 0 ? { errorCode: 0, records: batchOf({ baseOffset: 0, values: ['a', 'b', 'c', 'd'] }) } : null;
    const fetcher = new Fetcher(new OnePartition(reply).wire, { ...settings, views: true }, silentLogger);
    open.push(fetcher);
    fetcher.assign([tp], null);
    fetcher.seek({ ...tp, offset: 0 });
    await nextOf(fetcher, 1);
    const peeked = fetcher.peek(2);
    expect(peeked).toMatchObject([{ ...tp, timestampType: 'CreateTime', views: [{ offset: 1 }, { offset: 2 }] }]);
    expect(fetcher.position(tp)).toBe(1);
    expect(fetcher.peek(4)).toEqual([]);
    fetcher.pause([tp]);
    expect(fetcher.peek(2)).toEqual([]);
    fetcher.resume([tp]);
    const [taken] = fetcher.take(2).batches;
    expect(taken?.views?.map((view, at) => view === peeked[0]?.views[at])).toEqual([true, true]);
    expect(fetcher.peek(1)).toMatchObject([{ views: [{ offset: 3 }] }]);
  });

  test.each([6, 74, 75, 5, 3])('error %i makes it look for the leader and ask there', async (errorCode) => {
    const partition = new OnePartition(({ node, offset }) => {
      if (node === 1) return { errorCode, records: none };
      return offset === 0 ? { errorCode: 0, records: batchOf({ baseOffset: 0, values: ['x'] }) } : null;
    });
    partition.onRefresh = () => {
      partition.leader = 2;
      partition.epoch = 4;
    };
    const fetcher = over(partition);
    expect((await nextOf(fetcher)).batches).toHaveLength(1);
    expect(partition.asked[0]).toMatchObject({ node: 1, epoch: 3 });
    expect(partition.asked.find(({ node }) => node === 2)).toMatchObject({ epoch: 4, offset: 0 });
  });

  describe('kafka-client 3: after an unclean election (KIP-320)', () => {
    const written = (baseOffset: number, values: string[], epoch: number): Buffer =>
      changed(batchOf({ baseOffset, values }), (copy) => copy.writeInt32BE(epoch, 12));
    /** Ten records of the old leader; from broker 2 on, its own of epoch 4 from `cut` on. */
    const elected = (cut: number): OnePartition => {
      const values = Array.from({ length: 10 }, (_, i) => `old ${i}`);
      const partition = new OnePartition(({ node, offset }) => {
        if (node === 1)
          return offset < 10 ? { errorCode: 0, records: written(0, values, 3) } : { errorCode: 74, records: none };
        if (offset >= 20) return null;
        const at = Math.max(offset, cut);
        const news = Array.from({ length: 20 - at }, (_, i) => `new ${at + i}`);
        return { errorCode: 0, records: offset < cut ? written(0, values.slice(0, cut), 3) : written(at, news, 4) };
      });
      partition.onRefresh = () => {
        partition.leader = 2;
        partition.epoch = 4;
      };
      partition.endOf = (epoch) => ({ epoch, endOffset: cut });
      return partition;
    };
    const read = async (fetcher: Fetcher, limit = 100): Promise<string[]> =>
      (await nextOf(fetcher, limit)).batches.flatMap(({ records }) => records.map(({ value }) => String(value)));

    test('records that the new leader wrote at offsets that were read are read', async () => {
      const partition = elected(5);
      const fetcher = over(partition);
      expect(await read(fetcher)).toHaveLength(10);
      const news = await read(fetcher);
      expect([news[0], news.at(-1)]).toEqual(['new 5', 'new 19']);
      expect(partition.epochsAsked).toEqual([{ currentEpoch: 4, epoch: 3 }]);
    });

    test("reading continues from the position if the leader's log is complete; it is checked once", async () => {
      const partition = elected(10);
      const fetcher = over(partition);
      expect(await read(fetcher)).toHaveLength(10);
      expect((await read(fetcher))[0]).toBe('new 10');
      expect(partition.epochsAsked).toHaveLength(1);
    });

    test('prefetched records that are truncated are not returned', async () => {
      const partition = elected(5);
      const fetcher = over(partition);
      expect(await read(fetcher, 3)).toEqual(['old 0', 'old 1', 'old 2']);
      while (partition.epochsAsked.length === 0) await fetcher.wait(1);
      await fetcher.wait(1);
      const rest: string[] = [];
      while (rest.length < 17) rest.push(...(await read(fetcher)));
      expect(rest.slice(0, 3)).toEqual(['old 3', 'old 4', 'new 5']);
    });

    test('with auto.offset.reset=none each poll is an error that names the truncation', async () => {
      const strict = readFetchSettings({ 'auto.offset.reset': 'none', 'retry.backoff.ms': '1' });
      const fetcher = new Fetcher(elected(5).wire, strict, silentLogger);
      open.push(fetcher);
      fetcher.assign([tp], null);
      fetcher.seek({ ...tp, offset: 0 });
      expect(await read(fetcher)).toHaveLength(10);
      const truncated = { code: 'LOG_TRUNCATED', topic: 't', partition: 0 };
      await expect(nextOf(fetcher)).rejects.toMatchObject(truncated);
      await expect(nextOf(fetcher)).rejects.toMatchObject(truncated);
    });

    test('without OffsetForLeaderEpoch support, reading continues from the position', async () => {
      const partition = elected(5);
      partition.endOf = null;
      const fetcher = over(partition);
      expect(await read(fetcher)).toHaveLength(10);
      expect((await read(fetcher))[0]).toBe('new 10');
    });

    test.each([
      [{ epoch: 3, endOffset: 5 }, 5],
      [{ epoch: 2, endOffset: 0 }, 0],
      [{ epoch: 3, endOffset: 10 }, null],
      [{ epoch: 3, endOffset: 11 }, null],
      [{ epoch: -1, endOffset: -1 }, 'unknown'],
      [{ epoch: 3, endOffset: -1 }, 'unknown'],
    ])('an answer of %j for the position 10 means %p', (answer, expected) => {
      expect(divergence(10, answer)).toBe(expected);
    });
  });

  test('a checksum that does not hold is an error that says where, and nothing is skipped', async () => {
    const broken = batchOf({ baseOffset: 7, values: ['x'] });
    broken[broken.length - 1]! ^= 1;
    const fetcher = over(new OnePartition(() => ({ errorCode: 0, records: broken })), 7);
    await expect(nextOf(fetcher)).rejects.toMatchObject({
      code: 'CORRUPT_BATCH',
      topic: 't',
      partition: 0,
      message: expect.stringContaining('Reading t-0 at offset 7 failed') as unknown,
    });
    expect(fetcher.position(tp)).toBe(7);
  });

  test.each([
    ['a batch that is longer than the answer', batchOf({ baseOffset: 7, values: ['x', 'y'] }).subarray(0, 70)],
    ['less than a header', batchOf({ baseOffset: 7, values: ['x'] }).subarray(0, 10)],
    ['records before the position alone', batchOf({ baseOffset: 0, values: ['x', 'y'] })],
  ])('%s does not move the position: an error, and no fetch at once', async (_, records) => {
    const partition = new OnePartition(() => ({ errorCode: 0, records }));
    const fetcher = over(partition, 7);
    await expect(nextOf(fetcher)).rejects.toMatchObject({
      code: 'CORRUPT_BATCH',
      topic: 't',
      partition: 0,
      message: expect.stringMatching(
        /^Reading t-0 at offset 7 failed: .* bytes .* no complete record batch/,
      ) as unknown,
    });
    expect(fetcher.position(tp)).toBe(7);
    expect(partition.asked.length).toBeLessThan(5);
  });

  test('an undecodable large batch after a readable one does not stop other fetches', async () => {
    const broken = batchOf({ baseOffset: 1, values: ['v'.repeat(17 * 2 ** 20)] });
    broken[broken.length - 1]! ^= 1;
    // What the first holds leaves no room for decoding the second ahead of its reader.
    const first = Buffer.concat([bomb('gzip', 20), broken]);
    const partition = new OnePartition(({ offset }) => {
      if (offset === 0) return { errorCode: 0, records: first };
      return offset === 1 ? { errorCode: 0, records: batchOf({ baseOffset: 1, values: ['mended'] }) } : null;
    });
    const fetcher = over(partition);
    expect((await nextOf(fetcher, 1)).batches).toHaveLength(1);
    await expect(nextOf(fetcher, 1)).rejects.toMatchObject({ code: 'CORRUPT_BATCH' });
    const [mended] = (await nextOf(fetcher, 1)).batches;
    expect(String(mended?.records[0]?.value)).toBe('mended');
  });

  test('paused partitions that hold decoded records release them for other partitions', async () => {
    const partition = new OnePartition((asked) => {
      if (asked.offset > 0) return null;
      const records = asked.partition === 0 ? bomb('gzip', 20) : batchOf({ baseOffset: 0, values: ['x'] });
      return { errorCode: 0, records };
    });
    const fetcher = new Fetcher(partition.wire, settings, silentLogger);
    open.push(fetcher);
    const all = [0, 1, 2].map((number) => ({ topic: 't', partition: number }));
    fetcher.assign(all, null);
    fetcher.pause(all);
    for (const one of all) fetcher.seek({ ...one, offset: 0 });
    fetcher.resume(all);
    while (partition.asked.length < 3) await fetcher.wait(1);
    for (let turn = 0; turn < 20; turn++) await fetcher.wait(0);
    fetcher.pause(all.slice(0, 2));
    expect((await nextOf(fetcher)).batches).toMatchObject([{ partition: 2 }]);
    fetcher.resume(all.slice(1, 2));
    expect((await nextOf(fetcher)).batches).toMatchObject([{ partition: 1 }]);
    expect(partition.asked.filter((asked) => asked.partition === 1 && asked.offset === 0)).toHaveLength(1);
  });

  test('prefetch: at most its limit', async () => {
    const value = 'v'.repeat(700_000);
    const partition = new OnePartition(({ offset }) => ({
      errorCode: 0,
      records: batchOf({ baseOffset: offset, values: [value] }),
    }));
    const fetcher = over(partition);
    await fetcher.wait(1_000);
    for (let turn = 0; turn < 20; turn++) await fetcher.wait(0);
    // More than half of max.partition.fetch.bytes is there: enough until some of it is taken.
    expect(partition.asked).toHaveLength(1);
    await nextOf(fetcher);
    await fetcher.wait(1_000);
    expect(partition.asked.length).toBeGreaterThanOrEqual(2);
    expect(partition.asked.map(({ offset }) => offset).slice(0, 2)).toEqual([0, 1]);
  });
});

/** A leader without records: each request lasts as long as it may, by a simulated clock. */
class QuietLeader {
  readonly sent: { at: number; lane: string; waitMs: number }[] = [];

  get wire(): Wire {
    const leaders = [0, 1].map((partition) => ({ partition, leader: 1, leaderEpoch: 3, topicId: ID }));
    return {
      version: (_node: number, _key: number, _min: number, max: number) => Promise.resolve(max),
      leader: () => 1,
      cachedPartitions: () => leaders,
      send: async (_node: number, request: WireRequest<unknown>, lane: string) => {
        const r = new ByteReader(request.encode(), request.flexible);
        r.int32();
        const waitMs = r.int32();
        const entry = { at: performance.now(), lane, waitMs };
        this.sent.push(entry);
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        return { errorCode: 0, partitions: [], throttleMs: 0 };
      },
    } as unknown as Wire;
  }
}

test('an idle consumer sends one request per several seconds, and what it is assigned then is fetched at once', async () => {
  jest.useFakeTimers();
  const leader = new QuietLeader();
  const fetcher = new Fetcher(leader.wire, readFetchSettings({}), silentLogger);
  try {
    fetcher.assign([tp], null);
    fetcher.seek({ ...tp, offset: 0 });
    await jest.advanceTimersByTimeAsync(60_000);
    const last = leader.sent.at(-1);
    expect(last).toMatchObject({ lane: 'fetch', waitMs: 5_000 });
    expect(leader.sent.every(({ lane }) => lane === 'fetch')).toBe(true);

    const now = performance.now();
    const second = { topic: 't', partition: 1 };
    fetcher.assign([tp, second], null);
    fetcher.seek({ ...second, offset: 0 });
    await jest.advanceTimersByTimeAsync(0);
    expect(leader.sent.at(-1)).toMatchObject({ at: now, lane: 'fetch-2' });
    expect(leader.sent.at(-1)?.waitMs).toBeLessThanOrEqual(500);

    // Both lanes unite, and none of them was left waiting.
    await jest.advanceTimersByTimeAsync(30_000);
    const since = leader.sent.length;
    await jest.advanceTimersByTimeAsync(30_000);
    expect(leader.sent.slice(since)).toHaveLength(6);
    expect(leader.sent.slice(since).every(({ waitMs }) => waitMs === 5_000)).toBe(true);
  } finally {
    fetcher.close();
    jest.useRealTimers();
  }
});
