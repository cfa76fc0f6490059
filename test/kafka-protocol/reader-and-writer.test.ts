import { MalformedMessage, Reader, Writer } from '@millrace/kafka-protocol';

const bytesOf = (write: (to: Writer) => void): Buffer => {
  const to = new Writer(1);
  write(to);
  return to.toBuffer();
};

const NUMBERS = [0, 1, -1, 2 ** 31, -(2 ** 31), 2 ** 53 - 1, -(2 ** 53) + 1, 4294967295, -4294967297];
const LENGTHS = [0, 127, 128, 300, 2 ** 32];
const ID = '00112233445566778899aabbccddeeff';

test.each([false, true])('everything that is written is read again, flexible %s', (flexible) => {
  const bytes = bytesOf((to) => {
    to.int8(-5);
    to.bool(true);
    to.int16(-300);
    to.int32(-70_000);
    for (const number of NUMBERS) to.int64(number);
    to.uuid(ID);
    for (const text of ['grüße 🐘', null, '']) to.string(text, flexible);
    for (const value of [Buffer.from([1, 2]), null, Buffer.alloc(5_000, 1)]) to.byteString(value, flexible);
    for (const length of LENGTHS) to.unsignedVarint(length);
    to.noTaggedFields();
  });
  const from = new Reader(bytes);
  expect([from.int8(), from.bool(), from.int16(), from.int32()]).toEqual([-5, true, -300, -70_000]);
  expect(NUMBERS.map(() => from.int64())).toEqual(NUMBERS);
  expect(from.uuid()).toBe(ID);
  expect([1, 2, 3].map(() => from.string(flexible))).toEqual(['grüße 🐘', null, '']);
  const strings = [1, 2, 3].map(() => from.byteString(flexible));
  expect(strings).toEqual([Buffer.from([1, 2]), null, Buffer.alloc(5_000, 1)]);
  expect(LENGTHS.map(() => from.unsignedVarint())).toEqual(LENGTHS);
  from.skipTaggedFields();
  expect(from.remaining).toBe(0);
});

test('a UUID that is not set is zero, whatever the memory held', () => {
  expect(bytesOf((to) => to.uuid(''))).toEqual(Buffer.alloc(16));
});

test('a varint without an end is refused', () => {
  const endless = Buffer.alloc(5_000, 0x80);
  expect(() => new Reader(endless).unsignedVarint()).toThrow(MalformedMessage);
  expect(() => new Reader(endless).skipTaggedFields()).toThrow(MalformedMessage);
  expect(() => new Reader(endless).string(true)).toThrow(MalformedMessage);
  // Beyond what a length may be, however it is written.
  const long = Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
  expect(() => new Reader(long).byteString(true)).toThrow(MalformedMessage);
});

test('tagged fields may be many, but not more than there are bytes', () => {
  const claimed = bytesOf((to) => {
    to.unsignedVarint(2 ** 31);
    to.bytes(Buffer.alloc(1_000));
  });
  expect(() => new Reader(claimed).skipTaggedFields()).toThrow(MalformedMessage);
});

test.each([2 ** 31 - 1, -2, -(2 ** 31)])('an array of %p items is refused before the first is read', (count) => {
  const bytes = bytesOf((to) => {
    to.int32(count);
    to.bytes(Buffer.alloc(1_000));
  });
  expect(() => new Reader(bytes).count(false)).toThrow(MalformedMessage);
});

test('the number of elements is bounded over all arrays', () => {
  const bytes = bytesOf((to) => {
    to.int32(3);
    to.int32(3);
    to.bytes(Buffer.alloc(8));
  });
  const from = new Reader(bytes, { maxElements: 5 });
  expect(from.count(false)).toBe(3);
  expect(() => from.count(false)).toThrow(new MalformedMessage('has more than 5 elements'));
});

test('truncated input is refused, whatever length it announces', () => {
  expect(() => new Reader(Buffer.from([0, 5, 65])).string(false)).toThrow(MalformedMessage);
  expect(() => new Reader(Buffer.alloc(0)).int64()).toThrow(MalformedMessage);
});

test('a tagged field ends where its size says', () => {
  const read = (size: number): number => {
    const from = new Reader(Buffer.from([1, 7, size, 0, 5, 9, 9]));
    let value = 0;
    from.taggedFields((tag) => {
      value = tag * 1_000 + from.int16();
      return true;
    });
    return value;
  };
  expect(read(2)).toBe(7_005);
  for (const size of [1, 3, 5, 127]) expect(() => read(size)).toThrow(MalformedMessage);
});
