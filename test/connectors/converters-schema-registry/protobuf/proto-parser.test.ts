/** Texts of .proto files: what is read of them, compared with protobuf.js, and what is refused. */
import { createRegistry } from '@bufbuild/protobuf';
import * as wkt from '@bufbuild/protobuf/wkt';
import { Type, type Field, type MapField } from 'protobufjs';
import { readRegistered } from '../../../../connectors/converters-schema-registry/src/protobuf/schema/registered-file';
import type {
  FieldType,
  MessageType,
} from '../../../../connectors/converters-schema-registry/src/protobuf/schema/proto-model';
import { foreignRoot } from './foreign-protobuf';
import { errorOf, formatOf, readHex, registered } from './protobuf-harness';

const PROTO3 = 'syntax = "proto3";';

const TEXT = `
  // A comment, and /* one in it
  /* and "another" */ syntax = 'proto3';
  package a.b_c . d ;
`.replace(' . d ', '.d');

const SAMPLE = `${TEXT}
  option java_package = "x"; option (custom).opt.part = { a: 1, b: [1, 2], c { d: "e" "f" }; [x.y/z]: true };
  import weak "google/protobuf/any.proto"; import "google/protobuf/timestamp.proto"; import public "google/type/date.proto";
  message M {
    option deprecated = true;
    reserved 1000 to max; reserved "gone", "lost"; reserved 2, 4 to 6;
    string message_name = 1; int64 option_x = 3 [deprecated = true, json_name="foo"]; .a.b_c.d.M self = 7;
    repeated sint32 list = 8 [packed = false]; map<string, M.N> map_field = 9; optional bytes opt = 0xA;
    message N { enum message_kind { A = 0; B = -1; C = 0x7fffffff; reserved 5; } message_kind k = 1; google.type.Date d = 2; N n = 3; }
    oneof choice { N n = 11; uint32 u = 12; }
    enum E { option allow_alias = true; Z = 0; Y = 0; };
    repeated E es = 13; google.protobuf.Timestamp t = 14; extensions_like x = 15; message extensions_like {}
  }
  service S { rpc Call (M) returns (stream M) { option (x) = "}"; } }
  message Other { M.N.message_kind kind = 1; M m = 2; d.M m2 = 3; }
  extend M { string e = 500; }
  ;
`;

test('a text of all syntax, as protobuf.js reads it', () => {
  const { messages } = readRegistered(registered(SAMPLE));
  const root = foreignRoot(SAMPLE);
  const compare = (message: MessageType): void => {
    const type = root.lookupType(message.fullName);
    expect(message.fields.map(describeOwn)).toEqual(
      type.fieldsArray.filter((field) => !field.name.startsWith('.')).map(describeForeign),
    );
    message.messages.forEach(compare);
  };
  messages.forEach(compare);
  expect(messages.map((message) => message.fullName)).toEqual(['a.b_c.d.M', 'a.b_c.d.Other']);
  expect(messages[0]?.messages.map((message) => message.name)).toEqual(['N', 'extensions_like']);
  expect(messages[0]?.fields).toHaveLength(11);
});

const typeName = (type: FieldType) => (typeof type === 'string' ? type : type.fullName.replace(/^.* entry$/, 'entry'));

function describeOwn({
  name,
  number,
  type,
  repeated,
  packed,
  oneof,
  presence,
}: MessageType['fields'][number]): unknown {
  const isMap = typeName(type) === 'entry';
  return {
    name,
    number,
    type: isMap ? (type as MessageType).fields.map((field) => typeName(field.type)) : typeName(type),
    repeated,
    packed,
    oneof: oneof?.name ?? null,
    // Of messages, protobuf.js does not say it.
    hasPresence: !repeated && presence === 'explicit' && !(typeof type !== 'string' && type.kind === 'message'),
  };
}

