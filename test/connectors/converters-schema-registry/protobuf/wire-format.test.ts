/** What is in the bytes of a record. Sources: the wire format that Confluent publishes; protobuf.dev, Encoding. */
import { ByteOutput } from '../../../../connectors/converters-schema-registry/src/byte-output';
import { foreignType } from './foreign-protobuf';
import { errorOf, formatOf, read, readHex, registered } from './protobuf-harness';

const PROTO3 = 'syntax = "proto3";';

describe('message indexes', () => {
  const text = `${PROTO3} message A { int32 a = 1; map<string, B> m = 2; message B { int32 b = 1; message C { int32 c = 1; } } enum E { Z = 0; } message D { int32 d = 1; } } message F { int32 f = 1; }`;
  const value = (hex: string) => read(Buffer.from(hex.replaceAll(' ', ''), 'hex'), text).value;

  test('lead to the message: zigzag numbers after their count', () => {
    const a = { a: 5, m: new Map() };
    expect(value('00 08 05')).toEqual(a);
    expect(value('00 08 05')).toEqual(a);
    expect(value('02 00 08 05')).toEqual(a);
    expect(value('02 02 08 05')).toEqual({ f: 5 });
    expect(value('04 00 00 08 05')).toEqual({ b: 5 });
    expect(value('04 00 02 08 05')).toEqual({ d: 5 });
    expect(value('06 00 00 00 08 05')).toEqual({ c: 5 });
  });

  test('that lead nowhere are errors', () => {
    for (const hex of ['02 04', '02 01', '04 02 00', '08 00 00 00 00', '01', 'ff ff 03', '02', '', 'ff'])
      expect(errorOf(() => value(hex))).toMatchObject({ code: 'PROTOBUF_DATA' });
    expect(errorOf(() => value('02 04')).message).toBe(
      'The record cannot be read as Protobuf: its schema has no message with the indexes 2.',
    );
    expect(errorOf(() => readHex('', PROTO3))).toMatchObject({ code: 'PROTOBUF_DATA' });
  });

  test('may be in a header, after the id: all of the value is then the message', () => {
    const reader = formatOf().reader(registered(text));
    expect(reader.read(Buffer.from([8, 5]), 0, Buffer.from([0])).value).toMatchObject({ a: 5 });
    expect(reader.read(Buffer.from([8, 5]), 0, Buffer.from([2, 2])).value).toEqual({ f: 5 });
    expect(reader.read(new Uint8Array([8, 5]), 0, new Uint8Array(0)).value).toMatchObject({ a: 5 });
    expect(reader.read(Buffer.alloc(0), 0, Buffer.from([2, 2])).value).toEqual({ f: 0 });
    expect(errorOf(() => reader.read(Buffer.from([8, 5]), 0, Buffer.from([2])))).toMatchObject({
      code: 'PROTOBUF_DATA',
    });
  });

  test('a reader is as good after an error as before', () => {
    const reader = formatOf().reader(registered(text));
    const bytes = Buffer.from([0, 8, 5]);
    for (let i = 0; i < 3; i++) {
      expect(errorOf(() => reader.read(Buffer.from([0, 8]), 0, null))).toMatchObject({ code: 'PROTOBUF_DATA' });
      expect(reader.read(bytes, 0, null).value).toMatchObject({ a: 5 });
    }
  });
});

