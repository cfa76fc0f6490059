/** `io.debezium.transforms.outbox.EventRouter`. */
import type { ConnectorConfig, ConnectRecord } from '@millrace/sdk';
import { eventRouter } from '../../../connectors/transforms-debezium/src';
import { outboxEvent as event, outboxRow as row } from '../../golden/transforms/cases/outbox';
import { create, heartbeat, schemaless, tombstone } from '../../golden/transforms/cases/change-events';
import {
  readRecord,
  writeChanges,
  writeSchema,
  type Json,
  type RecordNotation,
} from '../../golden/transforms/notation';

const router = (config: ConnectorConfig): ((record: RecordNotation) => ConnectRecord | null) => {
  const transformation = eventRouter.create();
  transformation.configure(config);
  return (notation) => transformation.apply(readRecord(notation));
};
const routed = (record: RecordNotation, config: ConnectorConfig = {}): ConnectRecord => router(config)(record)!;
const changes = (record: RecordNotation, config: ConnectorConfig = {}): Json =>
  writeChanges(readRecord(record), routed(record, config));
const PLACEMENT = 'table.fields.additional.placement';
const JSON_ON = { 'table.expand.json.payload': 'true' };
const UUID = { type: 'STRING', name: 'io.debezium.data.Uuid', version: 1 };
const JSON_TEXT = { type: 'STRING', optional: true, name: 'io.debezium.data.Json', version: 1 };

describe('cdc-postgres 108: rows of an outbox become events', () => {
  test.each(['c', 'r'])('an event of op %s', (op) => {
    expect(changes(event({}, op))).toEqual({
      topic: 'outbox.event.Order',
      partition: null,
      timestamp: 1_700_000_000_500,
      key: ['STRING?', '10711'],
      value: [JSON_TEXT, '{"a": 1}'],
      headers: [
        ['trace', 'STRING', 'abc'],
        ['id', UUID, row.id],
      ],
    });
  });

  test('deletes, tombstones and updates are dropped; what is not a change event passes', () => {
    const apply = router({});
    expect([event({}, 'd'), tombstone, event({}, 'u')].map(apply)).toEqual([null, null, null]);
    for (const other of [heartbeat, schemaless]) expect(changes(other)).toEqual({});
  });

  test.each([
    ['warn', null],
    ['error', null],
    [' FATAL ', `Unexpected update message received Struct{id=${String(row.id)}}, fail.`],
  ])('updates with table.op.invalid.behavior=%s', (mode, message) => {
    const apply = (): unknown => router({ 'table.op.invalid.behavior': mode })(event({}, 'u'));
    let result: unknown;
    try {
      result = apply();
    } catch (error) {
      result = (error as Error).message;
    }
    expect(result).toBe(message);
  });

  test('columns, topics and headers by name', () => {
    const record = routed(event(), {
      'table.field.event.id': 'aggregateid',
      'table.field.event.key': 'id',
      'table.field.event.payload': 'data',
      'route.by.field': 'type',
      'route.topic.regex': '(?<routedByValue>Order)(.*)',
      'route.topic.replacement': 'events.$2.${routedByValue}',
    });
    expect(record).toMatchObject({ topic: 'events.Created.Order', key: row.id, value: Buffer.from([1, 2, 3]) });
    expect(record.headers?.at(-1)).toMatchObject({ key: 'id', value: '10711' });
  });

  test('a value that the expression does not match is the topic', () => {
    expect(routed(event(), { 'route.topic.regex': 'der', 'route.topic.replacement': 'x' }).topic).toBe('Order');
  });

  test.each([
    ['milli', 1_700_000_000_001],
    ['micro', -1_700_000_000_002],
    ['nano', 1_700_000_000_003],
  ])('the timestamp of column %s, or of the event', (column, timestamp) => {
    const config = { 'table.field.event.timestamp': column };
    expect(routed(event(), config).timestamp).toBe(timestamp);
    expect(routed(event({ [column]: null }), config).timestamp).toBe(1_700_000_000_500);
  });

  test('further columns as headers, partition and members of an envelope', () => {
    const record = routed(event(), {
      [PLACEMENT]: 'type:header:kind,tenant:envelope:t, part : partition ,version:header',
      'table.field.event.schema.version': 'version',
    });
    expect(record).toMatchObject({ partition: 2, value: { payload: '{"a": 1}', t: 'acme' } });
    expect(record.headers?.slice(2).map(({ key, value }) => [key, value])).toEqual([
      ['kind', 'OrderCreated'],
      ['version', 3],
    ]);
    expect(writeSchema(record.valueSchema)).toEqual({
      type: 'STRUCT',
      name: 'shop.public.outbox.Order.Value',
      version: 3,
      fields: [
        ['payload', JSON_TEXT],
        ['t', { type: 'STRING', optional: true, default: 'none' }],
      ],
    });
  });

  test('events of one schema share its object, and each route has its own name', () => {
    const apply = router({ [PLACEMENT]: 'type:envelope' });
    const schemas = ['Order', 'Order', 'Customer'].map((type) => apply(event({ aggregatetype: type }))!.valueSchema);
    expect(schemas[0]).toBe(schemas[1]);
    expect(schemas[2]!.name).toBe('shop.public.outbox.Customer.Value');
  });

  test.each([
    ['missing:header', 'missing is not a valid field name'],
    ['missing:envelope', 'Unable to find field missing in event'],
    ['missing:partition', 'missing is not a valid field name'],
  ])('a column that the table lacks: %s', (placement, message) => {
    expect(() => routed(event(), { [PLACEMENT]: placement })).toThrow(message);
    const record = routed(event(), { [PLACEMENT]: placement, 'table.field.additional.missing': 'ignore' });
    expect(record.partition).toBeNull();
  });

  test.each([
    [{ 'table.field.event.payload': 'missing' }, 'Unable to find payload field missing in event'],
    [{ 'table.field.event.id': 'missing' }, 'missing is not a valid field name'],
    [{ 'table.field.event.key': 'missing' }, 'missing is not a valid field name'],
    [{ 'route.by.field': 'part' }, "Field 'part' is not of type STRING"],
    [{ [PLACEMENT]: 'tenant:partition' }, "Field 'tenant' is not of type INT32"],
    [{ 'table.field.event.timestamp': 'missing' }, 'Unable to find timestamp field missing in event'],
    [{ 'table.field.event.timestamp': 'zoned' }, "Field 'zoned' is not of type INT64"],
    [
      { 'table.field.event.timestamp': 'plain' },
      'Unsupported field type INT64 (without logical schema name) for event timestamp',
    ],
    [
      { 'table.field.event.timestamp': 'at' },
      'Unsupported field type org.apache.kafka.connect.data.Timestamp for event timestamp',
    ],
    [{ [PLACEMENT]: 'type:envelope:payload' }, 'field name duplication payload'],
  ])('a row that lacks what the settings name: %j', (config, message) => {
    expect(() => routed(event(), config)).toThrow(message);
  });

  test('a row without a payload column, and an event without a row', () => {
    expect(() => routed(create)).toThrow('Unable to find payload field payload in event');
    expect(() => routed(event({}, 't', null))).toThrow('Only Struct objects supported for [Read Outbox Event]');
  });

  test.each([null, '', '  '])('a tombstone for an empty payload, on request: %j', (payload) => {
    const config = { 'route.tombstone.on.empty.payload': 'true', [PLACEMENT]: 'type:envelope' };
    expect(routed(event({ payload }), config)).toMatchObject({ value: null, valueSchema: null, key: '10711' });
    expect(routed(event({ payload })).value).toBe(payload);
    expect(routed(event(), config).value).not.toBeNull();
  });
});

