/** The codecs in JavaScript read and write the same as the native packages, and have the same limits. */
import type * as Lz4 from 'lz4-napi';
import { compressSync, uncompressSync } from 'snappy';
import type { Codec } from '@millrace/record-codecs';
import { lz4Codec } from '../../packages/record-codecs/src/lz4';
import { nativePackage } from '../../packages/record-codecs/src/native-package';
import { snappyCodec, type SnappyBlocks } from '../../packages/record-codecs/src/snappy';
import { bomb } from '../kafka/records/bombs';
import { random, randomBytes } from '../kafka/records/record-batch-samples';

const MIB = 1024 * 1024;
const LIMIT = 16 * MIB;
const NATIVE_SNAPPY: SnappyBlocks = {
  compress: (plain) => compressSync(plain),
  decompress: (block) => uncompressSync(block, { asBuffer: true }) as Buffer,
};
const native = {
  lz4: lz4Codec(nativePackage<typeof Lz4>('lz4-napi')!),
  snappy: snappyCodec(NATIVE_SNAPPY),
};
const portable = { lz4: lz4Codec(null), snappy: snappyCodec() };

/** Noise, runs, and repetitions of different lengths and distances. */
function sample(seed: number): Buffer {
  const next = random(seed);
  const parts: Buffer[] = [];
  const size = [0, 1, 5, 12, 13, 64, 1000, 40_000, 70_000, 300_000][seed % 10]!;
  for (let bytes = 0; bytes < size;) {
    const count = Math.min(size - bytes, 1 + Math.floor(next() * [4, 20, 300, 70_000][Math.floor(next() * 4)]!));
    const kind = Math.floor(next() * 4);
    const all = Buffer.concat(parts);
    const from = Math.floor(next() * all.length);
    const part =
      kind === 0
        ? randomBytes(next, count)
        : kind === 1
          ? Buffer.alloc(count, Math.floor(next() * 256))
          : kind === 2
            ? Buffer.from(JSON.stringify({ id: bytes, name: `row ${seed}` }).repeat(1 + count / 20)).subarray(0, count)
            : all.subarray(from, from + count);
    parts.push(part);
    bytes += part.length;
  }
  return Buffer.concat(parts);
}

const outcome = (run: () => Buffer): Buffer | 'error' => {
  try {
    return run();
  } catch {
    return 'error';
  }
};

describe.each(['lz4', 'snappy'] as const)('%s', (name) => {
  const compress = (codec: Codec, plain: Buffer): Buffer => codec.compress(plain) as Buffer;

  test('each implementation reads what the other writes', () => {
    for (let seed = 0; seed < 60; seed++) {
      const plain = sample(seed);
      for (const writer of [native[name], portable[name]]) {
        const compressed = compress(writer, plain);
        expect(native[name].decompress(compressed, LIMIT).equals(plain)).toBe(true);
        expect(portable[name].decompress(compressed, LIMIT).equals(plain)).toBe(true);
      }
    }
  });

  test('repetitive data becomes smaller, and noise hardly larger', () => {
    const rows = Buffer.from(Array.from({ length: 3000 }, (_, i) => JSON.stringify({ i, name: `row ${i}` })).join());
    const noise = randomBytes(random(1), 100_000);
    expect(compress(portable[name], rows).length).toBeLessThan(compress(native[name], rows).length * 1.3);
    expect(compress(portable[name], noise).length).toBeLessThan(100_000 * 1.01);
  });

  test('of changed and truncated data, whatever the native package reads is read the same', () => {
    const next = random(42);
    let differing = 0;
    for (let i = 0; i < 4000; i++) {
      const compressed = Buffer.from(compress(native[name], sample([3, 4, 5, 6, 13, 14, 15, 16][i % 8]!)));
      // The checksum of an LZ4 frame's header, which the portable codec does not verify, is in the first bytes.
      const from = name === 'lz4' ? 7 : 0;
      for (let n = 1 + Math.floor(next() * 3); n > 0; n--)
        compressed[from + Math.floor(next() * (compressed.length - from))] = Math.floor(next() * 256);
      const bytes = next() < 0.3 ? compressed.subarray(0, Math.floor(next() * compressed.length)) : compressed;
      const expected = outcome(() => native[name].decompress(bytes, LIMIT));
      const actual = outcome(() => portable[name].decompress(bytes, LIMIT));
      if (typeof expected === 'string' ? actual !== 'error' : actual === 'error' || !actual.equals(expected))
        differing++;
    }
    expect(differing).toBe(0);
  });

  test('noise is an error or within the limit', () => {
    const next = random(7);
    const header = compress(portable[name], Buffer.alloc(0)).subarray(0, name === 'lz4' ? 7 : 16);
    for (let i = 0; i < 2000; i++) {
      const noise = randomBytes(next, 1 + Math.floor(next() * 200));
      for (const bytes of [noise, Buffer.concat([header, noise])]) {
        const result = outcome(() => portable[name].decompress(bytes, 1000));
        if (result !== 'error') expect(result.length).toBeLessThanOrEqual(1000);
      }
    }
  });

  test('a decompression bomb is an error before memory is allocated', () => {
    const section = bomb(name, 256).subarray(61);
    const before = process.resourceUsage().maxRSS;
    expect(() => portable[name].decompress(section, LIMIT)).toThrow(`more than ${LIMIT} bytes`);
    expect((process.resourceUsage().maxRSS - before) / 1024).toBeLessThan(50);
  });
});
