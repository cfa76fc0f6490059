import { murmur2, partitionForKey, StickyPartition } from '../../../packages/kafka-client/src/producer/partitioner';

const VECTORS: [string, number, number, number][] = [
  ['', 275646681, 6, 1],
  ['["a",{"p":"1"}]', 1612809237, 12, 2],
  ['["local-file-source",{"filename":"/data/in.txt"}]', -375938437, 11, 1],
  ['connector-a', 694147290, 15, 0],
  ['status-connector-a', 1762360946, 21, 1],
  ['status-task-a-0', -1124156430, 18, 3],
  ['status-task-local-file-source-0', 842236109, 9, 4],
  ['status-topic-orders:connector-my-sink', 1027661915, 15, 0],
];

describe('connect-runtime 1.1: partition of a key', () => {
  test.each(VECTORS)('%j hashes and lands as in Java', (key, hash, of25, of5) => {
    const bytes = Buffer.from(key);
    expect(murmur2(bytes)).toBe(hash);
    expect(partitionForKey(bytes, 25)).toBe(of25);
    expect(partitionForKey(bytes, 5)).toBe(of5);
  });

  test.each([
    ['21', -973932308],
    ['foobar', -790332482],
    ['a-little-bit-long-string', -985981536],
    ['a-little-bit-longer-string', -1486304829],
    ['lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8', -58897971],
  ])("Kafka's own vector %s", (key, hash) => expect(murmur2(Buffer.from(key))).toBe(hash));

  test('bytes above 127 are unsigned', () => {
    expect(murmur2(Buffer.from([0xff, 0x80, 0xfe, 0x81, 0xfd]))).toBe(
      murmur2(new Uint8Array([0xff, 0x80, 0xfe, 0x81, 0xfd])),
    );
    expect(murmur2(Buffer.from('abc'))).toBe(479470107);
  });
});

describe('kafka-client 2: records without a key stick to a partition', () => {
  const all = () => true;

  test('stays until the batch of that partition ends, then moves on', () => {
    const sticky = new StickyPartition(() => 0.5);
    expect([sticky.choose(4, all), sticky.choose(4, all)]).toEqual([2, 2]);
    sticky.batchEnded(1);
    expect(sticky.choose(4, all)).toBe(2);
    sticky.batchEnded(2);
    expect([sticky.choose(4, all), sticky.choose(4, all)]).toEqual([3, 3]);
    sticky.batchEnded(3);
    expect(sticky.choose(4, all)).toBe(0);
  });

  test('passes over partitions without a leader, unless none has one', () => {
    const sticky = new StickyPartition(() => 0);
    expect(sticky.choose(3, (p) => p === 2)).toBe(2);
    const stuck = new StickyPartition(() => 0);
    expect(stuck.choose(3, () => false)).toBeLessThan(3);
  });
});
