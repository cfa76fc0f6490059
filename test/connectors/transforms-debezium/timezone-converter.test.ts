/** `io.debezium.transforms.TimezoneConverter`. */
import type { ConnectorConfig } from '@millrace/sdk';
import { timezoneConverter } from '../../../connectors/transforms-debezium/src';
import { timesEvent as event } from '../../golden/transforms/cases/time-zones';
import { heartbeat, tombstone } from '../../golden/transforms/cases/change-events';
import { readRecord, writeChanges, type Json, type RecordNotation } from '../../golden/transforms/notation';

type Row = Record<string, Json>;
const ZONE = 'converted.timezone';
const changes = (record: RecordNotation, config: ConnectorConfig): Record<string, Json> => {
  const transformation = timezoneConverter.create();
  transformation.configure(config);
  const before = readRecord(record);
  return writeChanges(before, transformation.apply(before)!) as Record<string, Json>;
};
const after = (row: Row, zone: string): Row => {
  const value = changes(event(row), { [ZONE]: zone }).value as [Json, { after: Row }] | undefined;
  return { ...row, ...value?.[1].after };
};
/** The field of a row with this value, which may be one that the notation has no form for. */
const convertedOf = (field: string, value: unknown, zone: string): unknown => {
  const transformation = timezoneConverter.create();
  transformation.configure({ [ZONE]: zone });
  const record = readRecord(event({ id: 1 }));
  const envelope = record.value as { after: Row };
  const moved = transformation.apply({
    ...record,
    value: { ...envelope, after: { id: 1, [field]: value } },
  } as typeof record);
  return (moved!.value as { after: Row }).after[field];
};
const at = (iso: string): number => Date.parse(iso);

