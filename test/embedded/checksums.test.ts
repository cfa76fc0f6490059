import { createRequire } from 'node:module';
import { crc32, portableCrc32 } from '../../packages/embedded/src/storage/crc32';
import { crc32c, portableCrc32c } from '../../packages/embedded/src/log/crc32c';
import { random, randomBytes } from '../kafka/records/record-batch-samples';

const native = createRequire(__filename)('@node-rs/crc32') as Record<'crc32' | 'crc32c', (bytes: Uint8Array) => number>;

test('check values of both checksums', () => {
  const text = '123456789';
  expect([crc32(text), portableCrc32(Buffer.from(text))]).toEqual([0xcbf43926, 0xcbf43926]);
  expect([crc32c(Buffer.from(text)), portableCrc32c(Buffer.from(text))]).toEqual([0xe3069283, 0xe3069283]);
});

test('the portable checksums equal the native ones at every length and alignment', () => {
  const bytes = randomBytes(random(7), 20_000);
  const views = Array.from({ length: 70 }, (_, length) => bytes.subarray(length % 9, (length % 9) + length));
  for (const view of [...views, bytes]) {
    expect(portableCrc32(view)).toBe(native.crc32(view));
    expect(portableCrc32c(view)).toBe(native.crc32c(view));
  }
});

test('text outside ASCII', () => {
  expect(crc32('größe 键')).toBe(portableCrc32(Buffer.from('größe 键')));
});