function describeForeign(field: Field): unknown {
  field.resolve();
  const name = field.resolvedType === null ? field.type : field.resolvedType.fullName.slice(1);
  const oneof =
    field.partOf !== null && field.partOf !== undefined && !field.partOf.isProto3Optional ? field.partOf.name : null;
  const repeated = field.repeated || field.map;
  return {
    name: field.name,
    number: field.id,
    type: field.map ? [(field as unknown as MapField).keyType, name] : name,
    repeated,
    packed: field.repeated && field.packed,
    oneof,
    hasPresence: !repeated && Boolean(field.hasPresence) && !(field.resolvedType instanceof Type),
  };
}

describe('well-known files are those of Protobuf-ES', () => {
  const registry = createRegistry(
    wkt.file_google_protobuf_any,
    wkt.file_google_protobuf_api,
    wkt.file_google_protobuf_duration,
    wkt.file_google_protobuf_empty,
    wkt.file_google_protobuf_field_mask,
    wkt.file_google_protobuf_source_context,
    wkt.file_google_protobuf_struct,
    wkt.file_google_protobuf_timestamp,
    wkt.file_google_protobuf_type,
    wkt.file_google_protobuf_wrappers,
  );

  test.each([
    'Any',
    'Api',
    'Duration',
    'Empty',
    'FieldMask',
    'SourceContext',
    'Struct',
    'Timestamp',
    'Type',
    'BoolValue',
  ])('the file of %s', (name) => {
    const desc = registry.getMessage(`google.protobuf.${name}`);
    const file = desc?.file;
    const text = `${PROTO3} import "${file?.name}.proto"; message M { google.protobuf.${name} f = 1; }`;
    const own = readRegistered(registered(text)).messages[0]?.fields[0]?.type as MessageType;
    expect(own.fields.map((field) => [field.name, field.number])).toEqual(
      desc?.fields.map((field) => [field.name, field.number]),
    );
    for (const message of file?.messages ?? []) {
      const one = readRegistered(registered(text.replace(`.${name} f`, `.${message.name} f`))).messages[0]?.fields[0];
      expect((one?.type as MessageType).fields.map((field) => [field.name, field.number, field.repeated])).toEqual(
        message.fields.map((field) => [
          field.name,
          field.number,
          field.fieldKind === 'list' || field.fieldKind === 'map',
        ]),
      );
    }
  });

  test('and all others can be imported', () => {
    const files =
      'calendar_period color date datetime dayofweek decimal expr fraction interval latlng localized_text money month phone_number postal_address quaternion timeofday'
        .split(' ')
        .map((name) => `import "google/type/${name}.proto";`);
    const confluent = ['meta', 'type/decimal', 'types/decimal'].map((name) => `import "confluent/${name}.proto";`);
    const text = `${PROTO3} ${files.join('')} ${confluent.join('')} import "google/protobuf/descriptor.proto"; message M { google.type.DateTime d = 1; google.type.Color c = 2; google.type.PhoneNumber p = 3; }`;
    expect(readRegistered(registered(text)).messages[0]?.fields).toHaveLength(3);
  });
});

