/** Protobuf: validity with imports, one text for one meaning, and the published rules of compatibility. */
import { protobufFormat } from '../../../packages/schema-registry/src/protobuf/protobuf-format';
import { InvalidSchema } from '../../../packages/schema-registry/src/registry-error';

const parse = (text: string, dependencies: Readonly<Record<string, string>> = {}) =>
  protobufFormat.parse(text, new Map(Object.entries(dependencies)), false);

const file = (content: string): string => `syntax = "proto3";\npackage p;\n${content}`;
const message = (fields: string): string => file(`message M { ${fields} }`);

function differences(reader: string, writer: string): string[] {
  const found = protobufFormat.differences(parse(reader), parse(writer), { reader: 'new', writer: 'old' });
  return found.map((text) => /errorType:"(\w+)"/.exec(text)?.[1] ?? text);
}

const EVERYTHING = file(`
import "google/protobuf/timestamp.proto";
import public "other.proto";
import "confluent/meta.proto";
option java_package = "a.b"; // why
option (confluent.file_meta).doc = "it's";
/* a /* comment * */
message M {
  option deprecated = true;
  reserved 20, 30 to 40, 100 to max; reserved "old";
  oneof choice { string a = 1; o.Other b = 2; }
  map<string, N> by_name = 3;
  repeated int32 numbers = 4 [packed = true, (confluent.field_meta).doc = 'a \\'b\\'', json_name = "x"];
  optional double d = 5 [default = -1.5e+10];
  google.protobuf.Timestamp at = 6;
  message N { E e = 1; .p.M again = 2; }
  enum E { option allow_alias = true; ZERO = 0; NULL = 0; ONE = 1; MINUS = -1; }
  N.N2 further = 7;
  message N2 {}
}
service S { rpc Do (M) returns (stream M) { option (x) = { a: 1 b: "c" }; } }
`).replace('N.N2', 'N2');
const OTHER = { 'other.proto': 'syntax = "proto3"; package o; message Other { string x = 1; }' };

describe('validity', () => {
  test('what a file may have', () => {
    expect(() => parse(EVERYTHING.replace('[default = -1.5e+10]', ''), OTHER)).not.toThrow();
    expect(() => parse('syntax = "proto2"; message M { required string a = 1; extensions 100 to 199; }')).not.toThrow();
    expect(() => parse('edition = "2023"; message M { string a = 1; }')).not.toThrow();
  });

  test.each([
    ['no Protobuf', 'x'],
    ['a type that is not declared', message('Foo a = 1;')],
    ['a type of an import that is missing', `${file('import "other.proto";')} message M { o.Other a = 1; }`],
    ['a name twice', message('string a = 1; string a = 2;')],
    ['a number twice', message('string a = 1; string b = 1;')],
    ['a number of 0', message('string a = 0;')],
    ['a number that is reserved for the implementation', message('string a = 19500;')],
    ['a number that is too large', message('string a = 536870912;')],
    ['a number that the message reserves', message('reserved 1; string a = 1;')],
    ['required in proto3', message('required string a = 1;')],
    ['an enum without values', file('enum E {}')],
    ['too many fields', message(Array.from({ length: 2001 }, (_, i) => `string f${i} = ${i + 1};`).join(''))],
    [
      'too many reserved numbers, also in a oneof',
      message(`oneof o { string a = 9000; } reserved ${Array.from({ length: 2001 }, (_, i) => i + 1).join()};`),
    ],
    ['a text that ends', 'syntax = "proto3"; message M {'],
    ['too deep', file('message A {'.repeat(50_000) + '}'.repeat(50_000))],
  ])('invalid: %s', (_, text) => {
    expect(() => parse(text)).toThrow(InvalidSchema);
  });

  test('a name means the type of the scopes around it, and no other', () => {
    expect(() => parse(message('N n = 1; message O { message N {} }'))).toThrow(InvalidSchema);
    const with2 = (type: string) => message(`${type} n = 1; message O { message N {} }`) + 'message N {}';
    expect(differences(with2('N'), with2('.p.N'))).toEqual([]);
    expect(differences(with2('N'), with2('O.N'))).toEqual(['FIELD_NAMED_TYPE_CHANGED']);
  });

  test('imports are found by their names, also in imports', () => {
    const deep = { 'a.proto': 'syntax = "proto3"; import public "other.proto"; package a;', ...OTHER };
    expect(() => parse(`${file('import "a.proto";')} message M { o.Other x = 1; }`, deep)).not.toThrow();
    const circle = { 'a.proto': 'import "b.proto"; message A {}', 'b.proto': 'import "a.proto"; message B {}' };
    expect(() => parse(`${file('import "a.proto";')}`, circle)).not.toThrow();
  });
});

