import { ByteReader } from '../../../packages/java-host/src/wire/byte-reader';
import { ByteWriter } from '../../../packages/java-host/src/wire/byte-writer';
import type { HostValue } from '../../../packages/java-host/src/wire/host-value';
import { readPlainMap, readValue, writeValue } from '../../../packages/java-host/src/wire/values';

function bytesOf(value: HostValue): Buffer {
  const writer = new ByteWriter();
  writeValue(writer, value);
  return writer.take();
}

function valueOf(bytes: Buffer): HostValue {
  const reader = new ByteReader(bytes);
  const value = readValue(reader);
  reader.end();
  return value;
}

const nullMap = (members: Record<string, HostValue>): HostValue =>
  Object.assign(Object.create(null) as object, members) as HostValue;

describe('values of the Java host', () => {
  const bytes: [string, HostValue, string][] = [
    ['null', null, '00'],
    ['true', true, '01'],
    ['false', false, '02'],
    ['an integer', 258, '030000000000000102'],
    ['a negative integer', -2, '03fffffffffffffffe'],
    ['a large integer', 2 ** 40 + 1, '030000010000000001'],
    ['the least safe integer', Number.MIN_SAFE_INTEGER, '03ffe0000000000001'],
    ['a bigint', 2n ** 62n, '034000000000000000'],
    ['the least Long', -(2n ** 63n), '038000000000000000'],
    ['a double', 1.5, '043ff8000000000000'],
    ['minus zero', -0, '048000000000000000'],
    ['infinity', Infinity, '047ff0000000000000'],
    ['an integer beyond 2^53', 2 ** 60, '0443b0000000000000'],
    ['a string', 'aé', '050000000361c3a9'],
    ['bytes', Buffer.from([1, 2]), '06000000020102'],
    ['a list', [null, true], '07000000020001'],
    ['a map', nullMap({ b: 1, a: null }), '080000000200000001620300000000000000010000000161' + '00'],
    [
      'a map with other keys',
      new Map<HostValue, HostValue>([[1, 'x']]),
      '09000000010300000000000000010500000001' + '78',
    ],
    ['a decimal', { unscaled: -129n, scale: 2 }, '0a0000000200000002ff7f'],
    ['a date', new Date(1000), '0b00000000000003e8'],
  ];

  it.each(bytes)('writes and reads %s', (_name, value, hex) => {
    expect(bytesOf(value).toString('hex')).toBe(hex);
    expect(valueOf(Buffer.from(hex, 'hex'))).toStrictEqual(value);
  });

  it('keeps names that objects inherit', () => {
    const map = JSON.parse('{"__proto__": 1, "constructor": 2}') as HostValue;
    const read = valueOf(bytesOf(map)) as Record<string, HostValue>;
    expect(Object.getPrototypeOf(read)).toBeNull();
    expect(Object.entries(read)).toEqual([
      ['__proto__', 1],
      ['constructor', 2],
    ]);
    const plain = readPlainMap(new ByteReader(bytesOf(map))) as Record<string, HostValue>;
    expect(Object.getPrototypeOf(plain)).toBe(Object.prototype);
    expect(Object.entries(plain)).toEqual([
      ['__proto__', 1],
      ['constructor', 2],
    ]);
  });

  it('reads dates beyond those of JavaScript as numbers', () => {
    const bytes = Buffer.from('0b7fffffffffffffff', 'hex');
    expect(valueOf(bytes)).toBe(2n ** 63n - 1n);
  });

  it('reads short texts that differ in one byte, and texts that are not ASCII', () => {
    const texts = ['lsn', 'lsm', 'ls', 'lsnn', 'lsñ', '\ufffd', 'a'.repeat(40), ''];
    expect(valueOf(bytesOf([...texts, ...texts]))).toEqual([...texts, ...texts]);
  });

  it('reads invalid UTF-8 as JavaScript does, whatever was read before', () => {
    const reader = new ByteReader(Buffer.from('0000000161' + '00000001ff' + '0000000161' + '00000001ff', 'hex'));
    expect([reader.string(), reader.string(), reader.string(), reader.string()]).toEqual([
      'a',
      '\ufffd',
      'a',
      '\ufffd',
    ]);
  });

  const hostile: [string, string][] = [
    ['nothing', ''],
    ['an unknown type', '0c'],
    ['a cut integer', '0300'],
    ['a cut double', '0400'],
    ['a string beyond the end', '05000000056100'],
    ['a negative length', '05ffffffff'],
    ['bytes beyond the end', '067fffffff'],
    ['a list that claims more elements than bytes', '077fffffff00'],
    ['a map that claims more entries than bytes', '08000000020000000000'],
    ['a map with other keys that claims more than bytes', '097fffffff'],
    ['a negative count', '07ffffffff'],
    ['101 lists in each other', '0700000001'.repeat(101) + '00'],
    ['101 maps in each other', '080000000100000000'.repeat(101) + '00'],
    ['100,000 lists in each other', '0700000001'.repeat(100_000) + '00'],
  ];

  it.each(hostile)('refuses %s', (_name, hex) => {
    expect(() => valueOf(Buffer.from(hex, 'hex'))).toThrow(expect.objectContaining({ code: 'JAVA_HOST_PROTOCOL' }));
  });

  it('reads and writes 100 lists in each other, and no more', () => {
    let value: HostValue = null;
    for (let i = 0; i < 100; i++) value = [value];
    expect(bytesOf(valueOf(bytesOf(value)))).toEqual(bytesOf(value));
    expect(() => bytesOf([value])).toThrow('nest more than 100 deep');
    let leaf: HostValue = [Buffer.from('bytes'), new Date(0), { unscaled: 12n, scale: 1 }];
    for (let i = 1; i < 100; i++) leaf = [leaf];
    expect(bytesOf(valueOf(bytesOf(leaf)))).toEqual(bytesOf(leaf));
  });

  it('refuses a decimal that is larger than any number needs', () => {
    const bytes = Buffer.alloc(9 + 1024 * 1024 + 1);
    bytes[0] = 10;
    bytes.writeInt32BE(1024 * 1024 + 1, 5);
    expect(() => valueOf(Buffer.concat([bytes]))).toThrow('a decimal has');
  });

  it('refuses integers of more than 64 bits, functions and symbols', () => {
    expect(() => bytesOf(2n ** 63n)).toThrow('more than 64 bits');
    expect(() => bytesOf((() => 1) as never)).toThrow('a function is no value');
  });

  it('does not write members that are undefined', () => {
    expect(valueOf(bytesOf({ a: undefined, b: 1 } as never))).toEqual(nullMap({ b: 1 }));
  });

  it('hands over large content and writes on in other memory', () => {
    const writer = new ByteWriter();
    writer.raw(Buffer.alloc(100_000, 1));
    const large = writer.take();
    writer.raw(Buffer.alloc(100_000, 2));
    expect(large.every((byte) => byte === 1)).toBe(true);
    expect(writer.take().every((byte) => byte === 2)).toBe(true);
    writer.u8(1);
    const small = writer.take();
    writer.u8(2);
    expect([small[0], writer.take()[0]]).toEqual([1, 2]);
  });
});
