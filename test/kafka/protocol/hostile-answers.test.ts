/** What a broken or hostile broker may send: each is an error, and no length is believed before the bytes are there. */
import { KafkaError } from '../../../packages/kafka-client/src/errors';
import { FrameAssembler } from '../../../packages/kafka-client/src/network/frame-assembler';
import { apiVersionsRequest } from '../../../packages/kafka-client/src/protocol/api-versions';
import { fetchRequest } from '../../../packages/kafka-client/src/protocol/fetch';
import { offsetFetchRequest } from '../../../packages/kafka-client/src/protocol/group-offsets';
import { listGroupsRequest } from '../../../packages/kafka-client/src/protocol/groups';
import { syncGroupRequest } from '../../../packages/kafka-client/src/protocol/group-membership';
import { metadataRequest } from '../../../packages/kafka-client/src/protocol/metadata';
import {
  DECOMPRESSED_BATCH_MAX_BYTES,
  decodeRecordBatches,
} from '../../../packages/kafka-client/src/records/record-batch-decoder';
import * as layout from '../../../packages/kafka-client/src/records/record-batch-layout';
import { ByteWriter } from '../bytes';
import { at, changed, encodeBatch, marker, random, record, withLastOffsetDelta } from '../records/record-batch-samples';

const MIB = 1024 * 1024;
const sized = (size: number, rest: Buffer): Buffer => {
  const head = Buffer.alloc(4);
  head.writeInt32BE(size);
  return Buffer.concat([head, rest]);
};

describe('frames', () => {
  test('an announced size allocates no memory', () => {
    const before = process.memoryUsage().arrayBuffers;
    const connections = Array.from({ length: 20 }, () => new FrameAssembler(256 * MIB));
    for (const frames of connections) frames.push(sized(255 * MIB, Buffer.from('abcd')), () => undefined);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * MIB);
    // They are still what is being read.
    expect(connections.every((frames) => frames instanceof FrameAssembler)).toBe(true);
  });

  test('a message of that size is read completely', () => {
    const body = Buffer.alloc(9 * MIB + 7, 'abcdefg');
    const stream = sized(body.length, Buffer.concat([body, sized(4, Buffer.from('next'))]));
    const out: Buffer[] = [];
    const frames = new FrameAssembler(256 * MIB);
    for (let from = 0; from < stream.length; from += 60_001)
      frames.push(stream.subarray(from, from + 60_001), (frame) => out.push(Buffer.from(frame)));
    expect(out.map((frame) => frame.length)).toEqual([body.length, 4]);
    expect(out[0]?.equals(body)).toBe(true);
    expect(String(out[1])).toBe('next');
  });
});

describe('the protocol', () => {
  test('the error names the request', () => {
    const body = new ByteWriter()
      .int16(0)
      .int32(2 ** 31 - 1)
      .finish();
    expect(() => apiVersionsRequest().decode(body)).toThrow(
      expect.objectContaining({
        code: 'CORRUPT_MESSAGE',
        message: expect.stringMatching(/ApiVersions v0 cannot be read: .*2147483647/) as unknown,
      }),
    );
  });

  test('null is read as an empty value where Kafka allows none', () => {
    const nothing = new ByteWriter().int32(0).int16(0).int32(-1).finish();
    expect(listGroupsRequest(1).decode(nothing)).toEqual({ errorCode: 0, groups: [] });
    const unnamed = new ByteWriter().int32(0).int16(0).int32(1).int16(-1).int16(-1).finish();
    expect(listGroupsRequest(1).decode(unnamed).groups).toEqual([{ groupId: '', protocolType: '' }]);
    const unassigned = new ByteWriter().int32(0).int16(0).int32(-1).finish();
    const input = { groupId: 'g', memberId: 'm', groupInstanceId: null, generation: 1 };
    const sync = { ...input, protocolType: 'consumer', protocol: 'range', assignments: new Map<string, Buffer>() };
    expect(syncGroupRequest(1, sync, 1).decode(unassigned).assignment).toEqual(Buffer.alloc(0));
  });

  test('bytes after a response are ignored', () => {
    const longer = new ByteWriter().int32(0).int16(0).int32(0).int32(7).finish();
    expect(listGroupsRequest(1).decode(longer)).toEqual({ errorCode: 0, groups: [] });
  });

  test('5,000 random answers: each is read or refused', () => {
    const next = random(20_261_122);
    const limits = { maxWaitMs: 1, minBytes: 1, maxBytes: 1, isolation: 'read_committed' } as const;
    const kinds = [
      apiVersionsRequest(),
      metadataRequest(8, null, false),
      fetchRequest(11, [], limits, 1),
      offsetFetchRequest(6, 'g', null, false),
    ];
    const seen = { read: 0, refused: 0 };
    for (let i = 0; i < 5_000; i++) {
      const bytes = Buffer.alloc(Math.floor(next() * 400));
      const odd = [0, 0, 0x7f, 0x80, 0xff, Math.floor(next() * 256)];
      for (let b = 0; b < bytes.length; b++) bytes[b] = odd[Math.floor(next() * odd.length)] as number;
      try {
        kinds[i % kinds.length]?.decode(bytes);
        seen.read++;
      } catch (error) {
        if (!(error instanceof KafkaError)) throw error;
        seen.refused++;
      }
    }
    expect(seen.read + seen.refused).toBe(5_000);
    expect(seen.refused).toBeGreaterThan(500);
    expect(seen.read).toBeGreaterThan(50);
  });
});