describe('the text', () => {
  test('white space and comments have no meaning', () => {
    const { text } = parse(EVERYTHING.replace('[default = -1.5e+10]', ''), OTHER);
    expect(text).toMatchInlineSnapshot(`
     "syntax = "proto3";
     package p;
     import "google/protobuf/timestamp.proto";
     import public "other.proto";
     import "confluent/meta.proto";
     option java_package = "a.b";
     option (confluent.file_meta).doc = "it's";
     message M {
       option deprecated = true;
       reserved 20, 30 to 40, 100 to max;
       reserved "old";
       oneof choice {
         string a = 1;
         o.Other b = 2;
       }
       map<string, N> by_name = 3;
       repeated int32 numbers = 4 [packed = true, (confluent.field_meta).doc = 'a \\'b\\'', json_name = "x"];
       optional double d = 5;
       google.protobuf.Timestamp at = 6;
       message N {
         E e = 1;
         .p.M again = 2;
       }
       enum E {
         option allow_alias = true;
         ZERO = 0;
         NULL = 0;
         ONE = 1;
         MINUS = -1;
       }
       N2 further = 7;
       message N2 {
       }
     }
     service S {
       rpc Do (M) returns (stream M) {
         option (x) = {
           a : 1 b : "c"
         };
       }
     }
     "
    `);
    expect(parse(text, OTHER).text).toBe(text);
    const other = `/* new */${text.replaceAll('\n', ' \n\t// x\n')}`;
    expect(parse(other, OTHER).text).toBe(text);
  });

  test('numbers, strings and signs stay as they are', () => {
    const proto =
      'syntax = "proto2"; message M { optional double d = 1 [default = -1.5e+10]; optional string s = 2 [default = "a // \\" b"]; }';
    const { text } = parse(proto);
    expect(text).toContain('[default = -1.5e+10];');
    expect(text).toContain('[default = "a // \\" b"];');
  });

  test('names of members of objects are names', () => {
    const { text } = parse(message('string constructor = 1; string toString = 2;'));
    expect(text).toContain('string constructor = 1;');
  });
});