describe('fields', () => {
  test('in any order, and unknown ones between them', () => {
    const text = `${PROTO3} message M { int32 a = 1; string s = 300; int32 z = 536870911; }`;
    const unknown = '10 96 01 19 01 02 03 04 05 06 07 08 22 02 61 62 2b 08 01 33 08 01 34 2c 3d 01 02 03 04';
    expect(readHex(`e2 12 01 61 ${unknown} 08 05 f8 ff ff ff 0f 07`, text).value).toEqual({ a: 5, s: 'a', z: 7 });
  });

  test('of another wire type are unknown fields', () => {
    const text = `${PROTO3} message M { int32 a = 1; string s = 2; repeated string l = 3; map<string, int32> m = 4; repeated int32 n = 5; M o = 6; oneof u { int32 v = 7; } }`;
    expect(readHex('0d 01 00 00 00 10 05 18 05 20 05 2d 01 00 00 00 30 01 3a 01 61', text).value).toEqual({
      a: 0,
      s: '',
      l: [],
      m: new Map(),
      n: [],
      o: null,
      u_0: null,
    });
  });

  test('the last value counts; messages are joined', () => {
    const text = `${PROTO3} message M { int32 a = 1; M m = 2; repeated int32 l = 3; }`;
    expect(readHex('08 01 08 02 12 02 08 05 12 02 18 07 12 02 18 08', text).value).toEqual({
      a: 2,
      m: { a: 5, m: null, l: [7, 8] },
      l: [],
    });
  });

  test.each(['int32', 'sint64', 'fixed32', 'sfixed64', 'double', 'float', 'bool', 'E'])(
    'lists of %s, packed and not, in proto2 and proto3',
    (type) => {
      const values = type === 'bool' ? [true, false, true] : type === 'E' ? [0, 1, 1] : [0, 1, 5];
      const connect = type === 'E' ? ['A', 'B', 'B'] : values;
      const textOf = (syntax: string, packed: string) =>
        `syntax = "${syntax}"; message M { repeated ${type} l = 1 ${packed}; enum E { A = 0; B = 1; } }`;
      const bytesOf = (text: string) => foreignType(text, 'M').encode({ l: values }).finish();
      for (const syntax of ['proto2', 'proto3'])
        for (const packed of ['', '[packed = true]', '[packed = false]']) {
          // Readers take both, whatever the schema says, also one after the other.
          const both = ['', '[packed = true]', '[packed = false]'].map((one) => bytesOf(textOf(syntax, one)));
          expect(new Set(both.map((bytes) => Buffer.from(bytes).toString('hex'))).size).toBe(2);
          const bytes = Buffer.concat([Buffer.from([0]), ...both]);
          expect(read(bytes, textOf(syntax, packed)).value).toEqual({ l: [...connect, ...connect, ...connect] });
        }
    },
  );

  test('numbers of more bytes than they need, and truncated ones, as other readers read them', () => {
    const text = `${PROTO3} message M { int32 i = 1; uint32 u = 2; bool b = 3; sint32 s = 4; int64 l = 5; }`;
    const hex =
      '08 85 80 80 80 80 80 80 80 80 00 10 ff ff ff ff ff ff ff ff ff 01 18 80 80 80 80 10 20 ff ff ff ff 0f 28 ff ff ff ff ff ff ff ff ff 01';
    const foreign = foreignType(text, 'M').decode(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
    expect(readHex(hex, text).value).toEqual({ i: 5, u: 4_294_967_295, b: true, s: -(2 ** 31), l: -1 });
    expect(foreign).toMatchObject({ i: 5, u: 4_294_967_295, b: true, s: -(2 ** 31) });
  });

  test('groups of proto2', () => {
    const text =
      'message M { repeated group Result = 1 { optional string url = 2; optional group Deep = 3 { optional int32 x = 1; } } optional int32 a = 5; oneof u { group One = 6 { optional int32 y = 1; } } }';
    const hex = '0b 12 01 61 1b 08 07 1c 0c 0b 0c 28 09 33 08 02 34';
    expect(readHex(hex, text).value).toEqual({
      result: [
        { url: 'a', deep: { x: 7 } },
        { url: null, deep: null },
      ],
      a: 9,
      u_0: { one: { y: 2 } },
    });
    // A group in place of a message, and the other way round, is an unknown field.
    expect(readHex('0a 03 12 01 61 28 09', text).value).toMatchObject({ result: [], a: 9 });
    const schema = formatOf()
      .reader(registered(text))
      .read(Buffer.from(`00${hex.replaceAll(' ', '')}`, 'hex'), 0, null);
    const output = new ByteOutput(4);
    formatOf().writerOf(registered(text), schema.schema, true).write(schema.value, output);
    expect(Buffer.from(output.finish()).toString('hex')).toBe(`00${hex.replaceAll(' ', '')}`);
  });
});

describe('bytes that are no message', () => {
  const text = `${PROTO3} message M { int32 a = 1; string s = 2; M m = 3; repeated double d = 4; map<string, int32> p = 5; bytes b = 6; fixed32 f = 7; repeated M l = 8; uint64 u = 9; oneof o { M om = 10; } }`;

  test.each<[string, string, RegExp, string | null]>([
    ['a number that ends early', '08', /ends early/, 'a'],
    ['a number of eleven bytes', `08 ${'ff '.repeat(10)}01`, /more than 10 bytes/, 'a'],
    ['a text that ends early', '12 05 61', /ends early/, 's'],
    ['a huge length', '12 ff ff ff ff 07', /ends early/, 's'],
    ['a length beyond 32 bits', '12 81 80 80 80 10 61', /32 bits/, 's'],
    ['a text that is not UTF-8', '12 02 c3 28', /not valid UTF-8/, 's'],
    ['a long text that is not UTF-8', `12 40 ${'61 '.repeat(62)} ed a0`, /not valid UTF-8/, 's'],
    ['half of a surrogate pair', '12 03 ed a0 80', /not valid UTF-8/, 's'],
    ['a message that ends within a value', '1a 01 08 05', /within a value/, 'm'],
    ['a packed list that ends within a value', '22 04 00 00 00 00', /ends early/, 'd'],
    ['an entry that ends within a value', '2a 01 0a 05 61 61 61 61 61', /within a value/, 'p'],
    ['a fixed number that ends early', '3d 01 02', /ends early/, 'f'],
    ['the field number 0', '00 01', /number 0/, null],
    ['a wire type that does not exist', '0e', /no wire type/, 'a'],
    ['a wire type that does not exist, of an unknown field', '7f', /no wire type/, null],
    ['the end of a group that did not begin', '7c', /did not begin/, null],
    ['a group that does not end', '7b 08 01', /ends early/, null],
    ['a group that ends as another', '7b 84 01', /did not begin/, null],
    ['unknown groups within each other', '7b '.repeat(200), /nested more than 100/, null],
    ['an unsigned number that is no INT64', '48 ff ff ff ff ff ff ff ff ff 01', /larger than an INT64/, 'u'],
    ['within a list', '42 02 08 05 42 02 12 05', /ends early/, 'l[1].s'],
    ['within a oneof', '52 02 12 05', /ends early/, 'om.s'],
  ])('%s', (_name, hex, message, field) => {
    const error = errorOf(() => readHex(hex, text));
    expect(error.message).toMatch(message);
    expect(error).toMatchObject({ code: 'PROTOBUF_DATA', place: field === null ? {} : { field } });
  });

  test('messages in messages end, however many', () => {
    let bytes = Buffer.alloc(0);
    for (let i = 0; i < 99; i++) bytes = Buffer.concat([Buffer.from([0x1a]), lengthOf(bytes.length), bytes]);
    expect(read(Buffer.concat([Buffer.from([0]), bytes]), text).value).toMatchObject({ m: { m: {} } });
    for (let i = 0; i < 1; i++) bytes = Buffer.concat([Buffer.from([0x1a]), lengthOf(bytes.length), bytes]);
    expect(errorOf(() => read(Buffer.concat([Buffer.from([0]), bytes]), text)).message).toContain(
      'nested more than 100',
    );
  });

  test('a small record does not become a huge one', () => {
    const wide = `${PROTO3} message M { repeated W l = 1; } message W { ${Array.from({ length: 2_000 }, (_, i) => `int32 f${i} = ${i + 1};`).join(' ')} }`;
    const bytes = Buffer.concat([Buffer.from([0]), ...Array.from({ length: 100_000 }, () => Buffer.from([0x0a, 0]))]);
    expect(errorOf(() => read(bytes, wide))).toMatchObject({ code: 'PROTOBUF_DATA' });
  });
});

function lengthOf(length: number): Buffer {
  return length < 128 ? Buffer.from([length]) : Buffer.from([(length & 127) | 128, length >> 7]);
}
