/** Records of schemas that contain themselves, as a schema registry has them: transformed, or a clear error. */
import {
  arraySchema,
  schema,
  structSchema,
  type ConnectorConfig,
  type ConnectRecord,
  type Schema,
  type TransformationPlugin,
} from '@millrace/sdk';
import { JsonConverter } from '../../src/converters/json/json-converter';
import { builtInTransformations } from '../../src/transforms';
import { extractNewRecordState } from '../../connectors/transforms-debezium/src/extract-new-record-state';
import { vectorToJsonConverter } from '../../connectors/transforms-debezium/src/vector-to-json-converter';
import { chain, doubled, leaf, NODE, recursiveStruct } from '../helpers/recursive-schemas';

const value = { ...chain(3), list: [leaf(5)] };
const json = new JsonConverter();
json.configure({ 'schemas.enable': 'false' });

function record(valueSchema: Schema, of: unknown): ConnectRecord {
  return {
    sourcePartition: null,
    sourceOffset: null,
    topic: 't',
    keySchema: valueSchema,
    key: of,
    valueSchema,
    value: of,
    timestamp: 0,
    headers: [],
  };
}
function applied(name: string, config: ConnectorConfig, to = record(NODE, value)): ConnectRecord {
  const { plugin } = builtInTransformations.find(({ className }) => className.endsWith(`.${name}`))!;
  return run(plugin, config, to);
}
function run(plugin: TransformationPlugin, config: ConnectorConfig, to: ConnectRecord): ConnectRecord {
  const transformation = plugin.create();
  transformation.configure(config);
  return transformation.apply(to) as ConnectRecord;
}
/** What a converter writes of the result, which must fit its schema. */
const written = ({ valueSchema, value: of }: ConnectRecord): unknown =>
  JSON.parse(String(json.fromConnectData('t', valueSchema, of)));

test.each<[string, ConnectorConfig, unknown]>([
  ['Cast$Value', { spec: 'id:string' }, { ...value, id: '1' }],
  ['ReplaceField$Value', { exclude: 'list', renames: 'id:key' }, { key: 1, next: value.next, map: null }],
  ['MaskField$Value', { fields: 'id' }, { ...value, id: 0 }],
  ['MaskField$Value', { fields: 'list' }, { ...value, list: [] }],
  ['SetSchemaMetadata$Value', { 'schema.name': 'Other', 'schema.version': '2' }, value],
  ['ExtractField$Value', { field: 'next' }, value.next],
  ['ExtractField$Value', { field: 'next.next.id', 'field.syntax.version': 'V2' }, 3],
  ['HoistField$Value', { field: 'node' }, { node: value }],
  ['InsertField$Value', { 'static.field': 'x', 'static.value': 'y' }, { ...value, x: 'y' }],
  ['HeaderFrom$Value', { fields: 'list', headers: 'h', operation: 'move' }, { id: 1, next: value.next, map: null }],
  ['InsertHeader', { header: 'h', 'value.literal': '1' }, value],
])('%s %j', (name, config, expected) => {
  expect(written(applied(name, config))).toEqual(expected);
});

test('ValueToKey takes a part that contains itself', () => {
  const { keySchema, key } = applied('ValueToKey', { fields: 'next' });
  expect(written({ ...record(NODE, null), valueSchema: keySchema, value: key })).toEqual({ next: value.next });
});

test('TimestampConverter leaves the other fields', () => {
  const of = recursiveStruct((self) => [['at', schema('INT64')], ['next', self]]); // prettier-ignore
  const config = { field: 'at', 'target.type': 'string', format: 'yyyy', 'unix.precision': 'milliseconds' };
  const result = applied('TimestampConverter$Value', config, record(of, { at: 0, next: { at: 0, next: null } }));
  expect(written(result)).toEqual({ at: '1970', next: { at: 0, next: null } });
});

test('Flatten ends with an error for a struct in itself, and keeps arrays of it', () => {
  expect(() => applied('Flatten$Value', {})).toThrow(
    expect.objectContaining({
      code: 'TRANSFORM_DATA',
      message: 'Flatten transformation does not support structs that contain themselves (for field next).',
    }),
  );
  const of = recursiveStruct((self) => [['id', schema('INT32')], ['list', arraySchema(self)]]); // prettier-ignore
  const holder = structSchema([['node', of]]);
  const result = applied('Flatten$Value', {}, record(holder, { node: { id: 1, list: [{ id: 2, list: [] }] } }));
  expect(written(result)).toEqual({ 'node.id': 1, 'node.list': [{ id: 2, list: [] }] });
});

test('Flatten ends with an error for more fields than memory holds, and for a map in itself', () => {
  expect(() => applied('Flatten$Value', {}, record(doubled(60), {}))).toThrow(
    expect.objectContaining({ code: 'TRANSFORM_DATA', message: expect.stringContaining('more than 100000 fields') }),
  );
  const endless: Record<string, unknown> = {};
  endless.next = endless;
  const schemaless = { ...record(NODE, endless), valueSchema: null };
  expect(() => applied('Flatten$Value', {}, schemaless)).toThrow(expect.objectContaining({ code: 'VALUE_TOO_DEEP' }));
});

test('Cast of the whole value to text', () => {
  const to = record(arraySchema(NODE), [leaf(1)]);
  expect(() => applied('Cast$Value', { spec: 'string' }, to)).toThrow(
    expect.objectContaining({ code: 'TRANSFORM_DATA' }),
  );
});

test("Debezium's transformations that look into structs", () => {
  expect(written(run(vectorToJsonConverter, {}, record(NODE, value)))).toEqual(value);
  const vector = arraySchema(schema('FLOAT32'), { name: 'io.debezium.data.FloatVector' });
  const of = recursiveStruct((self) => [['v', vector], ['next', self]]); // prettier-ignore
  expect(() => run(vectorToJsonConverter, {}, record(of, { v: [1], next: null }))).toThrow(
    'vectors in structs that contain themselves',
  );
  const envelope = structSchema(
    [['before', { ...NODE, optional: true }], ['after', { ...NODE, optional: true }], ['op', schema('STRING')]],
    { name: 'x.Envelope' },
  ); // prettier-ignore
  expect(written(run(extractNewRecordState, {}, record(envelope, { before: null, after: value, op: 'c' })))).toEqual(
    value,
  );
});