describe('compatibility: may a reader have the first file, if the second one wrote', () => {
  test.each([
    ['the same', message('string a = 1;'), message('string a = 1;'), []],
    ['a field more', message('string a = 1; int32 b = 2;'), message('string a = 1;'), []],
    ['a field less', message(''), message('string a = 1;'), []],
    ['another name', message('string b = 1;'), message('string a = 1;'), []],
    ['another kind', message('int32 a = 1;'), message('string a = 1;'), ['FIELD_SCALAR_KIND_CHANGED']],
    ['numbers that are read alike', message('int64 a = 1;'), message('bool a = 1;'), []],
    ['other bytes of numbers', message('sint32 a = 1;'), message('int32 a = 1;'), ['FIELD_SCALAR_KIND_CHANGED']],
    ['bytes for strings', message('bytes a = 1;'), message('string a = 1;'), []],
    [
      'a message for a number',
      message('N a = 1; message N {}'),
      message('int32 a = 1; message N {}'),
      ['FIELD_KIND_CHANGED'],
    ],
    ['a number for an enum', message('int32 a = 1;'), message('E a = 1; enum E { A = 0; }'), []],
    ['a string for an enum', message('string a = 1;'), message('E a = 1; enum E { A = 0; }'), ['FIELD_KIND_CHANGED']],
    ['repeated numbers', message('repeated int32 a = 1;'), message('int32 a = 1;'), ['FIELD_NUMERIC_LABEL_CHANGED']],
    ['repeated strings', message('repeated string a = 1;'), message('string a = 1;'), []],
    [
      'another type',
      message('N a = 1; message N {} message O {}'),
      message('O a = 1; message N {} message O {}'),
      ['FIELD_NAMED_TYPE_CHANGED'],
    ],
    ['a message more', file('message A {} message B {}'), file('message A {}'), []],
    ['a message less', file('message A {}'), file('message A {} message B {}'), ['MESSAGE_REMOVED']],
    ['a message in a message less', message(''), message('message N {}'), ['MESSAGE_REMOVED']],
    ['another package', message('M a = 1;').replace('package p', 'package q'), message('M a = 1;'), []],
    ['values of an enum', message('enum E { A = 0; B = 1; }'), message('enum E { A = 0; C = 1; D = 2; }'), []],
    ['a map', message('map<string, int32> a = 1;'), message('map<string, int32> a = 1;'), []],
    [
      'a map of others',
      message('map<string, int32> a = 1;'),
      message('map<string, string> a = 1;'),
      ['FIELD_SCALAR_KIND_CHANGED'],
    ],
    [
      'a map with other keys',
      message('map<string, int32> a = 1;'),
      message('map<int32, int32> a = 1;'),
      ['FIELD_SCALAR_KIND_CHANGED'],
    ],
    ['a map no longer', message('string a = 1;'), message('map<string, string> a = 1;'), ['FIELD_KIND_CHANGED']],
    ['one field into a oneof', message('oneof o { string a = 1; }'), message('string a = 1;'), []],
    [
      'fields into a oneof',
      message('oneof o { string a = 1; string b = 2; }'),
      message('string a = 1; string b = 2;'),
      ['MULTIPLE_FIELDS_MOVED_TO_ONEOF'],
    ],
    [
      'a field into a oneof that exists',
      message('oneof o { string a = 1; string b = 2; }'),
      message('oneof o { string a = 1; } string b = 2;'),
      ['FIELD_MOVED_TO_EXISTING_ONEOF'],
    ],
    [
      'a field of a oneof less',
      message('oneof o { string a = 1; }'),
      message('oneof o { string a = 1; string b = 2; }'),
      ['ONEOF_FIELD_REMOVED'],
    ],
    [
      'a oneof with another name',
      message('oneof x { string a = 1; string b = 2; }'),
      message('oneof o { string a = 1; string b = 2; }'),
      [],
    ],
    ['optional', message('optional string a = 1; optional string b = 2;'), message('string a = 1; string b = 2;'), []],
    [
      'required',
      'syntax = "proto2"; message M { required string a = 1; }',
      'syntax = "proto2"; message M { }',
      ['REQUIRED_FIELD_ADDED'],
    ],
    [
      'required no longer',
      'syntax = "proto2"; message M { }',
      'syntax = "proto2"; message M { required string a = 1; }',
      ['REQUIRED_FIELD_REMOVED'],
    ],
  ])('%s', (_, reader, writer, expected) => {
    expect(differences(reader, writer)).toEqual(expected);
  });

  test('types of imports are compared by their names', () => {
    const own = (type: string) =>
      `${file('import "other.proto"; import "google/protobuf/timestamp.proto";')} message M { ${type} a = 1; }`;
    const compare = (reader: string, writer: string) =>
      protobufFormat.differences(parse(own(reader), OTHER), parse(own(writer), OTHER), {
        reader: 'new',
        writer: 'old',
      });
    expect(compare('o.Other', '.o.Other')).toEqual([]);
    expect(compare('o.Other', 'google.protobuf.Timestamp')).toEqual([
      `{errorType:"FIELD_NAMED_TYPE_CHANGED", description:"The new schema cannot read at path '#/M/1' what the old schema writes"}`,
    ]);
  });
});
