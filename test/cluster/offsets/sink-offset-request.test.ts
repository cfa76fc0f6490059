import { Float64, type PartitionOffset } from '../../../src/cluster/connector-offsets';
import { sinkOffsetRequest } from '../../../src/cluster/offsets/sink-offset-request';

const partition = { kafka_topic: 't', kafka_partition: 0 };
const at = (given: unknown, offset: unknown = { kafka_offset: 1 }): PartitionOffset[] => [
  { partition: given, offset } as PartitionOffset,
];

test('connect-rest 110: numbers, and numbers as text; the last entry for a partition counts', () => {
  expect(
    sinkOffsetRequest([
      ...at({ kafka_topic: 't', kafka_partition: '0' }, { kafka_offset: '10' }),
      ...at({ kafka_topic: 't', kafka_partition: '+1', more: true }, { kafka_offset: 9007199254740991n }),
      ...at({ kafka_topic: 5, kafka_partition: 2 }, null),
      ...at(partition, { kafka_offset: 11 }),
    ]),
  ).toEqual([
    { topic: 't', partition: 0, offset: 11 },
    { topic: 't', partition: 1, offset: 9007199254740991 },
    { topic: '5', partition: 2, offset: null },
  ]);
});

const numbers = (what: string, shown: string): string =>
  `Failed to parse the following Kafka ${what.toLowerCase()} value in the provided offsets: '${shown}'. ${what} values for sink connectors need to be integers.`;

test.each<[unknown, unknown, string]>([
  [null, null, 'The partition for a sink connector offset cannot be null or missing'],
  [{}, null, "The partition for a sink connector offset must contain the keys 'kafka_topic' and 'kafka_partition'"],
  [{ ...partition, kafka_topic: null }, null, 'Kafka topic names must be valid strings and may not be null'],
  [{ ...partition, kafka_partition: null }, null, 'Kafka partitions must be valid numbers and may not be null'],
  [{ ...partition, kafka_partition: 'x' }, null, numbers('Partition', 'x')],
  [{ ...partition, kafka_partition: new Float64(1) }, null, numbers('Partition', '1.0')],
  [{ ...partition, kafka_partition: 0.5 }, null, numbers('Partition', '0.5')],
  [{ ...partition, kafka_partition: 2147483648 }, null, numbers('Partition', '2147483648')],
  [{ ...partition, kafka_partition: { a: 1n } }, null, numbers('Partition', '{"a":1}')],
  [partition, {}, "The offset for a sink connector should either be null or contain the key 'kafka_offset'"],
  [partition, { kafka_offset: null }, numbers('Offset', 'null')],
  [partition, { kafka_offset: ' 1' }, numbers('Offset', ' 1')],
  [partition, { kafka_offset: true }, numbers('Offset', 'true')],
  [partition, { kafka_offset: 2n ** 63n }, numbers('Offset', '9223372036854775808')],
  [partition, { kafka_offset: -1 }, 'The offset -1 cannot be stored: it must be at least 0 and below 2^53'],
  [
    partition,
    { kafka_offset: 2n ** 60n },
    `The offset ${2n ** 60n} cannot be stored: it must be at least 0 and below 2^53`,
  ],
])('connect-rest 109, R10: %o, %o', (given, offset, message) => {
  expect(() => sinkOffsetRequest(at(given, offset))).toThrow(expect.objectContaining({ status: 400, message }));
});
