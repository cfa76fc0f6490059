/** The broker looks into batches for compacted topics alone; what such a batch takes is bounded. */
import { everyRecordHasKey } from '../../../packages/embedded/src/log/records';
import { batchAround, bomb, zstdZeros, type Codec } from '../../kafka/records/bombs';

const mebibytesTaken = (action: () => unknown): number => {
  const before = process.resourceUsage().maxRSS;
  action();
  return (process.resourceUsage().maxRSS - before) / 1024;
};

test.each<Codec>(['zstd', 'lz4', 'snappy', 'gzip'])('%s: 1 GiB is refused, and takes no memory', (codec) => {
  const batch = bomb(codec, 1024);
  const taken = mebibytesTaken(() => expect(() => everyRecordHasKey(batch)).toThrow());
  expect(taken).toBeLessThan(300);
});

test.each<Codec>(['zstd', 'lz4', 'snappy', 'gzip'])('%s: an honest batch of 16 MiB is read', (codec) => {
  expect(everyRecordHasKey(bomb(codec, 16))).toBe(true);
});

test('a wrong announced size and truncated data are errors', () => {
  const claims = zstdZeros(Buffer.from('abc'), 1000, Buffer.from('d'), 2n ** 40n);
  for (const section of [claims, claims.subarray(0, 12), Buffer.alloc(30, 0xff)])
    expect(() => everyRecordHasKey(batchAround(section, 'zstd'))).toThrow();
  for (const section of [Buffer.alloc(3), Buffer.alloc(30, 0xff)]) {
    expect(() => everyRecordHasKey(batchAround(section, 'lz4'))).toThrow();
    expect(() => everyRecordHasKey(batchAround(section, 'snappy'))).toThrow();
  }
});
