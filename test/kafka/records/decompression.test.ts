/** What compressed batches may take of memory: no more than the limit, whatever they hold or claim. */
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import type * as Lz4 from 'lz4-napi';
import type * as Snappy from 'snappy';
import { codecById, compressionId } from '@millrace/record-codecs';
import { checkLz4Size } from '../../../packages/record-codecs/src/lz4';
import {
  DECOMPRESSED_BATCH_MAX_BYTES,
  RecordSetReader,
  type DecodeOptions,
} from '../../../packages/kafka-client/src/records/record-batch-decoder';
import { at, encodeBatch, marker, record, transaction } from './record-batch-samples';
import { batchAround, bomb, overhang, zstdZeros, type Codec } from './bombs';

const load = createRequire(__filename);
const { compressFrameSync } = load('lz4-napi') as typeof Lz4;
const { compressSync } = load('snappy') as typeof Snappy;
const MIB = 1024 * 1024;
const CODECS: Codec[] = ['gzip', 'snappy', 'lz4', 'zstd'];

const reader = (bytes: Buffer, options: Partial<DecodeOptions> = {}): RecordSetReader =>
  new RecordSetReader(bytes, {
    fetchOffset: 0,
    isolation: 'read_uncommitted',
    abortedTransactions: [],
    checkCrcs: true,
    maxDecompressedBytes: 16 * MIB,
    ...options,
  });
const read = (bytes: Buffer, options?: Partial<DecodeOptions>) => reader(bytes, options).read(Infinity);
const decompress = (codec: Codec, bytes: Buffer, limit: number): Buffer =>
  codecById(compressionId(codec)).decompress(bytes, limit);

describe.each(CODECS)('%s', (codec) => {
  test('a batch beyond the limit is an error with its offset, the limit and what to do, and takes no memory', () => {
    // 256 MiB; gzip's is made slowest.
    const bytes = at(bomb(codec, 256), 42);
    const before = process.resourceUsage().maxRSS;
    expect(() => read(bytes)).toThrow(
      expect.objectContaining({
        code: 'DECOMPRESSED_BATCH_TOO_LARGE',
        message:
          `The record batch at offset 42 (${codec}) exceeds 16777216 bytes when decompressed; if such batches are ` +
          'intended, raise decompressed.batch.max.bytes (consumer.override.decompressed.batch.max.bytes of a connector; ' +
          "for a storage topic the key itself, in the worker's settings).",
      }),
    );
    expect((process.resourceUsage().maxRSS - before) / 1024).toBeLessThan(100);
  });

  test('the same batch is read when the limit allows it', () => {
    const { records } = read(bomb(codec, 16), { maxDecompressedBytes: 17 * MIB });
    expect(records.map(({ value }) => value?.length)).toEqual([16 * MIB]);
  });

  test('the default limit', () => {
    const options = { maxDecompressedBytes: DECOMPRESSED_BATCH_MAX_BYTES };
    expect(read(bomb(codec, 124), options).records).toHaveLength(1);
    expect(() => read(bomb(codec, 132), options)).toThrow('exceeds 134217728 bytes');
  });

  test('bytes after the last record: the batch is corrupt', () => {
    expect(() => read(overhang(codec, 4))).toThrow(
      expect.objectContaining({
        code: 'CORRUPT_BATCH',
        message: expect.stringContaining('4194305 bytes follow its last record') as string,
      }),
    );
  });

  test('a record count that lies takes no memory', () => {
    const whole = bomb(codec, 4).subarray(61);
    expect(() => read(batchAround(whole, codec, 2 ** 31 - 1))).toThrow(/impossible record count 2147483647/);
    expect(() => read(batchAround(whole, codec, -1))).toThrow(expect.objectContaining({ code: 'CORRUPT_BATCH' }));
    expect(() => read(batchAround(whole, codec, 1000))).toThrow(expect.objectContaining({ code: 'CORRUPT_BATCH' }));
  });

  test('exactly as much as the limit is allowed, and cut off or spoilt bytes are errors', async () => {
    const plain = Buffer.from(JSON.stringify(Array.from({ length: 3000 }, (_, id) => ({ id, name: `row ${id * 7}` }))));
    const compressed = await codecById(compressionId(codec)).compress(plain);
    expect(decompress(codec, compressed, plain.length).equals(plain)).toBe(true);
    expect(() => decompress(codec, compressed, plain.length - 1)).toThrow(/more than \d+ bytes/);
    expect(() => decompress(codec, compressed.subarray(0, compressed.length / 2), 16 * MIB)).toThrow();
    expect(() => decompress(codec, Buffer.alloc(100, 0xff), 16 * MIB)).toThrow();
    expect(() => decompress(codec, Buffer.alloc(0), 16 * MIB)).toThrow();
  });
});

test('a codec that is unknown, or not installed, is an error that names it', () => {
  const bytes = at(batchAround(Buffer.alloc(10), 'zstd'), 42);
  bytes[22] = 5; // the attributes' lowest byte
  const message = 'The record batch at offset 42 cannot be decompressed: Unknown record batch compression 5.';
  expect(() => read(bytes, { checkCrcs: false })).toThrow(
    expect.objectContaining({ code: 'CODEC_UNAVAILABLE', message }),
  );
});

