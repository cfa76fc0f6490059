/** Rows of an outbox table, for Debezium's EventRouter. */
import type { Json, RecordNotation, SchemaObject } from '../notation';
import { create, heartbeat, schemaless, tombstone, typedTombstone } from './change-events';
import { on as cases, struct, TIMESTAMP, type Case } from './inputs';

const UUID: SchemaObject = { type: 'STRING', name: 'io.debezium.data.Uuid', version: 1 };
const JSON_TEXT: SchemaObject = { type: 'STRING', optional: true, name: 'io.debezium.data.Json', version: 1 };
const time = (name: string): SchemaObject => ({ type: 'INT64', optional: true, name: `io.debezium.time.${name}`, version: 1 });

const columns: NonNullable<SchemaObject['fields']> = [
  ['id', UUID],
  ['aggregatetype', 'STRING'],
  ['aggregateid', 'STRING?'],
  ['type', 'STRING'],
  ['payload', JSON_TEXT],
  ['milli', time('Timestamp')],
  ['micro', time('MicroTimestamp')],
  ['nano', time('NanoTimestamp')],
  ['zoned', { type: 'STRING', optional: true, name: 'io.debezium.time.ZonedTimestamp', version: 1 }],
  ['plain', 'INT64?'],
  ['at', { ...TIMESTAMP, optional: true }],
  ['seconds', time('Seconds')],
  ['version', 'INT32?'],
  ['part', 'INT32?'],
  ['big', 'INT64?'],
  ['tenant', { type: 'STRING', optional: true, default: 'none' }],
  ['data', 'BYTES?'],
];
const ROW = struct(columns, { optional: true, name: 'shop.public.outbox.Value' });
const ENVELOPE = struct(
  [
    ['before', ROW],
    ['after', ROW],
    ['op', 'STRING'],
    ['ts_ms', 'INT64?'],
  ],
  { name: 'shop.public.outbox.Envelope', version: 2 },
);
export const outboxRow: Record<string, Json> = {
  id: '4d47e190-0402-4048-bc2c-89dd54343cdc',
  aggregatetype: 'Order',
  aggregateid: '10711',
  type: 'OrderCreated',
  payload: '{"a": 1}',
  milli: 1_700_000_000_001,
  micro: -1_700_000_000_002_999,
  nano: '1700000000003000999',
  zoned: '2023-11-14T22:13:20Z',
  plain: 5,
  at: 7,
  seconds: 9,
  version: 3,
  part: 2,
  big: 4,
  tenant: 'acme',
  data: 'AQID',
};
const KEY = struct([['id', UUID]], { name: 'shop.public.outbox.Key' });

export const outboxEvent = (
  more: Record<string, Json> = {},
  op = 'c',
  after: Record<string, Json> | null = op === 'd' ? null : { ...outboxRow, ...more },
): RecordNotation => ({
  source: true,
  topic: 'shop.public.outbox',
  key: [KEY, { id: outboxRow.id! }],
  value: [
    ENVELOPE,
    { before: op === 'd' || op === 'u' ? { ...outboxRow, ...more } : null, after, op, ts_ms: 1_700_000_000_500 },
  ],
  headers: [['trace', 'STRING', 'abc']],
});
const event = outboxEvent;
const text = (payload: string | null): RecordNotation => event({ payload });

const all: RecordNotation[] = [
  event(),
  event({}, 'r'),
  event({}, 'u'),
  event({}, 'd'),
  tombstone,
  typedTombstone,
  heartbeat,
  schemaless,
  create,
  event({ payload: null }),
  event({ payload: ' ' }),
  event({ aggregateid: null, part: null, tenant: null, version: null }),
  event({}, 't'),
  { ...event(), value: [ENVELOPE, { op: 'c', ts_ms: null }] },
];
const on = (configs: readonly Case['config'][], records: readonly RecordNotation[] = all): Case[] =>
  cases('io.debezium.transforms.outbox.EventRouter', configs, [...records]);

const PLACEMENT = 'table.fields.additional.placement';
const MISSING = 'table.field.additional.missing';
const JSON_ON = { 'table.expand.json.payload': 'true' };
const few = [event(), event({ payload: null }), event({ milli: null, micro: null, nano: null, plain: null })];

