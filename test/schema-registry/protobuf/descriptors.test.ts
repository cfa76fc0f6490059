/** Protobuf schemas as serialized descriptors, as clients in Python, Go and .NET register and read them. */
import { create, fromBinary, toBinary, toJson } from '@bufbuild/protobuf';
import * as wkt from '@bufbuild/protobuf/wkt';
import { startSchemaRegistry, type RunningSchemaRegistry } from '@millrace/schema-registry';
import { protobufFormat } from '../../../packages/schema-registry/src/protobuf/protobuf-format';
import { InvalidSchema } from '../../../packages/schema-registry/src/registry-error';
import { type Ask, asking } from '../registry-client';

const { FileDescriptorProtoSchema } = wkt;
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const parse = (text: string, dependencies: Readonly<Record<string, string>> = {}) =>
  protobufFormat.parse(text, new Map(Object.entries(dependencies)), false);
const serialized = (text: string, dependencies?: Readonly<Record<string, string>>): string =>
  parse(text, dependencies).serialized?.() ?? '';
const descriptor = (json: string) => fromBinary(FileDescriptorProtoSchema, Buffer.from(json, 'base64'));

/** What protoc made of Google's files. */
const GOOGLES = Object.values(wkt).filter(
  (one): one is typeof wkt.file_google_protobuf_any =>
    typeof one === 'object' && one !== null && (one as { readonly kind?: unknown }).kind === 'file',
);

/** Apart from the file's name. */
function plain(file: wkt.FileDescriptorProto): unknown {
  const json = toJson(FileDescriptorProtoSchema, { ...file, name: '' });
  return JSON.parse(JSON.stringify(json), (key, value: unknown) => {
    if (Array.isArray(value) && key === 'nestedType')
      return (value as { readonly name: string }[]).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return Array.isArray(value) && value.length === 0 ? undefined : value;
  });
}

/** Left out: what only compilers need. */
const UNKNOWN = new Set(['declaration', 'verification', 'editionDefaults', 'featureSupport', 'retention', 'targets']);

describe('a descriptor by protoc', () => {
  test.each(GOOGLES.map((file) => [file.proto.name, file] as const))('%s', (_, { proto, dependencies }) => {
    // protoc leaves out what follows from names.
    const texts = Object.fromEntries(
      dependencies.map((one) => [one.proto.name, parse(base64(toBinary(FileDescriptorProtoSchema, one.proto))).text]),
    );
    const given = base64(toBinary(FileDescriptorProtoSchema, proto));
    const { text } = parse(given, texts);
    const again = descriptor(serialized(given, texts));
    expect(strip(plain(again))).toEqual(strip(plain(proto)));
    // The text alone says as much.
    expect(serialized(text, texts)).toBe(serialized(given, texts));
    expect(parse(text, texts).text).toBe(text);
  });
  /** Without options that hold only what is left out. */
  const isEmpty = (options: unknown): boolean => Object.keys(options as object).every((key) => UNKNOWN.has(key));
  const strip = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (key, one: unknown) =>
      key === 'jsonName' || UNKNOWN.has(key) || (key === 'options' && isEmpty(one)) ? undefined : one,
    ) as unknown;
});

const TEXT = `syntax = "proto3";
package shop;
import "google/protobuf/timestamp.proto";
import public "other.proto";
option java_package = "a.b";
option (confluent.file_meta) = {
  doc : "it's \\"it\\"", params : [{
    key : "k", value : "v"
  }
  ]
};
enum State {
  reserved "OLD";
  reserved 7 to 9;
  UNKNOWN = 0;
  NEW = 1 [deprecated = true];
}
message Order {
  reserved "old";
  reserved 100 to 110, 536870911;
  int64 id = 1;
  optional string note = 2;
  repeated double v = 3 [packed = false];
  map<string, Other> m = 4 [json_name = "mapped"];
  google.protobuf.Timestamp at = 5;
  oneof pay {
    string cash = 6;
    Card card = 7;
  }
  o.Part part = 8;
  Order again = 9 [(confluent.field_meta) = {
    params : [{
      key : "connect.type", value : "int16"
    }
    ]
  }
  ];
  State state = 10;
  message Card {
    uint32 no = 1;
    State state = 2;
    enum State {
      A = 0;
    }
  }
}
message Other {
  Order.Card card = 1;
}
service S {
  rpc Do (Order) returns (stream Other) {
    option deprecated = true;
  }
}
`;
const OTHER = { 'other.proto': 'syntax = "proto3"; package o; message Part { string x = 1; }' };

