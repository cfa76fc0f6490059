/** Fields whose names are special in JavaScript: `__proto__`, and inherited members. */
import type { ConnectorConfig, ConnectRecord, Transformation } from '@millrace/sdk';
import { JsonConverter } from '../../src/converters/json/json-converter';
import { builtInTransformations } from '../../src/transforms';

function create(name: string, config: ConnectorConfig): Transformation {
  const { plugin } = builtInTransformations.find(({ className }) => className.endsWith(`.${name}`))!;
  const transformation = plugin.create();
  transformation.configure(config);
  return transformation;
}

function converter(schemas: boolean): JsonConverter {
  const json = new JsonConverter();
  json.configure({ 'schemas.enable': String(schemas) });
  return json;
}

const text = (name: string, type: string, optional = false): object => ({ type, optional, field: name });
const INNER = [text('polluted', 'string'), text('__proto__', 'int32')];
const SCHEMA = {
  type: 'struct',
  optional: false,
  fields: [
    text('id', 'int32'),
    { type: 'struct', optional: false, fields: INNER, field: '__proto__' },
    text('constructor', 'string', true),
    text('__proto__x', 'int64'),
  ],
};
const VALUE = '{"id":1,"__proto__":{"polluted":"yes","__proto__":7},"constructor":null,"__proto__x":5}';

const record = (json: JsonConverter, value: string): ConnectRecord => {
  const read = json.toConnectData('t', Buffer.from(value));
  return {
    sourcePartition: null,
    sourceOffset: null,
    topic: 't',
    keySchema: null,
    key: null,
    valueSchema: read.schema,
    value: read.value,
    timestamp: 0,
  };
};

/** The output of a converter and a transformation, the key's payload and the value's. */
function through(schemas: boolean, value: string, steps: readonly Transformation[]): [key: string, value: string] {
  const json = converter(schemas);
  let current = record(json, schemas ? `{"schema":${JSON.stringify(SCHEMA)},"payload":${value}}` : value);
  for (const step of steps) current = step.apply(current) as ConnectRecord;
  const payload = (schema: ConnectRecord['valueSchema'], of: unknown): string => {
    const out = Buffer.from(json.fromConnectData('t', schema, of as never) ?? 'null').toString();
    return schema !== null && schemas ? out.slice(out.indexOf('"payload":') + '"payload":'.length, -1) : out;
  };
  const answer = [payload(current.keySchema, current.key), payload(current.valueSchema, current.value)] as const;
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  return [...answer];
}

describe.each([
  ['without a schema', false],
  ['with a schema', true],
])('connect-runtime 105: a record with a field called __proto__, %s, passes unchanged', (_, schemas) => {
  test('the JSON converter', () => {
    expect(through(schemas, VALUE, [])[1]).toBe(VALUE);
    // Digits beyond a double are parsed by another parser.
    const long = VALUE.replace(':5', ':9007199254740993');
    expect(through(schemas, long, [])[1]).toBe(long);
  });

  test.each<[string, ConnectorConfig, string]>([
    ['ReplaceField$Value', { exclude: 'id' }, VALUE.replace('"id":1,', '')],
    [
      'ReplaceField$Value',
      { renames: '__proto__:constructor,constructor:__proto__' },
      '{"id":1,"constructor":{"polluted":"yes","__proto__":7},"__proto__":null,"__proto__x":5}',
    ],
    ['ExtractField$Value', { field: '__proto__' }, '{"polluted":"yes","__proto__":7}'],
    ['ExtractField$Value', { field: '__proto__.__proto__', 'field.syntax.version': 'V2' }, '7'],
    ['HoistField$Value', { field: '__proto__' }, `{"__proto__":${VALUE}}`],
    ['Cast$Value', { spec: 'id:string' }, VALUE.replace(':1,', ':"1",')],
    ['InsertField$Value', { 'topic.field': 'topic' }, VALUE.replace(/}$/, ',"topic":"t"}')],
    ['MaskField$Value', { fields: 'id' }, VALUE.replace(':1,', ':0,')],
    ['HeaderFrom$Value', { fields: 'id', headers: 'h', operation: 'move' }, VALUE.replace('"id":1,', '')],
    ['TimestampConverter$Value', { field: '__proto__x', 'target.type': 'unix' }, VALUE],
  ])('%s %p', (name, config, expected) => {
    expect(through(schemas, VALUE, [create(name, config)])[1]).toBe(expected);
  });

  test('Flatten', () => {
    const flat = '{"id":1,"__proto__.polluted":"yes","__proto__.__proto__":7,"constructor":null,"__proto__x":5}';
    expect(through(schemas, VALUE, [create('Flatten$Value', {})])[1]).toBe(flat);
    // And a name that turns into a forbidden one.
    const joined = create('Flatten$Value', { delimiter: '' });
    const hoisted = create('HoistField$Value', { field: '__pro' });
    const inner = [
      create('ExtractField$Value', { field: '__proto__' }),
      create('ReplaceField$Value', { exclude: 'polluted', renames: '__proto__:to__' }),
    ];
    expect(through(schemas, VALUE, [...inner, hoisted, joined])[1]).toBe('{"__proto__":7}');
  });

  test('ValueToKey', () => {
    const key = '{"__proto__":{"polluted":"yes","__proto__":7},"constructor":null}';
    const made = through(schemas, VALUE, [create('ValueToKey', { fields: '__proto__,constructor' })]);
    expect(made).toEqual([key, VALUE]);
  });

  if (schemas) {
    test('SetSchemaMetadata, Cast and MaskField of the field itself; a missing member is null, not an inherited one', () => {
      expect(through(true, VALUE, [create('SetSchemaMetadata$Value', { 'schema.name': 'x' })])[1]).toBe(VALUE);
      const inner = create('ExtractField$Value', { field: '__proto__' });
      const cast = create('Cast$Value', { spec: '__proto__:string' });
      expect(through(true, VALUE, [inner, cast])[1]).toBe('{"polluted":"yes","__proto__":"7"}');
      const mask = create('MaskField$Value', { fields: '__proto__' });
      expect(through(true, VALUE, [inner, mask])[1]).toBe('{"polluted":"yes","__proto__":0}');
      const json = converter(true);
      const sparse = { ...record(json, `{"schema":${JSON.stringify(SCHEMA)},"payload":${VALUE}}`) };
      const { constructor: _gone, ...rest } = sparse.value as Record<string, unknown>;
      for (const [name, config] of [
        ['InsertField$Value', { 'topic.field': 'topic' }],
        ['Flatten$Value', {}],
      ] as const) {
        const made = create(name, config).apply({ ...sparse, value: rest }) as ConnectRecord;
        expect((made.value as Record<string, unknown>)['constructor']).toBeNull();
      }
      expect(Buffer.from(json.fromConnectData('t', sparse.valueSchema, rest as never)!).toString()).toContain(
        '"constructor":null',
      );
    });
  }
});
