/** The zstd decoder in JavaScript reads what the native package and the zstd command line write. */
import type * as NodeZstd from '@toondepauw/node-zstd';
import { DecompressionLimitError } from '../../../src/kafka/records/compression/limit';
import { bindingZstdCodec } from '../../../src/kafka/records/compression/zstd';
import { ZstdDecoder } from '../../../src/kafka/records/compression/zstd/decoder';
import { nativePackage } from '../../../src/kafka/records/native-package';
import { seeded } from '../../helpers/seeded';
import { zstdZeros } from './bombs';
import { FRAMES, FRAMES_TEXT } from './zstd-frames';
import { ZSTD_SAMPLES, ZSTD_SIZES } from './zstd-samples';

const MIB = 1024 * 1024;
const binding = nativePackage<typeof NodeZstd>('@toondepauw/node-zstd')!;
const native = bindingZstdCodec(binding);
const decoder = new ZstdDecoder();

const SKIPPABLE = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);

/** Those of Node's buffers are from another realm than the test. */
const isRangeError = (error: unknown): boolean => (error as Error).name === 'RangeError';
const RANGE_ERROR = expect.objectContaining({ name: 'RangeError' }) as Error;

/** Reports any other error than the two that callers expect. */
function outcome(frames: Buffer, limit: number): Buffer | 'error' {
  try {
    return decoder.decode(frames, limit);
  } catch (error) {
    if (error instanceof DecompressionLimitError || isRangeError(error)) return 'error';
    throw error;
  }
}

describe.each(Object.entries(ZSTD_SAMPLES))('%s', (_, sample) => {
  test.each([1, 3, 6, 12, 19])('level %d', (level) => {
    const encoder = new binding.Encoder(level);
    for (const size of level < 12 ? ZSTD_SIZES : [1000, 65_792, 300_000]) {
      const plain = sample.subarray(0, size);
      expect(decoder.decode(encoder.encodeSync(plain), size).equals(plain)).toBe(true);
    }
  });
});

test('all levels', () => {
  const plain = ZSTD_SAMPLES.json.subarray(0, 50_000);
  for (let level = 1; level <= 22; level++)
    expect(decoder.decode(new binding.Encoder(level).encodeSync(plain), plain.length).equals(plain)).toBe(true);
});

test.each(Object.entries(FRAMES))('the command line: %s', (_, frame) => {
  expect(decoder.decode(frame, MIB).toString()).toBe(FRAMES_TEXT);
});

test('several frames, with skippable ones before, between and after them', () => {
  const frames = Object.values(FRAMES);
  const all = Buffer.concat([SKIPPABLE, ...frames.flatMap((frame) => [frame, SKIPPABLE])]);
  expect(decoder.decode(all, MIB).toString()).toBe(FRAMES_TEXT.repeat(frames.length));
  expect(decoder.decode(SKIPPABLE, MIB)).toHaveLength(0);
});

test('a match does not refer to an earlier frame', () => {
  // Compressed block: no literals, one sequence of RLE codes: no literals, offset value 4 (1 byte back), 3 bytes.
  const content = Buffer.from([0x00, 0x01, 0x54, 0x00, 0x02, 0x00, 0x04]);
  const block = Buffer.concat([Buffer.from([(content.length << 3) | 5, 0, 0]), content]);
  const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x38]);
  const literal = Buffer.from([(1 << 3) | 0, 0, 0, 0x61]);
  expect(decoder.decode(Buffer.concat([head, literal, block]), 100).toString()).toBe('aaaa');
  const lastLiteral = Buffer.from([(1 << 3) | 1, 0, 0, 0x61]);
  expect(() => decoder.decode(Buffer.concat([head, lastLiteral, head, block]), 100)).toThrow('before its frame');
});

describe('limits', () => {
  test.each(Object.entries(FRAMES))('%s: exactly the limit', (_, frame) => {
    const size = Buffer.byteLength(FRAMES_TEXT);
    expect(decoder.decode(frame, size)).toHaveLength(size);
    expect(() => decoder.decode(frame, size - 1)).toThrow(DecompressionLimitError);
  });

  test('a frame that claims 2^60 bytes', () => {
    const before = process.resourceUsage().maxRSS;
    const frame = zstdZeros(Buffer.from('abc'), 1000, Buffer.from('d'), 2n ** 60n);
    expect(() => decoder.decode(frame, 2 ** 31)).toThrow(RANGE_ERROR);
    expect((process.resourceUsage().maxRSS - before) / 1024).toBeLessThan(20);
  });

  test('a frame that claims less than it contains', () => {
    expect(() => decoder.decode(zstdZeros(Buffer.from('abc'), 5000, Buffer.from('d'), 4n), MIB)).toThrow(RANGE_ERROR);
  });

  test('RLE blocks and compressed blocks of zeros beyond the limit', () => {
    const before = process.resourceUsage().maxRSS;
    for (const bomb of [
      zstdZeros(Buffer.of(), 1024 * MIB, Buffer.of()),
      new binding.Encoder(1).encodeSync(Buffer.alloc(64 * MIB)),
    ])
      expect(() => decoder.decode(bomb, 16 * MIB)).toThrow(`more than ${16 * MIB} bytes`);
    expect((process.resourceUsage().maxRSS - before) / 1024).toBeLessThan(150);
  });

  test('a result keeps no more memory than it needs', () => {
    const records = decoder.decode(FRAMES['-3 --no-check']!, MIB);
    expect(records.buffer.byteLength).toBeLessThan(2 * records.length);
  });
});

