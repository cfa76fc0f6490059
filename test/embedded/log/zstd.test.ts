/** The embedded broker has the worker's zstd decoder: neither package may import the other's sources. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { portableZstd } from '../../../packages/embedded/src/log/decompress';
import { bomb } from '../../kafka/records/bombs';
import { FRAMES, FRAMES_TEXT } from '../../kafka/records/zstd-frames';

const ROOT = join(__dirname, '../../..');
const BROKER = join(ROOT, 'packages/embedded/src/log');
const WORKER = join(ROOT, 'src/kafka/records/compression');

test.each(['byte-copies.ts', ...readdirSync(join(BROKER, 'zstd')).map((name) => `zstd/${name}`)])(
  '%s is the same file in the broker and the worker',
  (file) => {
    expect(readFileSync(join(BROKER, file), 'utf8')).toBe(readFileSync(join(WORKER, file), 'utf8'));
  },
);

test.each(Object.entries(FRAMES))('reads %s', (_, frame) => {
  expect(portableZstd()(frame).toString()).toBe(FRAMES_TEXT);
});

test('1 GiB is an error before memory is allocated', () => {
  const before = process.resourceUsage().maxRSS;
  expect(() => portableZstd()(bomb('zstd', 1024).subarray(61))).toThrow('exceeds 134217728 bytes');
  expect((process.resourceUsage().maxRSS - before) / 1024).toBeLessThan(50);
});
