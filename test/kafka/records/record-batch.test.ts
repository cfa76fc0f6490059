import { BufferPool } from '../../../packages/kafka-client/src/records/buffer-pool';
import { compressionId, codecById, type CompressionType } from '@millrace/record-codecs';
import { KafkaError } from '../../../packages/kafka-client/src/errors';
import {
  DECOMPRESSED_BATCH_MAX_BYTES,
  decodeRecordBatches,
  type DecodeOptions,
} from '../../../packages/kafka-client/src/records/record-batch-decoder';
import {
  RecordBatchEncoder,
  recordSizeUpperBound,
} from '../../../packages/kafka-client/src/records/record-batch-encoder';
import {
  ATTRIBUTES_AT,
  BATCH_HEADER_BYTES,
  BATCH_LENGTH_AT,
  LOG_APPEND_TIME_FLAG,
  MAGIC_AT,
  MAX_TIMESTAMP_AT,
  RECORD_COUNT_AT,
  writeInt64,
} from '../../../packages/kafka-client/src/records/record-batch-layout';
import {
  varintBytes,
  varlongBytes,
  writeVarint,
  writeVarlong,
} from '../../../packages/kafka-client/src/records/varint';
import {
  at,
  changed,
  encodeBatch,
  marker,
  NO_IDENTITY,
  random,
  randomRecord,
  record,
  transaction,
  withLastOffsetDelta,
  type SampleRecord,
} from './record-batch-samples';

const decode = (bytes: Buffer, options: Partial<DecodeOptions> = {}) =>
  decodeRecordBatches(bytes, {
    fetchOffset: 0,
    isolation: 'read_uncommitted',
    abortedTransactions: [],
    checkCrcs: true,
    maxDecompressedBytes: DECOMPRESSED_BATCH_MAX_BYTES,
    ...options,
  });
const values = (bytes: Buffer, options: Partial<DecodeOptions> = {}) =>
  decode(bytes, options).records.map((r) => r.value!.toString());
const errorOf = (action: () => unknown): KafkaError => {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(KafkaError);
    return error as KafkaError;
  }
  throw new Error('nothing was thrown');
};

// eslint-disable-next-line @typescript-eslint/no-require-imports
const kafkajsDecoderOf = require('kafkajs/src/protocol/decoder');
// eslint-disable-next-line @typescript-eslint/no-require-imports
const kafkajsDecodeBatch = require('kafkajs/src/protocol/recordBatch/v0/decoder');
// eslint-disable-next-line @typescript-eslint/no-require-imports
const kafkajsEncoderOf = require('kafkajs/src/protocol/encoder');

function sampleRecords(seed: number): SampleRecord[] {
  const next = random(seed);
  return Array.from({ length: 1 + Math.floor(next() * 60) }, () => randomRecord(next));
}

describe('kafka-client 1: varints', () => {
  const edges = [
    0, -1, 1, 63, -64, 64, -65, 8191, -8192, 8192, -8193, 1048575, -1048576, 1048576, 134217727, 134217728,
  ];
  const edges32 = [...edges, 2 ** 30, -(2 ** 30), 2 ** 31 - 1, -(2 ** 31)];
  const edges64 = [...edges32, 2 ** 31, -(2 ** 31) - 1, 2 ** 35 - 1, 2 ** 41, -(2 ** 41) - 1, 2 ** 51, -(2 ** 51) - 1];

  test.each(edges32)('int32 %p', (value) => {
    const bytes = Buffer.alloc(10);
    const length = writeVarint(bytes, value, 0);
    expect(length).toBe(varintBytes(value));
    expect(new kafkajsDecoderOf(bytes).readVarInt()).toBe(value);
  });

  test.each(edges64)('int64 %p', (value) => {
    const bytes = Buffer.alloc(10);
    const length = writeVarlong(bytes, value, 0);
    expect(length).toBe(varlongBytes(value));
    expect(Number(new kafkajsDecoderOf(bytes).readVarLong().toString())).toBe(value);
    expect(bytes.subarray(0, length)).toEqual(new kafkajsEncoderOf().writeVarLong(BigInt(value) as never).buffer);
  });
});

