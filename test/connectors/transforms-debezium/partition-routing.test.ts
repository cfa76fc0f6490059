/** `io.debezium.transforms.partitions.PartitionRouting`. */
import type { ConnectorConfig } from '@millrace/sdk';
import { partitionRouting } from '../../../connectors/transforms-debezium/src';
import { typesEvent as event } from '../../golden/transforms/cases/partitions';
import { create, heartbeat, remove, tombstone, truncate } from '../../golden/transforms/cases/change-events';
import { readRecord, type Json, type RecordNotation } from '../../golden/transforms/notation';

const FIELDS = 'partition.payload.fields';
const NUM = 'partition.topic.num';
const partition = (record: RecordNotation, config: ConnectorConfig): number | null | undefined => {
  const transformation = partitionRouting.create();
  transformation.configure(config);
  return transformation.apply(readRecord(record))?.partition;
};
const INT_MAX = String(2 ** 31 - 1);

/** Values with Java's hash codes. */
const hashes: readonly (readonly [string, Json, number])[] = [
  ['i8', -128, -128],
  ['i32', -2, -2],
  ['i32', 42, 42],
  ['i64', 4294967296, 1],
  ['i64', -1, 0],
  ['i64', '9223372036854775807', -2147483648],
  ['f32', 1.5, 1069547520],
  ['f64', 1.5, 1073217536],
  ['f64', '-0.0', -2147483648],
  ['b', true, 1231],
  ['b', false, 1237],
  ['s', 'hello', 99162322],
  ['dec', '12.34', 38256],
  ['dec', '-12.34', -38252],
  ['dec', '42949672.96', 963],
  ['at', 1_700_000_000_123, -807048720],
  ['list', ['a', 'b'], 4066],
  ['longs', [1, null], 992],
  [
    'map',
    [
      ['a', 1],
      ['b', 2],
    ],
    192,
  ],
];

describe('cdc-postgres 7.13: partitions by fields of an event', () => {
  test.each(hashes)('%s %j has the hash code %d', (field, value, hash) => {
    const positive = hash & 0x7fffffff;
    expect(partition(event({ [field]: value }), { [FIELDS]: `after.${field}`, [NUM]: INT_MAX })).toBe(positive);
  });

  test.each([
    ['s', '', 125143],
    ['s', 'a', 237072],
    ['s', 'Zürich', 664225],
    ['s', '日本語', 435728],
    ['s', '😀 and 16 bytes more', 308951],
    ['s', 'a'.repeat(100), 767733],
    ['s', 'exactly 15 byte', 910186],
    ['s', 'exactly 16 bytes', 394774],
    ['i32', -1, 704800],
    ['i32', 42, 161102],
    ['i64', 0, 500474],
  ])('murmur: %s %j', (field, value, expected) => {
    const config = { [FIELDS]: `after.${field}`, [NUM]: '1000003', 'partition.hash.function': ' MURMUR ' };
    expect(partition(event({ [field]: value }), config)).toBe(expected);
  });

  test.each([
    [create, 'change.id', 1],
    [remove, 'change.id', 1],
    [create, 'change.id, source.table', (1 + 115245) % 100],
    [create, ' after . id , missing, after.missing, op.x', 1],
    [create, 'missing', 3],
    [truncate, 'op', 3],
    [tombstone, 'op', 3],
    [heartbeat, 'ts_ms', 3],
  ])('%#: fields %s', (record, fields, expected) => {
    expect(partition(record, { [FIELDS]: fields, [NUM]: '100' })).toBe(expected);
  });

  test.each([
    [{ [NUM]: '1' }, 'A value is required'],
    [{ [FIELDS]: 'a,,b', [NUM]: '1' }, 'Empty string element(s) not permitted'],
    [{ [FIELDS]: 'a' }, 'A value is required'],
    [{ [FIELDS]: 'a', [NUM]: '0' }, 'A positive, non-zero integer value is expected'],
    [{ [FIELDS]: 'a', [NUM]: '1.5' }, 'An integer is expected'],
  ])('refused: %j', (config: ConnectorConfig, message) => {
    expect(() => partition(create, config)).toThrow(message);
  });
});
