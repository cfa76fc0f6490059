import { silentLogger } from '../../../src/logging/logger';
import { writeOffsetKey, writeOffsetValue } from '../../../src/storage/offsets/offset-keys';
import { OffsetStore } from '../../../src/storage/offsets/offset-store';
import { murmur2 } from '../../../packages/kafka-client/src/producer/partitioner';
import { Float64 } from '../../../src/storage/connect-json';
import { MemoryLog, MemoryTopic } from '../log/memory-log';

async function started(topic = new MemoryTopic()): Promise<{ topic: MemoryTopic; offsets: OffsetStore }> {
  const offsets = new OffsetStore(new MemoryLog(topic), silentLogger);
  await offsets.start();
  return { topic, offsets };
}

test('connect-runtime 6: bytes and partition of the file source', () => {
  const key = writeOffsetKey('local-file-source', { filename: '/data/in.txt' }, 'hash-map');
  expect(key.toString()).toBe('["local-file-source",{"filename":"/data/in.txt"}]');
  expect(key).toHaveLength(49);
  expect(writeOffsetValue({ position: 42 })?.toString()).toBe('{"position":42}');
  expect(writeOffsetKey('a', { p: '1' }, 'hash-map').toString('hex')).toBe('5b2261222c7b2270223a2231227d5d');
  expect((murmur2(key) & 0x7fffffff) % 25).toBe(11);
});

test('connect-runtime 7: an emoji in a partition value is escaped and found again', async () => {
  const { topic, offsets } = await started();
  await offsets.write('c', [[{ file: '😀' }, { n: 1 }]]);
  expect(topic.texts()).toEqual(['["c",{"file":"\\uD83D\\uDE00"}]={"n":1}']);
  expect(await offsets.read('c', [{ file: '😀' }])).toEqual([{ n: 1 }]);
});

test('connect-runtime 8: members in any order are the same partition, and both byte forms are updated', async () => {
  const topic = new MemoryTopic();
  topic.append('["c",{"database":"d","server":"s"}]', '{"lsn":1}', 100);
  const { offsets } = await started(topic);
  expect(await offsets.read('c', [{ server: 's', database: 'd' }])).toEqual([{ lsn: 1 }]);
  await offsets.write('c', [[{ server: 's', database: 'd' }, { lsn: 2 }]]);
  expect(topic.texts().at(-1)).toBe('["c",{"database":"d","server":"s"}]={"lsn":2}');
  topic.append('["c",{"server":"s","database":"d"}]', '{"lsn":3}', 200);
  topic.append('["c",{"database":"d","server":"s"}]', '{"lsn":4}', 150);
  expect(await offsets.read('c', [{ database: 'd', server: 's' }])).toEqual([{ lsn: 3 }]);
  await offsets.write('c', [[{ database: 'd', server: 's' }, null]]);
  expect(topic.texts().slice(-2).sort()).toEqual([
    '["c",{"database":"d","server":"s"}]=∅',
    '["c",{"server":"s","database":"d"}]=∅',
  ]);
  expect(await offsets.read('c', [{ database: 'd', server: 's' }])).toEqual([null]);
  expect(await offsets.list('c')).toEqual([]);
});

test('a new partition is written in the order Java would use', async () => {
  const { topic, offsets } = await started();
  await offsets.write('c', [[{ table: 't', protocol: 'p' }, { n: 1 }]]);
  offsets.setPartitionOrder('d', 'insertion');
  await offsets.write('d', [[{ table: 't', protocol: 'p' }, { n: 1 }]]);
  expect(topic.texts()).toEqual([
    '["c",{"protocol":"p","table":"t"}]={"n":1}',
    '["d",{"table":"t","protocol":"p"}]={"n":1}',
  ]);
});

test('connect-runtime 9: floats and integers are different keys, big integers survive', async () => {
  const topic = new MemoryTopic();
  topic.append('["c",{"id":1.0}]', '{"v":1.0}');
  const { offsets } = await started(topic);
  expect(await offsets.read('c', [{ id: 1 }])).toEqual([null]);
  expect(await offsets.read('c', [{ id: new Float64(1) as never }])).toEqual([{ v: 1 }]);
  await offsets.write('c', [[{ id: 2 }, { lsn: 9007199254740993n, f: new Float64(1) as never }]]);
  expect(topic.texts().at(-1)).toBe('["c",{"id":2}]={"lsn":9007199254740993,"f":1.0}');
  expect(await offsets.read('c', [{ id: 2 }])).toEqual([{ lsn: 9007199254740993n, f: 1 }]);
});

test('connect-runtime 74: a nested value is rejected and nothing of the batch is written', async () => {
  const { topic, offsets } = await started();
  await expect(
    offsets.write('c', [
      [{ a: 1 }, { ok: 1 }],
      [{ b: 1 }, { bad: { x: 1 } as never }],
    ]),
  ).rejects.toThrow('Offsets may only contain primitive types as values, but field bad contains MAP');
  expect(topic.records).toEqual([]);
});

test('connect-runtime 77: a null partition is a key, a null offset a tombstone', async () => {
  const { topic, offsets } = await started();
  await offsets.write('c', [
    [null, { n: 1 }],
    [{ a: 1 }, { n: 2 }],
  ]);
  await offsets.write('c', [[{ a: 1 }, null]]);
  expect(topic.texts()).toEqual(['["c",null]={"n":1}', '["c",{"a":1}]={"n":2}', '["c",{"a":1}]=∅']);
  expect(await offsets.list('c')).toEqual([]);
});

test('unreadable keys and values are ignored', async () => {
  const topic = new MemoryTopic();
  for (const key of ['nonsense', '["c"]', '[1,{}]', '["c",3]']) topic.append(key, '{}');
  topic.append(null, '{}');
  topic.append('["c",{"a":1}]', 'nonsense');
  const { offsets } = await started(topic);
  expect(await offsets.read('c', [{ a: 1 }])).toEqual([null]);
  expect(await offsets.list('c')).toEqual([[{ a: 1 }, null]]);
});