describe('kafka-client 1: record batches written and read', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8])('random records come back unchanged (seed %p)', (seed) => {
    const records = sampleRecords(seed);
    const result = decode(encodeBatch(records, { baseOffset: 5_000_000_000 * seed }));
    expect(result.records).toEqual(records.map((r, i) => ({ offset: 5_000_000_000 * seed + i, ...r })));
    expect(result.nextOffset).toBe(5_000_000_000 * seed + records.length);
    expect(result.bytes).toBe(records.reduce((n, r) => n + (r.key?.length ?? 0) + (r.value?.length ?? 0), 0));
    expect(result.timestampType).toBe('CreateTime');
  });

  test.each([11, 12, 13])('another decoder reads the same (seed %p)', async (seed) => {
    // That decoder merges headers of one name and cannot hold null ones.
    const records = sampleRecords(seed).map((r) => ({
      ...r,
      headers: r.headers.map((h, i) => ({ key: `${i}-${h.key}`, value: h.value ?? Buffer.alloc(0) })),
    }));
    const identity = { producerId: 4711, epoch: 3, baseSequence: 2_000_000_000, transactional: true };
    const foreign = await kafkajsDecodeBatch(new kafkajsDecoderOf(encodeBatch(records, { identity })));
    expect(foreign).toMatchObject({
      producerId: '4711',
      producerEpoch: 3,
      firstSequence: 2_000_000_000,
      inTransaction: true,
    });
    expect(foreign.lastOffsetDelta).toBe(records.length - 1);
    expect(foreign.maxTimestamp).toBe(String(Math.max(...records.map((r) => r.timestamp))));
    foreign.records.forEach((r: { key: Buffer; value: Buffer; timestamp: string; headers: object }, i: number) => {
      expect(r.key).toEqual(records[i]!.key);
      expect(r.value).toEqual(records[i]!.value);
      expect(r.timestamp).toBe(String(records[i]!.timestamp));
      expect(r.headers).toEqual(Object.fromEntries(records[i]!.headers.map((h) => [h.key, h.value])));
    });
  });

  test.each<CompressionType>(['gzip', 'snappy', 'lz4', 'zstd'])('%s', async (type) => {
    const records = [
      ...sampleRecords(21),
      ...Array.from({ length: 2000 }, (_, i) => record(`the same again ${i % 7}`)),
    ];
    const encoder = new RecordBatchEncoder(new BufferPool(0), 10, 16);
    for (const r of records) encoder.append(r.key, r.value, r.headers, r.timestamp, Infinity);
    const plainBytes = encoder.byteLength;
    const codec = codecById(compressionId(type));
    encoder.replaceRecords(await codec.compress(encoder.records()), compressionId(type));
    const batch = encoder.finish(NO_IDENTITY);
    expect(batch.length).toBeLessThan(plainBytes / 1.5);
    expect(decode(batch).records).toEqual(records.map((r, i) => ({ offset: i, ...r })));
    const damaged = changed(batch, (b) => b.fill(0xa5, BATCH_HEADER_BYTES, BATCH_HEADER_BYTES + 30));
    expect(errorOf(() => decode(damaged)).code).toBe('CORRUPT_BATCH');
  });

  test('an empty key and value are not null', () => {
    const empty = { key: Buffer.alloc(0), value: Buffer.alloc(0), headers: [], timestamp: 5 };
    expect(decode(encodeBatch([empty])).records).toEqual([{ offset: 0, ...empty }]);
  });

  test('a record that would exceed the limit is refused with nothing written, the first one never is', () => {
    const encoder = new RecordBatchEncoder(new BufferPool(0), 0, 16);
    expect(encoder.append(null, Buffer.alloc(500), null, 1, 100)).toBe(true);
    const before = encoder.byteLength;
    expect(encoder.append(null, Buffer.alloc(500), null, 1, before + 500)).toBe(false);
    expect(encoder.byteLength).toBe(before);
    expect(encoder.append(null, Buffer.alloc(500), null, 1, before + 520)).toBe(true);
    expect(decode(encoder.finish(NO_IDENTITY)).records).toHaveLength(2);
  });

  test('append copies its buffers', () => {
    const encoder = new RecordBatchEncoder(new BufferPool(0), 0, 16);
    const value = Buffer.from('before');
    encoder.append(value, value, [{ key: 'h', value }], 1, Infinity);
    value.fill('x');
    const [r] = decode(encoder.finish(NO_IDENTITY)).records;
    expect([r!.key, r!.value, r!.headers[0]!.value].map(String)).toEqual(['before', 'before', 'before']);
  });

  test('the upper bound of a record holds', () => {
    for (const r of sampleRecords(31)) {
      expect(encodeBatch([r]).length).toBeLessThanOrEqual(recordSizeUpperBound(r.key, r.value, r.headers));
    }
  });

  test('compressed records leave the large buffer to the next batch', async () => {
    const pool = new BufferPool(2 ** 20);
    const encoder = new RecordBatchEncoder(pool, 32, 100_000);
    for (let i = 0; i < 90; i++) encoder.append(null, Buffer.alloc(1000, 'x'), null, 1, Infinity);
    const large = encoder.records().buffer;
    const codec = compressionId('gzip');
    encoder.replaceRecords(await codecById(codec).compress(encoder.records()), codec);
    const next = pool.acquire(100_000);
    expect(next.buffer).toBe(large);
    next.fill(0);
    expect(values(encoder.finish(NO_IDENTITY))).toEqual(Array.from({ length: 90 }, () => 'x'.repeat(1000)));
  });

  test('compressed records that are larger than their buffer', async () => {
    const encoder = new RecordBatchEncoder(new BufferPool(0), 0, 1024);
    const noise = Array.from({ length: 945 }, (_, i) => 33 + ((i * 7919) % 90));
    encoder.append(null, Buffer.from(noise), null, 1, Infinity);
    const codec = compressionId('gzip');
    const compressed = await codecById(codec).compress(encoder.records(), 0);
    expect(BATCH_HEADER_BYTES + compressed.length).toBeGreaterThan(encoder.bytes().buffer.byteLength);
    encoder.replaceRecords(compressed, codec);
    expect(values(encoder.finish(NO_IDENTITY))).toEqual([String.fromCharCode(...noise)]);
  });

  test('a request header is put in front without moving the batch, and the identity may change', () => {
    const encoder = new RecordBatchEncoder(new BufferPool(0), 32, 16);
    encoder.append(null, Buffer.from('v'), null, 1, Infinity);
    encoder.finish({ ...NO_IDENTITY, producerId: 1 });
    const batch = encoder.finish(transaction(77));
    const framed = encoder.withPrefix(Buffer.from('prefix'));
    expect(framed.subarray(0, 6).toString()).toBe('prefix');
    expect(framed.subarray(6)).toEqual(batch);
    expect(values(framed.subarray(6))).toEqual(['v']);
  });
});