describe('schemas that are refused', () => {
  const many = (count: number, of: (i: number) => string) => Array.from({ length: count }, (_, i) => of(i)).join(' ');

  test.each<[string, string, RegExp]>([
    ['JSON', '{"type":"record"}', /is not a \.proto file: "\{" is not expected in line 1/],
    ['an unknown syntax', 'syntax = "proto4"; message M {}', /unknown syntax/],
    ['a message that does not end', 'message M {\n\n int32 a = 1;', /its end is not expected in line 3/],
    ['a comment that does not end', 'message M { /* ', /comment in line 1 is not complete/],
    ['a text that does not end', 'import "a', /text in line 1 is not complete/],
    ['an unknown type', 'message M { optional X x = 1; }', /field x of M has the unknown type X/],
    ['a field twice', 'message M { optional int32 x = 1; optional int32 x = 2; }', /has the field x twice/],
    ['a number twice', 'message M { optional int32 x = 1; optional int32 y = 1; }', /field number 1 twice/],
    ['a type twice', 'message M {} message M {}', /declares M twice/],
    ['a number of 0', 'message M { optional int32 x = 0; }', /from 1 to/],
    ['a number too large', 'message M { optional int32 x = 536870912; }', /from 1 to/],
    ['a number that is none', 'message M { optional int32 x = 1.5; }', /not expected/],
    ['a map with keys of a message', 'message M { map<M, int32> x = 1; }', /keys of a type/],
    ['a map with keys of floats', 'message M { map<float, int32> x = 1; }', /keys of a type/],
    [
      'entries that are none',
      'message M { option map_entry = true; optional string key = 1; }',
      /not a key and a value/,
    ],
    ['an enum without values', 'message M { optional E e = 1; } enum E {}', /has no values/],
    ['a value of an enum beyond int32', 'message M {} enum E { A = 2147483648; }', /not an int32/],
    ['a value of an enum twice', 'message M {} enum E { A = 0; A = 1; }', /has the value A twice/],
    ['a default out of range', 'message M { optional uint32 x = 1 [default = -1]; }', /default of the field x/],
    [
      'a default beyond INT64',
      'message M { optional uint64 x = 1 [default = 18446744073709551615]; }',
      /default of the field x/,
    ],
    ['a default that is no number', 'message M { optional double x = 1 [default = "a"]; }', /default of the field x/],
    [
      'a default that the enum has not',
      'message M { optional E x = 1 [default = B]; enum E { A = 0; } }',
      /default of the field x/,
    ],
    [
      'a oneof and a field of one name',
      `${PROTO3} message M { oneof a { int32 x = 1; } int32 a_0 = 2; }`,
      /two fields that are a_0/,
    ],
    [
      'a scale that is none',
      `${PROTO3} import "confluent/type/decimal.proto"; message M { confluent.type.Decimal d = 1 [(confluent.field_meta).params = {key: "scale", value: "x"}]; }`,
      /scale/,
    ],
    ['messages too deep', `${'message M { '.repeat(70)}${'}'.repeat(70)}`, /nested more than 64/],
    ['options too deep', `option (x) = ${'{ a: '.repeat(70)}1${'}'.repeat(70)};`, /nested more than 64/],
    ['a text too large', `// ${'x'.repeat(1_000_000)}`, /1000005 characters|1000003 characters/],
    [
      'too many fields',
      `message M { ${many(50_001, (i) => `optional int32 f${i}=${i + 1};`).slice(0, 999_000)} }`,
      /not expected|declares more than/,
    ],
    ['too many values', `message M {} enum E { ${many(50_001, (i) => `A${i}=${i};`)} }`, /declares more than/],
    [
      'fields of a large enum',
      `${PROTO3} message M { ${many(100, (i) => `E f${i}=${i + 1};`)} } enum E { ${many(6_000, (i) => `A${i}=${i};`)} }`,
      /more than 500000 values/,
    ],
    ['a name too long', `message ${'x'.repeat(501)} {}`, /more than 500 characters/],
    [
      'lists that stand for themselves',
      `${PROTO3} message M { L l = 1; } message L { option (confluent.message_meta).params = {key: "millrace.stands.for", value: "value"}; repeated L value = 1; }`,
      /Lists of the schema are nested/,
    ],
    [
      'values that stand for themselves',
      `${PROTO3} message M { L l = 1; } message L { option (confluent.message_meta).params = {key: "millrace.stands.for", value: "value"}; L value = 1; }`,
      /nested/,
    ],
    [
      'types that are a billion fields',
      `${PROTO3} ${many(40, (i) => `message M${i} { M${i + 1} a = 1; M${i + 1} b = 2; }`)} message M40 { int32 x = 1; }`,
      /more than 1000000 fields/,
    ],
    [
      'types nested a thousand times',
      `${PROTO3} ${many(1_000, (i) => `message M${i} { M${i + 1} a = 1; }`)} message M1000 { int32 x = 1; }`,
      /nested more than 500/,
    ],
  ])('%s', (_name, text, message) => {
    const error = errorOf(() => readHex('', text));
    expect(error.message).toMatch(message);
    expect(error).toMatchObject({ code: 'PROTOBUF_SCHEMA' });
    expect(error.message.length).toBeLessThan(400);
  });

  test('imports: missing, circular, too many', () => {
    const read = (text: string, dependencies: Record<string, string>) => readRegistered(registered(text, dependencies));
    expect(errorOf(() => read('import "a.proto";', {})).message).toContain('imports a.proto');
    const circle = { 'a.proto': 'import "b.proto"; message A {}', 'b.proto': 'import "a.proto"; message B {}' };
    expect(read('import "a.proto"; message M { optional A a = 1; optional B b = 2; }', circle).messages).toHaveLength(
      1,
    );
    const chain = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`f${i}`, `import "f${i + 1}";`]));
    expect(errorOf(() => read('import "f0";', chain)).message).toContain('more than 500 files');
    // The registry's text of a well-known file does not replace it.
    const wrong = {
      'google/protobuf/timestamp.proto': 'package google.protobuf; message Timestamp { optional string s = 1; }',
    };
    const text = 'import "google/protobuf/timestamp.proto"; message M { optional google.protobuf.Timestamp t = 1; }';
    expect(
      formatOf()
        .reader(registered(text, wrong))
        .read(Buffer.from([0, 10, 0]), 0, null).value,
    ).toEqual({ t: new Date(0) });
  });

  test('large schemas cost no more than their size', () => {
    // Once quadratic elsewhere: fields of one message, types of one file, long scopes, one oneof of many fields.
    const scopes = `${many(60, (i) => `message ${'x'.repeat(200)}${i} {`)} ${many(20_000, (i) => `optional T${i % 7} f${i}=${i + 1};`)} ${'}'.repeat(60)} ${many(7, (i) => `message T${i} {}`)}`;
    const oneof = `${PROTO3} message M { oneof o { ${many(20_000, (i) => `int32 f${i}=${i + 1};`)} } }`;
    const oneofs = `${PROTO3} message M { ${many(12_000, (i) => `oneof o${i} { int32 f${i}=${i + 1}; }`)} }`;
    for (const text of [scopes, oneof, oneofs])
      for (const flat of ['true', 'false'])
        expect(
          readHex('', text, { 'flatten.unions': flat, 'generate.struct.for.nulls': 'true' }).schema,
        ).not.toBeNull();
  });
});

test('names that objects inherit are names', () => {
  const text = `${PROTO3} message __proto__ { constructor toString = 1; __proto__ __proto__ = 2; oneof valueOf { int32 hasOwnProperty = 3; } enum prototype { isPrototypeOf = 0; } prototype prototype_ = 4; map<string, int32> m = 5; } message constructor { int32 __proto__ = 1; }`;
  const { schema, value } = readHex('0a 02 08 05 12 00 18 07 2a 0d 0a 09 5f 5f 70 72 6f 74 6f 5f 5f 10 03', text);
  expect(schema?.fields?.map((field) => field.name)).toEqual(['toString', '__proto__', 'valueOf_0', 'prototype_', 'm']);
  expect(Object.keys(value as object)).toEqual(['toString', '__proto__', 'valueOf_0', 'prototype_', 'm']);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(Object.getOwnPropertyDescriptor(value, '__proto__')?.value).toMatchObject({ toString: null });
  expect((value as { m: unknown }).m).toEqual(new Map([['__proto__', 3]]));
  expect(({} as Record<string, unknown>).hasOwnProperty).toBe(Object.prototype.hasOwnProperty);
});