describe('cdc-postgres 108: payloads in JSON are expanded', () => {
  const expanded = (payload: string, config: ConnectorConfig = {}): Json => {
    const { valueSchema, value } = routed(event({ payload }), { ...JSON_ON, ...config });
    return [
      writeSchema(valueSchema) as Json,
      JSON.parse(JSON.stringify(value, (_, of: unknown) => (typeof of === 'bigint' ? `${of}n` : of))) as Json,
    ];
  };
  const struct = (name: string, ...fields: Json[]): Json => ({ type: 'STRUCT', optional: true, name, fields });
  const list = (values: Json): Json => ({ type: 'ARRAY', optional: true, values });

  test.each<[string, Json[], Json]>([
    [
      '{"a": 1, "b": "x", "c": true, "d": 1.5}',
      [
        ['a', 'INT32?'],
        ['b', 'STRING?'],
        ['c', 'BOOLEAN?'],
        ['d', 'FLOAT64?'],
      ],
      { a: 1, b: 'x', c: true, d: 1.5 },
    ],
    [
      '{"b": 2147483648, "a": -9223372036854775808}',
      [
        ['b', 'INT64?'],
        ['a', 'INT64?'],
      ],
      { b: 2147483648, a: '-9223372036854775808n' },
    ],
    [
      '{"2": 1e3, "1": -0}',
      [
        ['2', 'FLOAT64?'],
        ['1', 'INT32?'],
      ],
      { 1: 0, 2: 1000 },
    ],
    [
      '{"o": {"i": {"j": 1}}}',
      [['o', struct('payload.o', ['i', struct('payload.o.i', ['j', 'INT32?'])])]],
      { o: { i: { j: 1 } } },
    ],
    [
      '{"l": ["a", null], "m": [[1], [2]]}',
      [
        ['l', list('STRING?')],
        ['m', list(list('INT32?'))],
      ],
      { l: ['a', null], m: [[1], [2]] },
    ],
    [
      '{"l": [{"a": 1}, {"b": "x", "a": 2}]}',
      [['l', list(struct('payload.l', ['a', 'INT32?'], ['b', 'STRING?']))]],
      {
        l: [
          { a: 1, b: null },
          { a: 2, b: 'x' },
        ],
      },
    ],
    ['{"n": null, "e": [], "s": {}}', [['s', struct('payload.s')]], { s: {} }],
    ['{"a": 1, "a": "\\u00e4\\n"}', [['a', 'STRING?']], { a: 'ä\n' }],
    ['{"a": 1} and more', [['a', 'INT32?']], { a: 1 }],
  ])('%s', (payload, fields, value) => {
    expect(expanded(payload)).toEqual([struct('payload', ...fields), value]);
  });

  test('arrays; nulls and empty arrays on request; names for Avro', () => {
    expect(expanded('[1, 2]')).toEqual([list('INT32?'), [1, 2]]);
    expect(
      expanded('{"n": null, "l": [{"a": null}, {"a": 1}]}', { 'table.json.payload.null.behavior': 'optional_bytes' }),
    ).toEqual([
      struct('payload', ['n', 'BYTES?'], ['l', list(struct('payload.l', ['a', 'INT32?']))]),
      { n: null, l: [{ a: null }, { a: 1 }] },
    ]);
    expect(expanded('{"e": []}', { 'table.json.payload.empty.array.behavior': 'optional_string' })).toEqual([
      struct('payload', ['e', list('STRING?')]),
      { e: [] },
    ]);
    expect(expanded('{"a-b": 1, "1": 2}', { 'field.name.adjustment.mode': 'avro' })).toEqual([
      struct('payload', ['a_b', 'INT32?'], ['_1', 'INT32?']),
      { a_b: 1, _1: 2 },
    ]);
  });

  test.each([
    ...[
      'text',
      '"text"',
      '12',
      'null',
      ' {"a": 1}',
      '{"a":',
      '{"a": 01}',
      '{"a": NaN}',
      "{'a': 1}",
      '{"a": 1,}',
      '[1 2]',
    ],
    ...['{"l": [1, "a"]}', '{"l": [1, 2147483648]}', '{"l": [null]}', '{"n": 9223372036854775808}', '[]', ''],
    `${'['.repeat(200)}${']'.repeat(200)}`,
    `{"a": ${'1'.repeat(1001)}}`,
  ])('stays a text: %.60s', (payload) => {
    expect(expanded(payload)).toEqual([JSON_TEXT, payload]);
  });

  test.each([
    ['objects with different fields', `[${Array.from({ length: 20_000 }, (_, i) => `{"a${i}":1}`).join(',')}]`],
    [
      'a long name around many',
      `{"${'n'.repeat(100_000)}":{${Array.from({ length: 50 }, (_, i) => `"k${i}":{}`).join(',')}}}`,
    ],
  ])('a value that takes far more memory than its text stays a text: %s', (_what, payload) => {
    expect(expanded(payload)).toEqual([JSON_TEXT, payload]);
  });

  test('a text beyond the limit stays one', () => {
    const payload = `{"a": "${'x'.repeat(1_048_576)}"}`;
    expect(routed(event({ payload }), JSON_ON).value).toBe(payload);
  });

  test('texts of one structure share its schema', () => {
    const apply = router(JSON_ON);
    const schemas = ['{"a": 1}', '{"a": 2}'].map((payload) => apply(event({ payload }))!.valueSchema);
    expect(schemas[0]).toBe(schemas[1]);
  });

  test('names that JavaScript objects inherit are members', () => {
    const { value } = routed(event({ payload: '{"__proto__": 1, "constructor": 2}' }), JSON_ON);
    expect(Object.entries(value as object)).toEqual([
      ['__proto__', 1],
      ['constructor', 2],
    ]);
  });
});

test.each([
  [{ 'table.op.invalid.behavior': 'ignore' }, 'Value must be one of warn, error, fatal'],
  [{ 'table.field.additional.missing': 'x' }, 'Value must be one of ignore, error'],
  [{ [PLACEMENT]: 'type' }, 'list of valid String pairs or trios is expected but got: [type]'],
  [{ [PLACEMENT]: 'type:nowhere' }, 'needs one of header, envelope, partition after its first colon'],
  [{ 'route.topic.regex': '(' }, 'A valid regular expressions is expected'],
  [{ 'route.topic.replacement': '$9' }, 'No group 9'],
  [{ 'table.expand.json.payload': 'yes' }, "Either 'true' or 'false' is expected"],
])('cdc-postgres 108: refused: %j', (config, message) => {
  expect(() => router(config)).toThrow(message);
});