describe('cdc-postgres 7.13: times move to another zone', () => {
  // The time in the event is taken for a local time of the zone.
  test.each([
    ['+08:00', '2023-11-14T22:13:20.123Z', '2023-11-14T14:13:20.123Z'],
    ['-05:30', '2023-11-14T22:13:20.123Z', '2023-11-15T03:43:20.123Z'],
    ['+01:02:03', '1970-01-01T00:00:00Z', '1969-12-31T22:57:57Z'],
    ['UTC', '1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
    ['Europe/Berlin', '2024-01-15T12:00:00Z', '2024-01-15T11:00:00Z'],
    ['Europe/Berlin', '2024-07-15T12:00:00Z', '2024-07-15T10:00:00Z'],
    // A local time that does not exist, and one that exists twice, have the offset before the change.
    ['Europe/Berlin', '2024-03-31T02:30:00Z', '2024-03-31T01:30:00Z'],
    ['Europe/Berlin', '2024-03-31T03:00:00Z', '2024-03-31T01:00:00Z'],
    ['Europe/Berlin', '2024-10-27T02:30:00Z', '2024-10-27T00:30:00Z'],
    ['Europe/Berlin', '2024-10-27T03:00:00Z', '2024-10-27T02:00:00Z'],
    ['America/New_York', '2024-11-03T01:30:00Z', '2024-11-03T05:30:00Z'],
    ['Australia/Lord_Howe', '2024-01-01T00:00:00Z', '2023-12-31T13:00:00Z'],
    ['Asia/Kolkata', '2024-01-01T00:00:00Z', '2023-12-31T18:30:00Z'],
    ['Europe/Berlin', '1800-06-01T00:00:00Z', '1800-05-31T23:06:32Z'],
  ])('%s: %s', (zone, local, instant) => {
    const ms = at(local);
    const [micro, nano] = [BigInt(ms) * 1000n + 1n, BigInt(ms) * 1_000_000n + 1n];
    const moved = after({ id: 1, milli: ms, micro: String(micro), nano: String(nano), connect: ms }, zone);
    const shift = BigInt(at(instant) - ms);
    expect(moved).toMatchObject({ milli: at(instant), connect: at(instant) });
    expect(String(moved.micro)).toBe(String(micro + shift * 1000n));
    expect(String(moved.nano)).toBe(String(nano + shift * 1_000_000n));
  });

  test.each([
    ['+05:30', '2020-01-01T00:00:00+02:00', '2020-01-01T03:30:00+05:30'],
    ['+05:30', '2020-06-01T12:34:56.7-03:30', '2020-06-01T21:34:56.7+05:30'],
    ['Europe/Berlin', '2023-11-14T22:13:20.123456Z', '2023-11-14T23:13:20.123456+01:00'],
    ['UTC', '2020-06-01T12:34:00.000+00:00', '2020-06-01T12:34:00Z'],
    ['-01:00', '0001-01-01T00:00:00Z', '0000-12-31T23:00:00-01:00'],
    ['+01:00', '-0044-03-15T12:00:00Z', '-0044-03-15T13:00:00+01:00'],
    ['+01:00', '+294247-01-10T04:00:54.775Z', '+294247-01-10T05:00:54.775+01:00'],
  ])('%s: zoned timestamp %s', (zone, text, moved) => {
    expect(after({ id: 1, zoned: text }, zone).zoned).toBe(moved);
  });

  test.each([
    ['milli', 9223372036825200000n, -9223372036832400000n],
    ['micro', 9223372036854775807n, -9223372036854775808n],
    ['micro', -9223372036853775810n, -9223372036854775808n],
    ['nano', 9223372036854775807n, -9223372036854775808n],
    ['connect', 9223372036825200000n, -9223372036832400000n],
    ['zoned', 'infinity', '-infinity'],
  ])('infinity and -infinity are no points in time and stay as they are: %s %s', (field, last, first) => {
    for (const value of [last, first]) expect(convertedOf(field, value, 'Asia/Kolkata')).toBe(value);
  });

  test('a connect timestamp beyond the dates of JavaScript moves as a number', () => {
    const end = 8_640_000_000_000_000;
    expect(convertedOf('connect', end + 3_600_000, '+01:00')).toBe(end);
    expect(convertedOf('connect', 9_223_372_036_800_000, '+01:00')).toBe(9_223_372_033_200_000n);
    expect(convertedOf('connect', new Date(end), '-01:00')).toBe(end + 3_600_000);
    expect(convertedOf('connect', new Date(end), '+01:00')).toEqual(new Date(end - 3_600_000));
  });

  test.each([
    ['12:34:56Z', '18:04:56+05:30'],
    ['23:59:59.120Z', '05:29:59.12+05:30'],
    ['00:00:00+10:00', '19:30:00+05:30'],
  ])('zoned time %s', (text, moved) => expect(after({ id: 1, zonedtime: text }, '+05:30').zonedtime).toBe(moved));

  test.each(['', '2020-06-01 12:34:56Z', '2020-02-30T00:00:00Z', '2020-06-01T24:00:00Z'])(
    'a zoned timestamp that cannot be read is an error: %s',
    (zoned) => {
      expect(() => after({ id: 1, zoned }, 'UTC')).toThrow(`Text '${zoned}' could not be parsed`);
    },
  );

  const MILLI = 1_700_000_000_123;
  const row: Row = { id: 1, milli: MILLI, connect: MILLI, day: 19_000, time: 5, ts_ms: 7 };
  const moved = MILLI - 7_200_000;
  const both = { milli: moved, connect: moved };
  const of = (list: string, rules: string): Record<string, Json> | null => {
    const config = { [ZONE]: '+02:00', [list]: rules };
    const [, value] = (changes(event(row, 'shop.public.times', row), config).value ?? [null, null]) as [
      Json,
      Row | null,
    ];
    if (value === null) return null;
    const changed = (block: string): Row =>
      Object.fromEntries(
        Object.entries(value[block] as Row).filter(
          ([name, one]) => name in row && one !== row[name] && block !== 'source',
        ),
      );
    return { before: changed('before'), after: changed('after'), source: (value.source as Row).ts_ms as number };
  };
  const TS = 1_700_000_000_123;
  const ALL = { before: both, after: both, source: TS };
  const NO_MILLI = { before: { connect: moved }, after: { connect: moved }, source: TS };
  const ONLY = { before: { milli: moved }, after: { milli: moved }, source: TS };

  test.each([
    ['include.list', 'source:times', ALL],
    ['include.list', 'topic:shop.public.times', ALL],
    ['include.list', 'source:times:milli', ONLY],
    ['include.list', 'times:milli', ONLY],
    ['include.list', 'shop.public.times:milli', ONLY],
    ['include.list', 'source:times:milli,connect', ONLY],
    ['include.list', 'source:times:after.milli', { ...ONLY, before: {} }],
    ['include.list', 'source:times:source.ts_ms', { before: {}, after: {}, source: TS + 7_200_000 }],
    ['include.list', 'source:other', null],
    ['include.list', 'source:times:id', null],
    ['exclude.list', 'source:times', null],
    ['exclude.list', 'source:times:milli', NO_MILLI],
    ['exclude.list', 'source:other', ALL],
  ])('%s=%s', (list, rules, expected) => expect(of(list, rules)).toEqual(expected));

  test('what is not a change event passes', () => {
    for (const record of [tombstone, heartbeat]) expect(changes(record, { [ZONE]: '+02:00' })).toEqual({});
  });

  test.each([
    [{}, 'A value is required'],
    [{ [ZONE]: 'Mars/Olympus' }, 'Invalid timezone format'],
    [{ [ZONE]: '+2:00' }, 'Invalid timezone format'],
    [{ [ZONE]: '+25:00' }, 'Invalid timezone format'],
    [{ [ZONE]: 'UTC', 'include.list': 'source:a', 'exclude.list': 'source:b' }, 'Please specify only one'],
    [{ [ZONE]: 'UTC', 'include.list': 'a-b:c' }, 'Rules of the form'],
    [{ [ZONE]: 'UTC', 'exclude.list': 'source' }, 'Rules of the form'],
  ])('refused: %j', (config: ConnectorConfig, message) => {
    expect(() => changes(tombstone, config)).toThrow(message);
  });
});