describe('kafka-client 3: positions move over everything', () => {
  test('records below the fetch offset are skipped', () => {
    const bytes = encodeBatch(
      ['a', 'b', 'c'].map((v) => record(v)),
      { baseOffset: 10 },
    );
    expect(values(bytes, { fetchOffset: 12 })).toEqual(['c']);
    expect(decode(bytes, { fetchOffset: 20 })).toMatchObject({ records: [], nextOffset: 20 });
  });

  test('a batch cut off by the fetch size is left for the next fetch, at whatever byte', () => {
    const first = encodeBatch([record('a')], { baseOffset: 3 });
    const both = Buffer.concat([first, encodeBatch([record('b')], { baseOffset: 4 })]);
    for (let length = first.length; length < both.length; length++) {
      expect(decode(both.subarray(0, length), { fetchOffset: 3 })).toMatchObject({
        nextOffset: 4,
        records: [{ offset: 3 }],
      });
    }
    for (let length = 0; length < first.length; length++) {
      expect(decode(first.subarray(0, length), { fetchOffset: 3 })).toMatchObject({ nextOffset: 3, records: [] });
    }
  });

  test('holes at the end of a compacted batch, and batches emptied by compaction, are passed', () => {
    const holed = withLastOffsetDelta(encodeBatch([record('a')], { baseOffset: 100 }), 9);
    const emptied = changed(encodeBatch([record('x')], { baseOffset: 110 }).subarray(0, BATCH_HEADER_BYTES), (b) => {
      b.writeInt32BE(0, RECORD_COUNT_AT);
      b.writeInt32BE(BATCH_HEADER_BYTES - 12, BATCH_LENGTH_AT);
    });
    expect(decode(holed, { fetchOffset: 100 }).nextOffset).toBe(110);
    expect(decode(Buffer.concat([holed, withLastOffsetDelta(emptied, 4)])).nextOffset).toBe(115);
  });

  test('control batches are never returned but moved over', () => {
    const log = Buffer.concat([
      encodeBatch([record('a')], { identity: transaction(1) }),
      marker(1, 'commit', 1),
      marker(2, 'abort', 2),
    ]);
    for (const isolation of ['read_uncommitted', 'read_committed'] as const) {
      expect(values(log, { isolation })).toEqual(['a']);
      expect(decode(log, { isolation }).nextOffset).toBe(3);
      expect(decode(log, { isolation, fetchOffset: 2 })).toMatchObject({ records: [], nextOffset: 3 });
    }
  });

  test('log append time replaces each record timestamp', () => {
    const bytes = changed(encodeBatch([record('a', 5), record('b', 6)]), (b) => {
      b.writeInt16BE(LOG_APPEND_TIME_FLAG, ATTRIBUTES_AT);
      writeInt64(b, 1_800_000_000_123, MAX_TIMESTAMP_AT);
    });
    const result = decode(bytes);
    expect(result.timestampType).toBe('LogAppendTime');
    expect(result.records.map((r) => r.timestamp)).toEqual([1_800_000_000_123, 1_800_000_000_123]);
  });
});

