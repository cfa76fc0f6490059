/** Records of the three formats whose schemas contain themselves, as consoles, dead letters and sinks have them. */
import type { SchemaAndValue } from '@millrace/sdk';
import { JsonConverter } from '../../../src/converters/json/json-converter';
import { jsonText } from '../../../src/records/json-text';
import * as avro from './avro/avro-harness';
import * as json from './json-schema/json-schema-harness';
import * as protobuf from './protobuf/protobuf-harness';

const AVRO = {
  type: 'record',
  name: 'Node',
  fields: [
    { name: 'id', type: 'int' },
    { name: 'next', type: ['null', 'Node'], default: null },
    { name: 'all', type: { type: 'array', items: 'Node' } },
  ],
};
const JSON_SCHEMA = {
  type: 'object',
  properties: {
    id: { type: 'integer', 'connect.index': 0 },
    next: { oneOf: [{ type: 'null' }, { $ref: '#' }], 'connect.index': 1 },
    all: { type: 'array', items: { $ref: '#' }, 'connect.index': 2 },
  },
};
const PROTOBUF = 'syntax = "proto3"; message Node { int32 id = 1; Node next = 2; repeated Node all = 3; }';
const EXPECTED = { id: 1, next: { id: 2, next: null, all: [] }, all: [{ id: 3, next: null, all: [] }] };

const cases: readonly [string, SchemaAndValue][] = [
  ['Avro', avro.read(avro.registered(AVRO), '02' + '02040000' + '02060000' + '00')],
  ['JSON Schema', json.read(JSON.stringify(EXPECTED), json.registered(JSON_SCHEMA))],
  ['Protobuf', protobuf.readHex('0801' + '12020802' + '1a020803', PROTOBUF)],
];

describe.each(cases)('%s', (_, record) => {
  const { schema, value } = record;

  test('is shown as JSON', () => expect(JSON.parse(jsonText(record))).toEqual(EXPECTED));

  test('is written without the schema, and not with it', () => {
    const converter = new JsonConverter();
    converter.configure({ 'schemas.enable': 'false' });
    expect(JSON.parse(String(converter.fromConnectData('t', schema, value)))).toEqual(EXPECTED);
    converter.configure({ 'schemas.enable': 'true' });
    expect(() => converter.fromConnectData('t', schema, value)).toThrow(
      expect.objectContaining({ code: 'CONVERTER_JSON_SCHEMA' }),
    );
  });
});

test('a default of Avro that contains itself', () => {
  const inner = { ...AVRO, fields: [AVRO.fields[0], AVRO.fields[1]] };
  const outer = {
    type: 'record',
    name: 'Outer',
    fields: [{ name: 'node', type: inner, default: { id: 1, next: null } }],
  };
  const record = avro.read(avro.registered(outer), '02' + '00');
  expect(() => jsonText(record)).toThrow(expect.objectContaining({ code: 'CONVERTER_MISMATCH' }));
});
