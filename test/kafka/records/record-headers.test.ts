import type { RecordHeader } from '../../../packages/kafka-client/src/port';
import { headersBytes, writeHeaders } from '../../../packages/kafka-client/src/records/record-headers';
import { random, randomRecord } from './record-batch-samples';

function written(headers: readonly RecordHeader[]): Buffer {
  const bytes = Buffer.alloc(headersBytes(headers) + 1, 0xee);
  expect(writeHeaders(bytes, headers, 0)).toBe(bytes.length - 1);
  expect(bytes.at(-1)).toBe(0xee);
  return bytes;
}

test('kafka-client 1: a frozen list takes the same bytes as one that is not, however the two alternate', () => {
  const next = random(7);
  const lists = Array.from({ length: 50 }, () => randomRecord(next).headers);
  const expected = lists.map((list) => written(list));
  const frozen = lists.map((list) => Object.freeze([...list]));
  for (let round = 0; round < 2; round++)
    frozen.forEach((list, i) => {
      expect(written(list)).toEqual(expected[i]);
      expect(written(lists[(i + 1) % 50]!)).toEqual(expected[(i + 1) % 50]);
      expect(written(list)).toEqual(expected[i]);
    });
});

test('kafka-client 1: a list that is not frozen may change between records', () => {
  const headers = [{ key: 'a', value: Buffer.from('1') }];
  const before = written(headers);
  headers[0] = { key: 'a', value: Buffer.from('2') };
  expect(written(headers)).not.toEqual(before);
});
