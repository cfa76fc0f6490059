/** zstd of Node.js, or of its optional package: what it reads, its limits, and what happens without both. */
import * as zlib from 'node:zlib';
import type * as Codecs from '@millrace/record-codecs';
import { codecById, DecompressionLimitError } from '@millrace/record-codecs';
import { zstdSize } from '../../packages/record-codecs/src/zstd';
import { seeded } from '../helpers/seeded';
import { zstdZeros } from '../kafka/records/bombs';
import { FRAMES, FRAMES_TEXT } from './zstd-frames';

const MIB = 1024 * 1024;
const zstd = codecById(4);

const SKIPPABLE = Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);

function outcome(frames: Buffer, limit: number): Buffer | 'error' {
  try {
    return zstd.decompress(frames, limit);
  } catch {
    return 'error';
  }
}
const mebibytesTaken = (action: () => unknown): number => {
  const before = process.resourceUsage().maxRSS;
  action();
  return (process.resourceUsage().maxRSS - before) / 1024;
};

test('what is written at any level is read', async () => {
  const plain = Buffer.from(FRAMES_TEXT.repeat(20));
  for (const level of [undefined, 1, 3, 12, 19])
    for (const size of [0, 1, 300, 131_071, 131_072, 131_073, plain.length]) {
      const compressed = await zstd.compress(plain.subarray(0, size), level);
      expect(zstd.decompress(compressed, MIB).equals(plain.subarray(0, size))).toBe(true);
    }
  const sizes = await Promise.all([1, 19].map(async (level) => (await zstd.compress(plain, level)).length));
  expect(sizes[1]).toBeLessThan(sizes[0]!);
});

test.each(Object.entries(FRAMES))('the command line: %s', (_, frame) => {
  expect(zstd.decompress(frame, MIB).toString()).toBe(FRAMES_TEXT);
});

// Node.js 22 reads the first frame only. Producers write one per batch.
const testSeveral = process.versions.node.startsWith('22.') ? test.skip : test;
testSeveral('several frames, with skippable ones between them', () => {
  const frames = Object.values(FRAMES);
  const all = Buffer.concat(frames.flatMap((frame) => [frame, SKIPPABLE]));
  expect(zstd.decompress(all, MIB).toString()).toBe(FRAMES_TEXT.repeat(frames.length));
});

describe('limits', () => {
  test.each(Object.entries(FRAMES))('%s: exactly the limit', (_, frame) => {
    const size = Buffer.byteLength(FRAMES_TEXT);
    expect(zstd.decompress(frame, size)).toHaveLength(size);
    expect(() => zstd.decompress(frame, size - 1)).toThrow(DecompressionLimitError);
  });

  test('a frame that claims 2^60 bytes', () => {
    const frame = zstdZeros(Buffer.from('abc'), 1000, Buffer.from('d'), 2n ** 60n);
    expect(mebibytesTaken(() => outcome(frame, 2 ** 31 - 1))).toBeLessThan(20);
  });

  test('a frame that claims less than it contains', () => {
    expect(() => zstd.decompress(zstdZeros(Buffer.from('abc'), 5000, Buffer.from('d'), 4n), MIB)).toThrow();
  });

  test('RLE blocks and compressed blocks of zeros beyond the limit', async () => {
    const bombs = [zstdZeros(Buffer.of(), 1024 * MIB, Buffer.of()), await zstd.compress(Buffer.alloc(64 * MIB), 1)];
    const taken = mebibytesTaken(() => {
      for (const bomb of bombs) expect(() => zstd.decompress(bomb, 16 * MIB)).toThrow(`more than ${16 * MIB} bytes`);
    });
    expect(taken).toBeLessThan(150);
  });

  test('a result keeps no more memory than it needs', () => {
    const records = zstd.decompress(FRAMES['-3 --no-check']!, MIB);
    expect(records.buffer.byteLength).toBeLessThan(2 * records.length);
  });

  test('sizes without decompressing: several frames, and those that are to be skipped', () => {
    const frame = zstdZeros(Buffer.from('abc'), 128 * 1024, Buffer.from('d'));
    const both = Buffer.concat([frame, SKIPPABLE, frame]);
    const size = 2 * (128 * 1024 + 4);
    expect(zstdSize(both)).toBe(size);
    expect(() => zstdSize(Buffer.concat([frame, Buffer.from('rest')]))).toThrow('not a zstd frame');
    for (const bytes of Object.values(FRAMES)) expect(zstdSize(bytes)).toBeLessThanOrEqual(FRAMES_TEXT.length * 2);
  });
});

describe('invalid frames', () => {
  test.each<[string, number[]]>([
    ['nothing', []],
    ['another magic number', [0x29, 0xb5, 0x2f, 0xfd, 0, 0x38, 1, 0, 0]],
    ['a dictionary', [0x28, 0xb5, 0x2f, 0xfd, 1, 0x38, 7, 1, 0, 0]],
    ['a reserved bit', [0x28, 0xb5, 0x2f, 0xfd, 8, 0x38, 1, 0, 0]],
    ['a reserved block type', [0x28, 0xb5, 0x2f, 0xfd, 0, 0x38, 7, 0, 0]],
    ['a missing checksum', [0x28, 0xb5, 0x2f, 0xfd, 4, 0x38, 1, 0, 0]],
    ['a skippable frame beyond the end', [0x50, 0x2a, 0x4d, 0x18, 0xff, 0xff, 0xff, 0xff]],
  ])('%s', (_, bytes) => {
    expect(() => zstd.decompress(Buffer.from(bytes), MIB)).toThrow();
  });

  test.each(Object.entries(FRAMES))('%s: every truncation', (_, frame) => {
    const read = Array.from(frame.keys()).filter((end) => outcome(frame.subarray(0, end), 100_000) !== 'error');
    expect(read).toEqual([]);
  });

  test('changed frames and noise end in an error or data within the limit', () => {
    const random = seeded(7);
    const frames = Object.values(FRAMES);
    for (let i = 0; i < 2000; i++) {
      const bent = Buffer.from(random.one(frames));
      for (let n = 1 + random.below(3); n > 0; n--) bent[4 + random.below(bent.length - 4)] = random.below(256);
      const bytes = random.chance(0.1) ? bent.subarray(0, random.below(bent.length)) : bent;
      expect(outcome(bytes, 30_000).length).toBeLessThanOrEqual(30_000);
    }
    const head = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x38]);
    for (let i = 0; i < 2000; i++) {
      const content = Buffer.from(Array.from({ length: 2 + random.below(100) }, () => random.below(256)));
      const block = Buffer.from([((content.length << 3) | 5) & 255, content.length >> 5, 0]);
      expect(outcome(Buffer.concat([head, block, content]), 1000).length).toBeLessThanOrEqual(1000);
    }
  });
});

test('without a package for it, before Node.js 22.15: an error that names the package', () => {
  jest.isolateModules(() => {
    jest.doMock('../../packages/record-codecs/src/native-package', () => ({
      nativePackage: () => null,
      nativeFailures: new Map([['@toondepauw/node-zstd', 'not installed']]),
    }));
    const codecs = jest.requireActual<typeof Codecs>('../../packages/record-codecs/src/index');
    if ('zstdCompress' in zlib) expect(codecs.codecById(4)).toBeDefined();
    else
      expect(() => codecs.codecById(4)).toThrow(
        /^zstd needs Node.js 22.15 or later, or the package @toondepauw\/node-zstd \(npm install .*not installed\.$/,
      );
    expect(() => codecs.codecById(5)).toThrow(codecs.UnavailableCodecError);
  });
});