export const outbox: Case[] = [
  ...on([
    {},
    { 'table.op.invalid.behavior': 'error' },
    { 'table.op.invalid.behavior': ' FATAL ' },
    { 'route.tombstone.on.empty.payload': 'true' },
    { [PLACEMENT]: 'type:header' },
    { [PLACEMENT]: 'type:envelope' },
    { [PLACEMENT]: 'type:header:kind,tenant:envelope:t,part:partition, version : header : v ,id:envelope' },
    { [PLACEMENT]: 'type:envelope', 'route.tombstone.on.empty.payload': 'true' },
    { [PLACEMENT]: 'type:envelope', 'table.field.event.schema.version': 'version' },
    { 'table.field.event.schema.version': 'version' },
    { 'table.field.event.key': 'id', 'route.by.field': 'type', 'table.field.event.id': 'aggregateid' },
    { 'route.topic.replacement': 'events.$1.${routedByValue}' },
    { 'route.topic.regex': 'Ord(.*)', 'route.topic.replacement': 'x-$1' },
    { 'route.topic.regex': 'der', 'route.topic.replacement': 'x' },
  ]),
  ...on(
    [
      ...['milli', 'micro', 'nano', 'zoned', 'plain', 'at', 'seconds', 'missing', 'part'].map((field) => ({
        'table.field.event.timestamp': field,
      })),
      { 'table.field.event.id': 'missing' },
      { 'table.field.event.key': 'missing' },
      { 'table.field.event.payload': 'missing' },
      { 'table.field.event.payload': 'data' },
      { 'table.field.event.payload': 'part', ...JSON_ON },
      { 'table.field.event.payload': 'part', 'route.tombstone.on.empty.payload': 'true' },
      { 'table.field.event.type': 'missing' },
      { 'route.by.field': 'missing' },
      { 'route.by.field': 'part' },
      { 'table.field.event.schema.version': 'missing', [PLACEMENT]: 'type:envelope' },
      { 'table.field.event.schema.version': 'tenant', [PLACEMENT]: 'type:envelope' },
      ...['missing:header', 'missing:envelope', 'missing:partition', 'tenant:partition', 'big:partition'].flatMap(
        (placement): Case['config'][] => [
          { [PLACEMENT]: placement },
          { [PLACEMENT]: placement, [MISSING]: 'ignore' },
        ],
      ),
      { [PLACEMENT]: 'type:envelope:payload' },
      { [PLACEMENT]: 'type:envelope:a,tenant:envelope:a' },
      { [PLACEMENT]: 'type:header:id,type:header:trace' },
    ],
    few,
  ),
  // One schema per payload schema and per version, named after the first record.
  ...on(
    [
      { [PLACEMENT]: 'type:envelope' },
      { [PLACEMENT]: 'type:envelope', 'table.field.event.schema.version': 'version' },
      { [PLACEMENT]: 'type:envelope', ...JSON_ON },
    ],
    [
      event(),
      event({ aggregatetype: 'Customer' }),
      event({ version: 4, aggregatetype: 'Other' }),
      event({ payload: '{"b": "x"}', version: 3 }),
    ],
  ),
  ...on(
    [
      JSON_ON,
      { ...JSON_ON, 'table.json.payload.null.behavior': 'optional_bytes' },
      { ...JSON_ON, 'table.json.payload.empty.array.behavior': 'optional_string' },
      { ...JSON_ON, [PLACEMENT]: 'type:envelope', 'route.tombstone.on.empty.payload': 'true' },
      { ...JSON_ON, 'field.name.adjustment.mode': 'avro' },
      { ...JSON_ON, 'field.name.adjustment.mode': 'avro_unicode' },
    ],
    [
      ...[
        '{"a": 1, "b": "two", "c": true, "d": 1.5, "e": null, "f": [], "g": {}, "h": {"i": 1, "j": {"k": "l"}}}',
        '{"min": -2147483648, "max": 2147483647, "long": 2147483648, "longer": 9223372036854775807, "neg": -9223372036854775808}',
        '{"toobig": 9223372036854775808}',
        '{"e": 1e3, "z": -0.0, "f": 0.1, "huge": 1e400}',
        '{"n": [1, 2, 3], "s": ["a", null, "b"], "b": [true, false], "f": [1.5, 2.5]}',
        '{"mixed": [1, "a"]}',
        '{"numbers": [1, 2147483648]}',
        '{"nulls": [null, null]}',
        '{"firstnull": [null, 1]}',
        '{"nested": [[1, 2], [3]]}',
        '{"nestedempty": [[], [1]]}',
        '{"objects": [{"a": 1}, {"a": 2}, null]}',
        '{"objects": [{"a": 1, "b": null}]}',
        '{"a": 1, "a": "twice"}',
        '{"with space": 1, "1st": 2, "a-b": 3, "ä": 4, "_ok": 5, "a.b": 6}',
        '[1, 2]',
        '[{"a": 1}]',
        '[]',
        '{}',
        'no json',
        '"text"',
        '12',
        'null',
        '',
        ' {"a": 1}',
        '{"a": 1} trailing',
        '{"a": 1}{"b": 2}',
        '{"a": 01}',
        '{"a": NaN}',
        "{'a': 1}",
        '{"a": 1,}',
        '{"a": "\\u00e4\\n\\ud83d\\ude00"}',
        '{"a":',
        '{"__proto__": 1, "constructor": 2, "": 3}',
      ].map(text),
      event({ payload: null }),
    ],
  ),
  ...on(
    [
      { 'table.op.invalid.behavior': 'ignore' },
      { [MISSING]: 'x' },
      { [PLACEMENT]: 'type' },
      { [PLACEMENT]: 'type:header:a:b' },
      { 'route.topic.regex': '(' },
      { 'table.expand.json.payload': 'yes' },
      { 'table.json.payload.null.behavior': 'x' },
      { 'route.tombstone.on.empty.payload': '1' },
    ],
    [],
  ),
  ...on([{ [PLACEMENT]: 'type:nowhere' }, { 'route.topic.replacement': '$9' }, { 'route.by.field': '' }], few),
];
