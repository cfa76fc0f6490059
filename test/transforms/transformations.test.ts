/**
 * What recorded answers cannot show: objects that are kept or shared, rejected date letters, values that only
 * JavaScript has.
 */
import {
  schema,
  structSchema,
  type ConnectorConfig,
  type ConnectRecord,
  type Schema,
  type Transformation,
} from '@millrace/sdk';
import { checkKey } from '../../src/config/validation/entry';
import { builtInTransformations } from '../../src/transforms';

function create(name: string, config: ConnectorConfig): Transformation {
  const { plugin } = builtInTransformations.find(({ className }) => className.endsWith(`.${name}`))!;
  const transformation = plugin.create();
  transformation.configure(config);
  return transformation;
}

const record = (valueSchema: Schema | null, value: unknown): ConnectRecord => ({
  sourcePartition: null,
  sourceOffset: null,
  topic: 'orders',
  keySchema: null,
  key: null,
  valueSchema,
  value,
  timestamp: 0,
});
const struct = () =>
  structSchema([
    ['id', schema('INT32')],
    ['at', schema('INT64', { optional: true })],
  ]);

describe('connect-runtime 105: transformations of structs create a schema once', () => {
  test.each<[string, ConnectorConfig]>([
    ['Cast$Value', { spec: 'id:string' }],
    ['Flatten$Value', {}],
    ['HeaderFrom$Value', { fields: 'id', headers: 'h', operation: 'move' }],
    ['HoistField$Value', { field: 'x' }],
    ['InsertField$Value', { 'topic.field': 'topic' }],
    ['ReplaceField$Value', { exclude: 'id' }],
    ['SetSchemaMetadata$Value', { 'schema.name': 'x' }],
    ['TimestampConverter$Value', { field: 'at', 'target.type': 'Timestamp' }],
  ])('%s', (name, config) => {
    const transformation = create(name, config);
    const [first, second] = [struct(), struct()];
    const made = [first, second, first].map((of) => transformation.apply(record(of, { id: 1, at: 2 }))?.valueSchema);
    expect(made[2]).toBe(made[0]);
    expect(made[1]).toEqual(made[0]);
  });

  test('ValueToKey', () => {
    const transformation = create('ValueToKey', { fields: 'id' });
    const of = struct();
    const [first, second] = [1, 2].map((id) => transformation.apply(record(of, { id })));
    expect(second?.keySchema).toBe(first?.keySchema);
  });
});

test.each<[string, ConnectorConfig, Map<unknown, unknown>]>([
  ['InsertField$Value', { 'static.field': 's', 'static.value': 'x' }, new Map<unknown, unknown>([[1, 2], ['s', 'x']])], // prettier-ignore
  ['ReplaceField$Value', { renames: 'a:b' }, new Map([[1, 2]])],
  ['Cast$Value', { spec: 'a:int8' }, new Map<unknown, unknown>([[1, 2], ['a', null]])], // prettier-ignore
])('connect-runtime 105: %s keeps a Map a Map, and keys that are not text', (name, config, expected) => {
  expect(create(name, config).apply(record(null, new Map([[1, 2]])))?.value).toEqual(expected);
});

test('connect-runtime 105: a member called __proto__ is an ordinary member', () => {
  const value = JSON.parse('{"__proto__":1,"a":2}') as unknown;
  for (const [name, config] of [
    ['ReplaceField$Value', { renames: 'a:b' }],
    ['InsertField$Value', { 'static.field': 'x', 'static.value': 'y' }],
    ['Flatten$Value', {}],
  ] as const) {
    const result = create(name, config).apply(record(null, value))?.value as object;
    expect(Object.hasOwn(result, '__proto__')).toBe(true);
  }
});

test('connect-runtime 105: int64 beyond 2^53 keeps every digit', () => {
  const of = structSchema([['id', schema('INT64')]]);
  const cast = (spec: string, id: unknown) => create('Cast$Value', { spec }).apply(record(of, { id }))?.value;
  expect(cast('id:string', 9007199254740993n)).toEqual({ id: '9007199254740993' });
  expect(cast('id:int64', 9007199254740993n)).toEqual({ id: 9007199254740993n });
  expect(cast('id:int8', 9007199254740993n)).toEqual({ id: 1 });
  expect(cast('id:int32', 2 ** 40 - 1)).toEqual({ id: -1 });
  expect(cast('id:int16', -(2 ** 31) + 5)).toEqual({ id: 5 });
});

describe('connect-runtime 105: validation rejects what is not a date pattern, with the reason', () => {
  test.each([
    ['yyyyb', "Illegal pattern character 'b'"],
    ["yyyy'", 'Unterminated quote'],
    ['XXXX', 'invalid ISO 8601 format: length=4'],
  ])('%s', (format, reason) => {
    const errorsOf = (name: string, key: string): readonly string[] => {
      const { plugin } = builtInTransformations.find(({ className }) => className.endsWith(name))!;
      return checkKey(
        plugin.config.find((one) => one.name === key)!,
        { [key]: format },
      ).errors;
    };
    const invalid = `Invalid value ${format} for configuration timestamp.format: ${reason}`;
    expect(errorsOf('.TimestampRouter', 'timestamp.format')).toEqual([invalid]);
    expect(() => create('TimestampRouter', { 'timestamp.format': format })).toThrow(invalid);
    const converter = errorsOf('.TimestampConverter$Value', 'format');
    expect(converter).toEqual([expect.stringContaining(reason)]);
    const config = { 'target.type': 'string', format };
    expect(() => create('TimestampConverter$Value', config)).toThrow(converter[0]);
  });
});

test('connect-runtime 105: a pattern of no text is valid where it is optional', () => {
  expect(() => create('TimestampConverter$Value', { 'target.type': 'unix', format: '' })).not.toThrow();
});

test.each([
  ['2024-07-01 12:00 Europe/Paris', '2024-07-01T10:00:00.000Z'],
  ['2024-01-01 12:00 Europe/Paris', '2024-01-01T11:00:00.000Z'],
  // The hour that summer time skips, and one that autumn repeats.
  ['2024-03-31 02:30 Europe/Paris', '2024-03-31T01:30:00.000Z'],
  ['2024-10-27 02:30 Europe/Paris', '2024-10-27T00:30:00.000Z'],
  ['2024-07-01 12:00 America/Argentina/Salta', '2024-07-01T15:00:00.000Z'],
])('connect-runtime 105: a date with the ID of a time zone, which Java does not read: %s', (text, instant) => {
  const converter = create('TimestampConverter$Value', { 'target.type': 'Timestamp', format: 'yyyy-MM-dd HH:mm z' });
  expect(converter.apply(record(schema('STRING'), text))?.value).toEqual(new Date(instant));
  expect(() => converter.apply(record(schema('STRING'), '2024-07-01 12:00 Europe/Nowhere'))).toThrow(
    'does not match pattern',
  );
});

test('connect-runtime 105: a repeated name is rejected by validation, and counts once where it got through', () => {
  const { plugin } = builtInTransformations.find(({ className }) => className.endsWith('.DropHeaders'))!;
  expect(checkKey(plugin.config[0]!, { headers: 'a,a' }).errors).toEqual([
    "Configuration 'headers' values must not be duplicated.",
  ]);
  expect(() => create('DropHeaders', { headers: 'a,a' })).not.toThrow();
});
