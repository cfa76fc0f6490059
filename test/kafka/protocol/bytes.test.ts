import { ByteReader, ByteWriter } from '../../../packages/kafka-client/src/protocol/bytes';

describe.each([false, true])('bytes, flexible %s', (flexible) => {
  test('everything that is written is read again', () => {
    const numbers = [0, 1, -1, 2 ** 31, -(2 ** 31), 2 ** 53 - 1, -(2 ** 53) + 1, 4294967295, -4294967297];
    const w = new ByteWriter(flexible, 1);
    w.int8(-5).boolean(true).int16(-300).int32(-70_000).float64(1.5);
    for (const number of numbers) w.int64(number);
    w.string('grüße 🐘')
      .nullableString(null)
      .nullableString('')
      .bytes(Buffer.from([1, 2]))
      .nullableBytes(null);
    w.array([1, 2, 3], (n) => w.int32(n))
      .nullableArray(null, () => undefined)
      .tags();
    for (const number of [0, 127, 128, 300, 2 ** 32]) w.uvarint(number);
    const r = new ByteReader(w.finish(), flexible);
    expect([r.int8(), r.boolean(), r.int16(), r.int32(), r.float64()]).toEqual([-5, true, -300, -70_000, 1.5]);
    expect(numbers.map(() => r.int64())).toEqual(numbers);
    expect([r.string(), r.nullableString(), r.nullableString()]).toEqual(['grüße 🐘', null, '']);
    expect([r.bytes(), r.nullableBytes()]).toEqual([Buffer.from([1, 2]), null]);
    expect([r.array(() => r.int32()), r.array(() => r.int32())]).toEqual([[1, 2, 3], []]);
    r.tags();
    expect([0, 1, 2, 3, 4].map(() => r.uvarint())).toEqual([0, 127, 128, 300, 2 ** 32]);
    expect(r.remaining).toBe(0);
  });
});

test('tagged fields of a newer broker are skipped', () => {
  const w = new ByteWriter(true);
  w.uvarint(2).uvarint(0).uvarint(3).raw(Buffer.from('abc')).uvarint(9).uvarint(0).int16(7);
  const r = new ByteReader(w.finish(), true);
  r.tags();
  expect(r.int16()).toBe(7);
});

test('truncated input is an error, whatever length it announces', () => {
  expect(() => new ByteReader(Buffer.from([0, 5, 65])).string()).toThrow(RangeError);
  expect(() => new ByteReader(Buffer.alloc(0)).int64()).toThrow(RangeError);
});
