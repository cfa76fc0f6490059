import type { SinkRecord } from '@millrace/sdk';
import { SentRecords } from '../../../packages/java-host/src/plugins/sent-records';

const record = (partition = 0): SinkRecord =>
  ({ originalTopic: 't', originalPartition: partition }) as unknown as SinkRecord;
const added = (...partitions: readonly number[]): { sent: SentRecords; records: readonly SinkRecord[] } => {
  const sent = new SentRecords();
  const records = partitions.map(record);
  for (const one of records) sent.add(one);
  return { sent, records };
};
const pick = (records: readonly SinkRecord[], ...at: readonly number[]): SinkRecord[] =>
  at.map((index) => records[index] as SinkRecord);

test('numbers go on after records are discarded, and are those of the records', () => {
  const { sent, records } = added(0, 0, 0);
  expect(sent.discardPut(pick(records, 0))).toEqual([[0, 0]]);
  expect(sent.add(record())).toBe(3);
  expect(records.map((one) => sent.numberOf(one))).toEqual([undefined, 1, 2]);
  expect([0, 1, 2, 4].map((number) => sent.recordOf(number))).toEqual([undefined, records[1], records[2], undefined]);
});

test('ranges are those of consecutive numbers, in the order of the records', () => {
  const { sent, records } = added(0, 0, 0, 0, 0, 0);
  expect(sent.rangesOf(records)).toEqual([[0, 5]]);
  expect(sent.rangesOf(pick(records, 0, 1, 3, 5))).toEqual([
    [0, 1],
    [3, 3],
    [5, 5],
  ]);
  expect(sent.rangesOf(pick(records, 4, 5, 1, 2))).toEqual([
    [4, 5],
    [1, 2],
  ]);
  expect(sent.rangesOf([])).toEqual([]);
});

test('records that were not sent, or are discarded, are unknown', () => {
  const { sent, records } = added(0, 0);
  const other = record();
  sent.discardPut(pick(records, 0));
  expect(sent.unknownOf([...records, other])).toEqual([records[0], other]);
  expect(sent.unknownOf(pick(records, 1))).toEqual([]);
});

test('what was put is discarded with all before it; without records, everything is', () => {
  const { sent, records } = added(0, 0, 0, 0, 0);
  expect(sent.discardPut(pick(records, 2, 1))).toEqual([[0, 2]]);
  expect(sent.discardPut([record()])).toEqual([]);
  expect(sent.discardPut([])).toEqual([[3, 4]]);
  expect(sent.discardPut([])).toEqual([]);
});

test('records of partitions are discarded alone, and never again', () => {
  const { sent, records } = added(1, 0, 1, 0);
  expect(sent.discardOf([{ topic: 't', partition: 0 }])).toEqual([
    [1, 1],
    [3, 3],
  ]);
  expect(records.map((one) => sent.numberOf(one))).toEqual([0, undefined, 2, undefined]);
  expect(sent.add(record())).toBe(4);
  expect(sent.rangesOf(pick(records, 0, 2))).toEqual([
    [0, 0],
    [2, 2],
  ]);
  expect(sent.discardPut(pick(records, 2))).toEqual([
    [0, 0],
    [2, 2],
  ]);
  expect(
    sent.discardOf([
      { topic: 't', partition: 0 },
      { topic: 'other', partition: 1 },
    ]),
  ).toEqual([[4, 4]]);
});