describe('text and descriptor', () => {
  test('a text and its descriptor are the same schema', () => {
    const { text } = parse(TEXT, OTHER);
    expect(parse(serialized(TEXT, OTHER), OTHER).text).toBe(text);
    expect(serialized(serialized(TEXT, OTHER), OTHER)).toBe(serialized(TEXT, OTHER));
    const file = descriptor(serialized(TEXT, OTHER));
    expect(file.messageType[0]?.field.map(({ typeName }) => typeName).filter((name) => name !== '')).toEqual([
      '.shop.Order.MEntry',
      '.google.protobuf.Timestamp',
      '.shop.Order.Card',
      '.o.Part',
      '.shop.Order',
      '.shop.State',
    ]);
    expect(file.messageType[0]?.oneofDecl.map(({ name }) => name)).toEqual(['pay', '_note']);
    expect(file.publicDependency).toEqual([1]);
  });

  test('proto2: labels, defaults, groups, extensions', () => {
    const text = `syntax = "proto2";
message M {
  extensions 100 to max;
  required string a = 1 [default = "say \\"x\\""];
  optional bytes b = 2 [default = "\\001z"];
  optional double c = 3 [default = -inf];
  optional int32 d = 4 [default = -7];
  optional E e = 5 [default = B];
  repeated group Part = 6 {
    optional bool x = 1 [default = true];
  }
  enum E {
    option allow_alias = true;
    A = 0;
    Z = 0;
    B = -1;
  }
}
extend M {
  optional string more = 100;
}
`;
    expect(parse(serialized(text)).text).toBe(text);
  });

  test('editions', () => {
    const text = 'edition = "2023";\noption features.field_presence = IMPLICIT;\nmessage M {\n  string a = 1;\n}\n';
    expect(descriptor(serialized(text))).toMatchObject({ syntax: 'editions', edition: 1000 });
    expect(parse(serialized(text)).text).toBe(text);
  });

  test('a type whose short name means another one keeps its full name', () => {
    const text = `syntax = "proto3"; package p; message A { .p.A.B.A a = 1; .p.A again = 2; message B { .p.A up = 1; message A {} } }`;
    expect(serialized(serialized(text))).toBe(serialized(text));
    const types = descriptor(serialized(serialized(text))).messageType[0]?.field.map(({ typeName }) => typeName);
    expect(types).toEqual(['.p.A.B.A', '.p.A']);
  });

  test('a default whose digits the parser loses stays in the text', () => {
    const init = { name: 'a', number: 1, type: 3, label: 1, defaultValue: '9223372036854775807' };
    const { text } = parse(file({ messageType: [{ name: 'M', field: [init] }] }));
    expect(text).toContain('optional int64 a = 1 [default = 9223372036854775807];');
  });

  test('defaults whose digits the parser loses, and names that it drops, are refused', () => {
    for (const text of [
      'syntax = "proto2"; message M { optional int64 a = 1 [default = 9223372036854775807]; }',
      'syntax = "proto3"; message M { string __proto__ = 1; }',
    ])
      expect(() => serialized(text)).toThrow(InvalidSchema);
  });
});

const file = (init: Parameters<typeof makeFile>[0]): string =>
  base64(toBinary(FileDescriptorProtoSchema, makeFile(init)));

describe('hostile descriptors', () => {
  const nested = (depth: number): Uint8Array => {
    let inner = Buffer.from([10, 1, 77]);
    for (let i = 0; i < depth; i++) {
      const size: number[] = [];
      for (let rest = inner.length; ; rest >>>= 7) {
        size.push(rest > 127 ? (rest & 127) | 128 : rest);
        if (rest <= 127) break;
      }
      inner = Buffer.concat([Buffer.from([10, 1, 77, 26, ...size]), inner]);
    }
    return inner;
  };
  test.each([
    ['no descriptor', 'AAAA'],
    ['bytes that end', 'CgE'],
    ['a letter', 'x'],
    ['a name that is text', file({ messageType: [{ name: 'M { } message N' }] })],
    ['no name', file({ messageType: [{}] })],
    ['a package that is text', file({ package: 'a; message M {}' })],
    [
      'a type that is text',
      file({ messageType: [{ name: 'M', field: [{ name: 'a', number: 1, typeName: '.M x = 2; M' }] }] }),
    ],
    [
      'a type that is not there',
      file({ messageType: [{ name: 'M', field: [{ name: 'a', number: 1, typeName: '.N' }] }] }),
    ],
    ['no type', file({ messageType: [{ name: 'M', field: [{ name: 'a', number: 1 }] }] })],
    ['a number of 0', file({ messageType: [{ name: 'M', field: [{ name: 'a', type: 9 }] }] })],
    ['an import that is missing', file({ dependency: ['a"; message X {} import "b'] })],
    [
      'a default that is text',
      file({
        messageType: [
          { name: 'M', field: [{ name: 'a', number: 1, type: 5, defaultValue: '1] ; int32 b = 2 [default=1' }] },
        ],
        syntax: 'proto2',
      }),
    ],
    [
      'a oneof that is not there',
      file({ messageType: [{ name: 'M', field: [{ name: 'a', number: 1, type: 9, oneofIndex: 7 }] }] }),
    ],
    ['an unknown syntax', file({ syntax: 'proto9' })],
    ['a long name', file({ messageType: [{ name: 'M'.repeat(501) }] })],
    ['deep', base64(Buffer.concat([Buffer.from([34, 3 + 2 * 40 + 3 * 40]), nested(40)]))],
    [
      'too many fields',
      file({
        messageType: [
          { name: 'M', field: Array.from({ length: 2001 }, (_, i) => ({ name: `f${i}`, number: i + 1, type: 9 })) },
        ],
      }),
    ],
  ])('%s', (_, text) => {
    expect(() => parse(text)).toThrow(InvalidSchema);
  });
});