describe('claims', () => {
  test('zstd: an impossible content size', () => {
    const frame = zstdZeros(Buffer.from('abc'), 1000, Buffer.from('d'), 2n ** 40n);
    const before = process.resourceUsage().maxRSS;
    expect(() => decompress('zstd', frame, 16 * MIB)).toThrow();
    expect((process.resourceUsage().maxRSS - before) / 1024).toBeLessThan(50);
  });

  test('zstd: a content size far below what the blocks hold', () => {
    const frame = zstdZeros(Buffer.from('abc'), 256 * MIB, Buffer.from('d'), 4n);
    const before = process.resourceUsage().maxRSS;
    expect(() => decompress('zstd', frame, 16 * MIB)).toThrow();
    expect((process.resourceUsage().maxRSS - before) / 1024).toBeLessThan(100);
  });

  test('snappy: a length beyond what its bytes can hold', () => {
    const block = compressSync(Buffer.alloc(1000));
    const lying = Buffer.concat([Buffer.from([0x80, 0x80, 0x80, 0x80, 0x04]), block.subarray(2)]);
    expect(() => decompress('snappy', lying, 2 ** 31 - 1)).toThrow(/cannot hold 1073741824/);
    expect(() => decompress('snappy', Buffer.alloc(20, 0x80), 16 * MIB)).toThrow(/without a size/);
  });

  test('gzip: a length in its trailer', () => {
    const lying = gzipSync(Buffer.alloc(1000));
    lying.writeUInt32LE(0xfffffff0, lying.length - 4);
    expect(() => decompress('gzip', lying, 16 * MIB)).toThrow(/incorrect length check/);
  });

  test('headers: a record whose headers would be larger as objects than the batch may be', () => {
    const many = Array.from({ length: 20_000 }, () => ({ key: '', value: null }));
    const plain = encodeBatch([{ ...record('x'), headers: many }]);
    expect(read(plain).records[0]?.headers).toHaveLength(20_000);
    expect(() => read(plain, { maxDecompressedBytes: MIB })).toThrow(
      expect.objectContaining({
        code: 'DECOMPRESSED_BATCH_TOO_LARGE',
        message: expect.stringMatching(
          /^The record batch at offset 0 has a record whose decoded headers exceed 1048576 bytes; if /,
        ) as string,
      }),
    );
  });

  test('a small batch keeps no more memory than it needs', () => {
    const compressed = gzipSync(Buffer.alloc(10_000, 'abc'));
    const batch = decompress('gzip', compressed, MIB);
    expect(batch.equals(Buffer.alloc(10_000, 'abc'))).toBe(true);
    expect(batch.buffer.byteLength).toBeLessThan(20_000);
    const large = gzipSync(Buffer.alloc(60_000, 'abc'));
    expect(decompress('gzip', large, MIB)).toHaveLength(60_000);
  });
});

describe('sizes without decompressing', () => {
  test('LZ4: blocks that are not full are counted exactly', () => {
    // Each of the 40 blocks may hold 64 KiB and holds 1000 bytes of random text and of zeros.
    const parts = Array.from({ length: 40 }, (_, i) =>
      compressFrameSync(Buffer.concat([Buffer.alloc(700), Buffer.from(`block ${i} `.repeat(50).slice(0, 300))])),
    );
    const body = parts.map((frame) => frame.subarray(7, -4));
    const frame = Buffer.concat([parts[0]!.subarray(0, 7), ...body, Buffer.alloc(4)]);
    const size = decompress('lz4', frame, MIB).length;
    expect(size).toBe(40_000);
    expect(() => checkLz4Size(frame, size)).not.toThrow();
    expect(() => checkLz4Size(frame, size - 1)).toThrow(`more than ${size - 1} bytes`);
  });
});

describe('piece by piece', () => {
  const small = (count: number, baseOffset: number) =>
    encodeBatch(
      Array.from({ length: count }, (_, i) => record(`v${baseOffset + i}`)),
      { baseOffset },
    );

  test('a batch of very many records becomes objects as far as there is room', () => {
    const all = reader(small(20_000, 100), { fetchOffset: 105 });
    const seen: number[] = [];
    const pieces: number[] = [];
    while (!all.done) {
      const { records, nextOffset, memory } = all.read(1);
      pieces.push(records.length);
      seen.push(...records.map(({ offset }) => offset));
      expect(nextOffset).toBe(seen.at(-1)! + 1);
      expect(memory).toBeLessThan(2 * MIB);
    }
    expect(pieces.length).toBeGreaterThan(3);
    expect(seen).toEqual(Array.from({ length: 20_000 - 5 }, (_, i) => 105 + i));
  });

  test('records before a corrupt batch are returned first', () => {
    const broken = Buffer.from(small(3, 3));
    broken[broken.length - 1]! ^= 1;
    const all = reader(Buffer.concat([small(3, 0), broken]));
    expect(all.read(Infinity)).toMatchObject({ nextOffset: 3, records: [{ offset: 0 }, { offset: 1 }, { offset: 2 }] });
    expect(all.done).toBe(false);
    expect(() => all.read(Infinity)).toThrow(/offset 3 does not match its checksum/);
  });

  test('a transaction that was aborted stays so over pieces, and a later one of its producer is read', () => {
    const of = (baseOffset: number) =>
      encodeBatch([record('x'), record('y')], { baseOffset, identity: transaction(7) });
    const bytes = Buffer.concat([small(2, 0), of(2), marker(7, 'abort', 4), of(5), marker(7, 'commit', 7)]);
    const abortedTransactions = [{ producerId: 7, firstOffset: 2 }];
    const all = reader(bytes, { isolation: 'read_committed', abortedTransactions });
    const seen: number[] = [];
    let next = 0;
    while (!all.done) {
      const piece = all.read(1);
      seen.push(...piece.records.map(({ offset }) => offset));
      next = piece.nextOffset;
    }
    expect([seen, next]).toEqual([[0, 1, 5, 6], 8]);
  });
});
