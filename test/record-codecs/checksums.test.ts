import { createRequire } from 'node:module';
import { crc32, crc32c, portableCrc32, portableCrc32c } from '../../packages/record-codecs/src/checksums';
import { random, randomBytes } from '../kafka/records/record-batch-samples';

const native = createRequire(__filename)('@node-rs/crc32') as Record<'crc32' | 'crc32c', (bytes: Uint8Array) => number>;

/** RFC 3720, appendix B.4. */
const VECTORS: [string, Buffer, number][] = [
  ['nothing', Buffer.alloc(0), 0],
  ['32 zeros', Buffer.alloc(32), 0x8a9136aa],
  ['32 ones', Buffer.alloc(32, 0xff), 0x62a8ab43],
  ['0..31', Buffer.from(Array.from({ length: 32 }, (_, i) => i)), 0x46dd794e],
  ['31..0', Buffer.from(Array.from({ length: 32 }, (_, i) => 31 - i)), 0x113fdb5c],
  ['check string', Buffer.from('123456789'), 0xe3069283],
];

describe('kafka-client 1: CRC-32C', () => {
  test.each(VECTORS)('published vector: %s', (_name, bytes, expected) => {
    expect(portableCrc32c(bytes)).toBe(expected);
    expect(crc32c(bytes)).toBe(expected);
  });
});

test('CRC-32: the check value, and text outside ASCII', () => {
  expect([crc32('123456789'), portableCrc32(Buffer.from('123456789'))]).toEqual([0xcbf43926, 0xcbf43926]);
  expect(crc32('größe 键')).toBe(portableCrc32(Buffer.from('größe 键')));
});

test('the portable checksums equal the native ones at every length and alignment', () => {
  expect(crc32c).toBe(native.crc32c);
  const bytes = randomBytes(random(7), 20_000);
  const views = Array.from({ length: 70 }, (_, length) => bytes.subarray(length % 9, (length % 9) + length));
  for (const view of [...views, bytes]) {
    expect(portableCrc32(view)).toBe(native.crc32(view));
    expect(portableCrc32c(view)).toBe(native.crc32c(view));
  }
});