describe('record batches', () => {
  const good = encodeBatch([record('a'), record('b'), record('c')], { baseOffset: 100 });
  const decode = (bytes: Buffer, fetchOffset = 100) =>
    decodeRecordBatches(bytes, {
      fetchOffset,
      isolation: 'read_committed',
      abortedTransactions: [],
      checkCrcs: true,
      maxDecompressedBytes: DECOMPRESSED_BATCH_MAX_BYTES,
    });
  const corrupt = (what: RegExp) =>
    expect.objectContaining({ code: 'CORRUPT_BATCH', message: expect.stringMatching(what) as unknown });
  const withCount = (count: number) => changed(good, (b) => b.writeInt32BE(count, layout.RECORD_COUNT_AT));

  test.each([-1, -(2 ** 31), 0, 2, 2 ** 31 - 1])(
    'a count of %p for three records loses none of them silently',
    (count) => {
      expect(() => decode(withCount(count))).toThrow(corrupt(/offset 100/));
    },
  );

  test('a record that says it is shorter or longer than its fields', () => {
    for (const by of [-2, 2]) {
      const bent = changed(good, (b) => (b[layout.BATCH_HEADER_BYTES] = (b[layout.BATCH_HEADER_BYTES] as number) + by));
      expect(() => decode(bent)).toThrow(corrupt(/offset 100/));
    }
  });

  test('offsets outside of their batch', () => {
    expect(() => decode(withLastOffsetDelta(good, 1))).toThrow(corrupt(/offset 100/));
    expect(() => decode(withLastOffsetDelta(good, -1))).toThrow(corrupt(/offset 100/));
    expect(() => decode(at(Buffer.from(good), 2 ** 62))).toThrow(corrupt(/offset/));
    expect(() => decode(at(Buffer.from(good), -100))).toThrow(corrupt(/offset/));
  });

  test('a marker whose record compaction took away aborts nothing', () => {
    const empty = changed(marker(5, 'abort', 100).subarray(0, layout.BATCH_HEADER_BYTES), (b) => {
      b.writeInt32BE(b.length - layout.LOG_OVERHEAD, layout.BATCH_LENGTH_AT);
      b.writeInt32BE(0, layout.RECORD_COUNT_AT);
    });
    expect(decode(empty)).toMatchObject({ records: [], nextOffset: 101 });
  });

  test('records before a corrupt batch are returned first, then the batch is an error', () => {
    const broken = at(withCount(9), 103);
    const before = decode(Buffer.concat([good, broken]));
    expect([before.records.length, before.nextOffset]).toEqual([3, 103]);
    expect(() => decode(broken, 103)).toThrow(corrupt(/offset 103/));
  });

  test('a size beyond all messages', () => {
    const bent = Buffer.from(good);
    bent.writeInt32BE(2 ** 31 - 1, layout.BATCH_LENGTH_AT);
    // Cut off by the fetch's limit, as far as this can tell: nothing is read.
    expect(decode(bent)).toMatchObject({ records: [], nextOffset: 100 });
    bent.writeInt32BE(-(2 ** 31), layout.BATCH_LENGTH_AT);
    expect(() => decode(bent)).toThrow(corrupt(/impossible length/));
  });

  test('5,000 batches with bytes changed under a right checksum: each is read or refused', () => {
    const next = random(7);
    const seen = { read: 0, refused: 0 };
    let misplaced = 0;
    for (let i = 0; i < 5_000; i++) {
      const bent = changed(good, (b) => {
        for (let n = 0; n < 1 + next() * 3; n++) {
          // Not the format, nor a codec: those have tests of their own.
          const where = layout.ATTRIBUTES_AT + 2 + Math.floor(next() * (b.length - layout.ATTRIBUTES_AT - 2));
          b[where] = [0, 1, 0x7f, 0x80, 0xff, Math.floor(next() * 256)][Math.floor(next() * 6)] as number;
        }
      });
      try {
        const { records, nextOffset } = decode(bent);
        seen.read++;
        if (nextOffset < 100 || records.some(({ offset }) => offset < 100 || offset >= nextOffset)) misplaced++;
      } catch (error) {
        if ((error as KafkaError).code !== 'CORRUPT_BATCH') throw error;
        seen.refused++;
      }
    }
    expect(misplaced).toBe(0);
    expect(seen.refused).toBeGreaterThan(1_000);
    expect(seen.read).toBeGreaterThan(300);
  });
});
