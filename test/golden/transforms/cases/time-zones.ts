/** Change events with times, for Debezium's TimezoneConverter. */
import type { Json, RecordNotation, SchemaObject } from '../notation';
import { create, heartbeat, schemaless, tombstone, typedTombstone } from './change-events';
import { DATE, on as cases, struct, TIME, TIMESTAMP, type Case } from './inputs';

const debezium = (type: 'INT32' | 'INT64' | 'STRING', name: string): SchemaObject => ({
  type,
  optional: true,
  name: `io.debezium.time.${name}`,
  version: 1,
});
const ROW = struct(
  [
    ['id', 'INT32'],
    ['milli', debezium('INT64', 'Timestamp')],
    ['micro', debezium('INT64', 'MicroTimestamp')],
    ['nano', debezium('INT64', 'NanoTimestamp')],
    ['connect', { ...TIMESTAMP, optional: true }],
    ['zoned', debezium('STRING', 'ZonedTimestamp')],
    ['zonedtime', debezium('STRING', 'ZonedTime')],
    ['day', debezium('INT32', 'Date')],
    ['connectday', { ...DATE, optional: true }],
    ['time', debezium('INT64', 'MicroTime')],
    ['connecttime', { ...TIME, optional: true }],
    ['ts_ms', 'INT64?'],
  ],
  { optional: true, name: 'shop.public.times.Value' },
);
const SOURCE = struct(
  [
    ['ts_ms', 'INT64'],
    ['table', 'STRING'],
    ['ts_us', 'INT64?'],
    ['ts_ns', 'INT64?'],
  ],
  { name: 'Source' },
);
const ENVELOPE = struct(
  [
    ['before', ROW],
    ['after', ROW],
    ['source', SOURCE],
    ['op', 'STRING'],
    ['ts_ms', 'INT64?'],
  ],
  { name: 'shop.public.times.Envelope', version: 2 },
);
const source = { ts_ms: 1_700_000_000_123, table: 'times', ts_us: '1700000000123456', ts_ns: '1700000000123456789' };
const winter: Record<string, Json> = {
  id: 1,
  milli: 1_700_000_000_123,
  micro: 1_700_000_000_123_456,
  nano: '1700000000123456789',
  connect: 1_700_000_000_123,
  zoned: '2023-11-14T22:13:20.123456Z',
  day: 19_000,
  connectday: 86_400_000,
  time: 5,
  connecttime: 6,
  ts_ms: 7,
};
export const timesEvent = (row: Record<string, Json>, topic = 'shop.public.times', before: Json = null): RecordNotation => ({
  source: true,
  topic,
  value: [ENVELOPE, { before, after: row, source, op: 'c', ts_ms: 8 }],
});
const event = timesEvent;
const at = (iso: string): Record<string, Json> => {
  const ms = Date.parse(iso);
  return { id: 1, milli: ms, micro: String(BigInt(ms) * 1000n + 1n), nano: String(BigInt(ms) * 1_000_000n + 1n), connect: ms, zoned: iso };
};
const on = (configs: readonly Case['config'][], records: readonly RecordNotation[]): Case[] =>
  cases('io.debezium.transforms.TimezoneConverter', configs, [...records]);
const zone = (id: string, more: Record<string, string> = {}): Case['config'] => ({ 'converted.timezone': id, ...more });

const zoned = (text: string): RecordNotation => event({ id: 1, zoned: text });

export const timeZones: Case[] = [
  ...on(
    ['+00:00', '+08:00', '-05:30', '+01:02:03', 'UTC', 'Z', 'America/New_York', 'Europe/Berlin', 'Asia/Kolkata', 'Australia/Lord_Howe', 'Pacific/Apia', 'Etc/GMT+5', 'GMT'].map((id) => zone(id)),
    [
      event(winter),
      // Beside the changes of summer time, in the local time of each zone and in UTC.
      ...[
        '2024-03-31T00:59:59.999Z',
        '2024-03-31T01:00:00Z',
        '2024-03-31T02:00:00Z',
        '2024-03-31T02:30:00Z',
        '2024-03-31T03:00:00Z',
        '2024-10-27T00:59:59Z',
        '2024-10-27T01:30:00Z',
        '2024-10-27T02:30:00Z',
        '2024-10-27T03:00:00Z',
        '2024-03-10T02:30:00Z',
        '2024-03-10T07:30:00Z',
        '2024-11-03T01:30:00Z',
        '2011-12-30T10:00:00Z',
        '1970-01-01T00:00:00Z',
        '1969-12-31T23:59:59.999Z',
        '1883-11-18T12:00:00Z',
        '1800-06-01T00:00:00Z',
      ].map((iso) => event(at(iso))),
    ],
  ),
  ...on(
    [zone('+05:30'), zone('Europe/Berlin')],
    [
      '2020-01-01T00:00:00+02:00',
      '2020-06-01T12:34:56.7-03:30',
      '2020-06-01T12:34:56.123456789+00:00',
      '2020-06-01T12:34:00.000Z',
      '+12020-06-01T12:34:00Z',
      '-0044-03-15T12:00:00Z',
      '0001-01-01T00:00:00Z',
      '294247-01-10T04:00:54.775Z',
      '2020-06-01 12:34:56Z',
      '2020-02-30T00:00:00Z',
      'infinity',
      '',
    ].map(zoned),
  ),
  ...on(
    [zone('+05:30'), zone('-03:00:01'), zone('Z')],
    ['12:34:56Z', '23:59:59.123456Z', '00:00:00+02:00', '12:34:56.1-11:30', '24:00:00Z', 'noon'].map((text) => event({ id: 1, zonedtime: text })),
  ),
  ...on(
    [
      ...['include.list', 'exclude.list'].flatMap((list) =>
        [
          'source:times',
          'source:times:milli',
          'source:times:milli,source:times:connect',
          'source:times:before.milli',
          'source:times:after.milli',
          'source:times:source.ts_ms,source:times:source.ts_us,source:times:source.ts_ns',
          'source:other',
          'source:other:milli',
          'topic:shop.public.times',
          'topic:shop.public.times:milli',
          'times:milli',
          'times:milli,micro',
          'topic:shop.public.times:milli,connect',
          'shop.public.times:micro',
          'source:times:milli,topic:shop.public.times:micro',
          'source:times:id',
          'SOURCE:times:milli',
          'times',
        ].map((rule) => zone('+02:00', { [list]: rule })),
      ),
    ],
    [event(winter, 'shop.public.times', winter), event(winter, 'elsewhere')],
  ),
  ...on([zone('+02:00')], [create, tombstone, typedTombstone, heartbeat, schemaless, event({ id: 1 })]),
  ...on(
    [
      {},
      zone('Mars/Olympus'),
      zone('+2:00'),
      zone('+25:00'),
      zone('+18:30'),
      zone('EST'),
      zone('PST'),
      zone('UTC', { 'include.list': 'source:a', 'exclude.list': 'source:b' }),
      zone('UTC', { 'include.list': 'a-b:c' }),
      zone('UTC', { 'exclude.list': 'source' }),
      zone('UTC', { 'exclude.list': '(' }),
    ],
    [event(winter)],
  ),
];