describe('kafka-client 3: read_committed', () => {
  const isolation = 'read_committed';

  test('two aborted ranges of one producer around a committed one, interleaved with another producer', () => {
    const log = Buffer.concat([
      encodeBatch([record('aborted 1')], { identity: transaction(7), baseOffset: 0 }),
      encodeBatch([record('of 8')], { identity: transaction(8), baseOffset: 1 }),
      marker(7, 'abort', 2),
      encodeBatch([record('committed')], { identity: transaction(7), baseOffset: 3 }),
      marker(7, 'commit', 4),
      encodeBatch([record('aborted 2')], { identity: transaction(7), baseOffset: 5 }),
      encodeBatch([record('plain')], { baseOffset: 6 }),
      marker(7, 'abort', 7),
      marker(8, 'commit', 8),
    ]);
    const abortedTransactions = [
      { producerId: 7n, firstOffset: 5 },
      { producerId: 7, firstOffset: 0 },
    ];
    expect(values(log, { isolation, abortedTransactions })).toEqual(['of 8', 'committed', 'plain']);
    expect(values(log, { abortedTransactions })).toHaveLength(5);
    expect(decode(log, { isolation, abortedTransactions }).nextOffset).toBe(9);
  });

  test('a fetch from the middle of an aborted transaction', () => {
    const log = Buffer.concat([
      encodeBatch([record('aborted')], { identity: transaction(7), baseOffset: 50 }),
      marker(7, 'abort', 51),
      encodeBatch([record('next')], { identity: transaction(7), baseOffset: 52 }),
    ]);
    expect(
      values(log, { isolation, fetchOffset: 50, abortedTransactions: [{ producerId: 7, firstOffset: 3 }] }),
    ).toEqual(['next']);
  });

  test('a commit marker of the producer does not end before its abort range begins', () => {
    const log = Buffer.concat([
      marker(7, 'commit', 10),
      encodeBatch([record('aborted')], { identity: transaction(7), baseOffset: 11 }),
      marker(7, 'abort', 12),
    ]);
    expect(
      values(log, { isolation, fetchOffset: 10, abortedTransactions: [{ producerId: 7, firstOffset: 11 }] }),
    ).toEqual([]);
  });
});

describe('kafka-client 1: damaged input', () => {
  const good = encodeBatch([record('hello'), record('world')], { baseOffset: 42 });

  test('one flipped bit anywhere under the checksum is found, and the offset named', () => {
    for (let i = ATTRIBUTES_AT; i < good.length; i++) {
      const bad = Buffer.from(good);
      bad[i]! ^= 4;
      const error = errorOf(() => decode(bad));
      expect(error.code).toBe('CORRUPT_BATCH');
      expect(error.message).toContain('42');
    }
  });

  test('without checksums, a wrong length inside is still an error, never a wild read', () => {
    for (let i = BATCH_HEADER_BYTES; i < good.length; i++) {
      for (const value of [0x7f, 0xff, 0x80]) {
        const bad = Buffer.from(good);
        bad[i] = value;
        try {
          decode(bad, { checkCrcs: false });
        } catch (error) {
          expect((error as KafkaError).code).toBe('CORRUPT_BATCH');
        }
      }
    }
    const tooMany = changed(good, (b) => b.writeInt32BE(3, RECORD_COUNT_AT));
    expect(errorOf(() => decode(tooMany)).code).toBe('CORRUPT_BATCH');
  });

  test('an impossible length, and formats that are not version 2', () => {
    expect(errorOf(() => decode(changed(good, (b) => b.writeInt32BE(20, BATCH_LENGTH_AT)))).code).toBe('CORRUPT_BATCH');
    const magic = (n: number) => errorOf(() => decode(changed(good, (b) => (b[MAGIC_AT] = n))));
    expect([magic(0).code, magic(1).code, magic(9).code]).toEqual([
      'UNSUPPORTED_VERSION_CLIENT',
      'UNSUPPORTED_VERSION_CLIENT',
      'CORRUPT_BATCH',
    ]);
    expect(at(Buffer.from(good), 0)).toHaveLength(good.length);
  });
});