describe('invalid frames', () => {
  test.each<[string, number[]]>([
    ['nothing', []],
    ['another magic number', [0x29, 0xb5, 0x2f, 0xfd, 0, 0x38, 1, 0, 0]],
    ['a dictionary', [0x28, 0xb5, 0x2f, 0xfd, 1, 0x38, 7, 1, 0, 0]],
    ['a reserved bit', [0x28, 0xb5, 0x2f, 0xfd, 8, 0x38, 1, 0, 0]],
    ['a reserved block type', [0x28, 0xb5, 0x2f, 0xfd, 0, 0x38, 7, 0, 0]],
    ['an empty compressed block', [0x28, 0xb5, 0x2f, 0xfd, 0, 0x38, 5, 0, 0]],
    ['a missing checksum', [0x28, 0xb5, 0x2f, 0xfd, 4, 0x38, 1, 0, 0]],
    ['a skippable frame beyond the end', [0x50, 0x2a, 0x4d, 0x18, 0xff, 0xff, 0xff, 0xff]],
  ])('%s', (_, bytes) => {
    expect(() => decoder.decode(Buffer.from(bytes), MIB)).toThrow(RANGE_ERROR);
  });

  test.each(Object.entries(FRAMES))('%s: every truncation', (_, frame) => {
    const read = Array.from(frame.keys()).filter((end) => outcome(frame.subarray(0, end), 100_000) !== 'error');
    expect(read).toEqual([]);
  });

  // The native package also reads some Huffman streams that do not end where RFC 8878 demands it, and rejects windows
  // above 128 MiB, which are declared in the first six bytes.
  test('of changed and truncated frames, nothing is read that the native package does not read the same', () => {
    const random = seeded(20260);
    const frames = [1, 3, 12].flatMap((level) => {
      const encoder = new binding.Encoder(level);
      return Object.values(ZSTD_SAMPLES).map((sample) => encoder.encodeSync(sample.subarray(0, 3000)));
    });
    let [differing, same] = [0, 0];
    for (let i = 0; i < 4000; i++) {
      const bent = Buffer.from(random.one(frames));
      for (let n = 1 + random.below(3); n > 0; n--) bent[6 + random.below(bent.length - 6)] = random.below(256);
      const bytes = random.chance(0.1) ? bent.subarray(0, random.below(bent.length)) : bent;
      const actual = outcome(bytes, MIB);
      if (actual === 'error') continue;
      let isSame = actual.length <= MIB;
      try {
        isSame &&= native.decompress(bytes, MIB).equals(actual);
      } catch {
        isSame = false;
      }
      if (isSame) same++;
      else differing++;
    }
    expect(differing).toBe(0);
    expect(same).toBeGreaterThan(300);
  });

  test('flipped bits in frames of several blocks, and noise, end in an error or data within the limit', () => {
    const random = seeded(7);
    const frames = ['json', 'skewed'].map((name) =>
      new binding.Encoder(3).encodeSync(ZSTD_SAMPLES[name as 'json'].subarray(0, 300_000)),
    );
    for (let i = 0; i < 200; i++) {
      const bent = Buffer.from(random.one(frames));
      const at = 4 + random.below(bent.length - 4);
      bent[at] = bent[at]! ^ (1 << random.below(8));
      expect(outcome(bent, 400_000).length).toBeLessThanOrEqual(400_000);
    }
    const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x38]);
    for (let i = 0; i < 3000; i++) {
      const content = Buffer.from(Array.from({ length: 2 + random.below(100) }, () => random.below(256)));
      const block = Buffer.from([((content.length << 3) | 5) & 255, content.length >> 5, 0]);
      expect(outcome(Buffer.concat([head, block, content]), 1000).length).toBeLessThanOrEqual(1000);
    }
  });
});