function makeFile(init: object): wkt.FileDescriptorProto {
  return create(FileDescriptorProtoSchema, init as never);
}

describe('over HTTP', () => {
  let registry: RunningSchemaRegistry;
  let ask: Ask;
  beforeEach(async () => {
    registry = await startSchemaRegistry({ port: 0 });
    ask = asking(registry.url);
  });
  afterEach(async () => await registry.close());

  const request = (schema: string, more: object = {}) => ({ schema, schemaType: 'PROTOBUF', ...more });
  const references = [{ name: 'other.proto', subject: 'other', version: 1 }];

  test('both forms are the same schema, with references, and both are returned', async () => {
    const other = serialized(OTHER['other.proto']);
    expect(await ask('POST', '/subjects/other/versions', request(other))).toMatchObject({ body: { id: 1 } });
    const both = serialized(TEXT, OTHER);
    expect(await ask('POST', '/subjects/s/versions', request(both, { references }))).toMatchObject({ body: { id: 2 } });
    expect(await ask('POST', '/subjects/s/versions', request(TEXT, { references }))).toMatchObject({ body: { id: 2 } });
    expect(await ask('POST', '/subjects/s', request(both, { references }))).toMatchObject({ body: { version: 1 } });
    const { text } = parse(TEXT, OTHER);
    expect(await ask('GET', '/schemas/ids/2')).toMatchObject({ body: { schema: text, references } });
    for (const path of ['/schemas/ids/2', '/subjects/s/versions/1', '/subjects/s/versions/latest'])
      expect(await ask('GET', `${path}?format=serialized`)).toMatchObject({ body: { schema: both, references } });
    expect(await ask('GET', '/schemas/ids/2/schema?format=serialized')).toMatchObject({ body: both });
    expect(await ask('GET', '/subjects/s/versions/1/schema?format=serialized')).toMatchObject({ body: both });
    expect(await ask('GET', '/subjects/s/versions/1/schema?format=other')).toMatchObject({ body: text });
  });

  test('a text that is written in another order is found by its descriptor', async () => {
    const text = 'syntax = "proto3"; message M { message N {} .M.N n = 1; }';
    expect(await ask('POST', '/subjects/s/versions', request(text))).toMatchObject({ body: { id: 1 } });
    expect(await ask('POST', '/subjects/s/versions', request(serialized(text)))).toMatchObject({ body: { id: 1 } });
    expect(await ask('POST', '/subjects/s', request(serialized(text)))).toMatchObject({ body: { id: 1, version: 1 } });
    const other = 'syntax = "proto3"; message M { message N {} .M.N other = 1; }';
    expect(await ask('POST', '/subjects/s', request(serialized(other)))).toMatchObject({ status: 404 });
  });

  test('compatibility, and what is no descriptor', async () => {
    const of = (type: string): string => serialized(`syntax = "proto3"; message M { ${type} a = 1; }`);
    await ask('POST', '/subjects/s/versions', request(of('string')));
    expect(await ask('POST', '/compatibility/subjects/s/versions/latest', request(of('int32')))).toMatchObject({
      body: { is_compatible: false },
    });
    expect(await ask('POST', '/subjects/s/versions', request(of('int32')))).toMatchObject({ status: 409 });
    expect(await ask('POST', '/subjects/s/versions', request('AAAA'))).toMatchObject({
      status: 422,
      body: { error_code: 42201 },
    });
  });

  test('formats of Avro and JSON Schema stay texts', async () => {
    await ask('POST', '/subjects/a/versions', { schema: '"string"' });
    expect(await ask('GET', '/schemas/ids/1?format=serialized')).toEqual({ status: 200, body: { schema: '"string"' } });
  });
});
