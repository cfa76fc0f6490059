import { crc32c, crc32cNative, crc32cPortable } from '../../../src/kafka/records/crc32c';
import { random, randomBytes } from './record-batch-samples';

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
    expect(crc32cPortable(bytes)).toBe(expected);
    expect(crc32c(bytes)).toBe(expected);
  });

  test('the native and the portable implementation agree at every length and alignment', () => {
    expect(crc32cNative).not.toBeNull();
    const bytes = randomBytes(random(7), 20_000);
    for (let length = 0; length < 70; length++) {
      const view = bytes.subarray(length % 9, (length % 9) + length);
      expect(crc32cPortable(view)).toBe(crc32cNative!(view));
    }
    expect(crc32cPortable(bytes)).toBe(crc32cNative!(bytes));
  });
});
