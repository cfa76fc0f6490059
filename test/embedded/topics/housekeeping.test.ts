import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { controlBatch, readHeader } from '../../../packages/embedded/src/log/batch';
import { Housekeeping } from '../../../packages/embedded/src/topics/housekeeping';
import type { PartitionLog } from '../../../packages/embedded/src/log/partition-log';
import { TopicRegistry } from '../../../packages/embedded/src/topics/registry';
import { encodeRecordBatch, recordsIn, type BatchSpec, type SeenRecord } from '../record-batches';

let now = Date.now();
const folders: string[] = [];
beforeEach(() => (now = Date.now()));
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function make(dataDir: string | null, configs: Record<string, string>) {
  const problems: string[] = [];
  const log = (line: string): void => void problems.push(line);
  const topics = new TopicRegistry({
    dataDir,
    fsync: 'never',
    now: () => now,
    log,
  });
  const topic = topics.get('t') ?? topics.create('t', 1, new Map(Object.entries(configs)));
  const partition = topic.partitions[0]!;
  return {
    topics,
    partition,
    problems,
    round: () => new Housekeeping({ topics, now: () => now, log }).runRound(),
    append: (...records: BatchSpec['records']) => add(partition, { records, timestamp: now }),
  };
}
const add = (partition: PartitionLog, spec: BatchSpec): void =>
  void partition.append(encodeRecordBatch(spec), { segmentBytes: 1 << 20, segmentMs: Infinity, appendTime: null });

function contents(partition: PartitionLog): SeenRecord[] {
  const seen: SeenRecord[] = [];
  partition.forEachBatch((batch) => void seen.push(...recordsIn(batch)));
  return seen;
}
const kv = (key: string, value: string | null) => ({ key, value });
const asText = (partition: PartitionLog): string =>
  contents(partition)
    .map(({ offset, key, value }) => `${offset}:${key}=${value}`)
    .join(' ');

const COMPACT = { 'cleanup.policy': 'compact', 'min.cleanable.dirty.ratio': '0.01' };

describe.each([
  ['in memory', () => null],
  [
    'in files',
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'embedded-keep-'));
      folders.push(folder);
      return folder;
    },
  ],
])('compaction %s', (_, folder) => {
  test('keeps the last record of each key, at its offset, and does not touch the segment being written', async () => {
    const { partition, append, round, problems } = make(folder(), COMPACT);
    append(kv('a', '1'), kv('b', '1'), kv('a', '2'));
    append(kv('c', '1'), kv('b', '2'));
    partition.roll();
    append(kv('a', '3'), kv('a', '4'));
    await round();
    expect(asText(partition)).toBe('2:a=2 3:c=1 4:b=2 5:a=3 6:a=4');
    partition.roll();
    await round();
    expect(asText(partition)).toBe('3:c=1 4:b=2 6:a=4');
    // Positions inside holes lead to what comes after them.
    expect(recordsIn(partition.read(0, 7, 1 << 20, true))[0]).toMatchObject({ offset: 3 });
    expect(recordsIn(partition.read(5, 7, 1 << 20, true)).at(-1)).toMatchObject({ offset: 6 });
    expect([partition.startOffset, partition.endOffset, problems]).toEqual([0, 7, []]);
  });

  test('tombstones are removed delete.retention.ms after they were written', async () => {
    const { partition, append, round } = make(folder(), { ...COMPACT, 'delete.retention.ms': '60000' });
    append(kv('a', '1'), kv('b', '1'), kv('a', null));
    partition.roll();
    await round();
    expect(asText(partition)).toBe('1:b=1 2:a=null');
    now += 59_000;
    await round();
    expect(asText(partition)).toBe('1:b=1 2:a=null');
    now += 2_000;
    await round();
    expect(asText(partition)).toBe('1:b=1');
  });

  test('compressed batches are compacted too', async () => {
    const { partition, round } = make(folder(), COMPACT);
    add(partition, { records: [kv('a', '1'), kv('b', '1'), kv('a', '2')], gzip: true });
    partition.roll();
    await round();
    expect(asText(partition)).toBe('1:b=1 2:a=2');
  });

  test('aborted records are removed and never count as the last of a key; open transactions are kept', async () => {
    const { partition, append, round } = make(folder(), COMPACT);
    const txn = (id: number, ...records: BatchSpec['records']) =>
      add(partition, { records, producerId: id, epoch: 0, sequence: 0, transactional: true, timestamp: now });
    const end = (producerId: number, committed: boolean) =>
      partition.append(controlBatch({ producerId, producerEpoch: 0, committed }, now), {
        segmentBytes: 1 << 20,
        segmentMs: Infinity,
        appendTime: null,
      });
    append(kv('a', 'old'), kv('a', 'good'));
    txn(1, kv('a', 'aborted'));
    end(1, false);
    txn(2, kv('b', 'committed'));
    end(2, true);
    partition.roll();
    txn(3, kv('a', 'open'));
    partition.roll();
    await round();
    expect(asText(partition)).toBe('1:a=good 4:b=committed 6:a=open');
  });

  test('the last batch of a producer is kept empty, for its sequence number', async () => {
    const { partition, append, round } = make(folder(), COMPACT);
    add(partition, { records: [kv('a', '1')], producerId: 5, epoch: 0, sequence: 41, timestamp: now });
    append(kv('a', '2'));
    partition.roll();
    await round();
    expect(asText(partition)).toBe('1:a=2');
    const ids: number[] = [];
    partition.forEachBatch((batch) => void ids.push(readHeader(batch).producerId));
    expect(ids).toEqual([5, -1]);
  });
});

describe('while a large partition is compacted', () => {
  function large() {
    const folder = mkdtempSync(join(tmpdir(), 'embedded-keep-'));
    folders.push(folder);
    const made = make(folder, COMPACT);
    for (let i = 0; i < 400; i++) {
      made.append(...Array.from({ length: 100 }, (_, k) => kv(`key ${k}`, `${i} ${'x'.repeat(100)}`)));
      if (i % 100 === 99) made.partition.roll();
    }
    return { ...made, folder };
  }

  test('other work runs in between, and appends and reads continue', async () => {
    const { partition, append, round } = large();
    let over = false;
    let turns = 0;
    const takeTurns = (): void => {
      turns++;
      append(kv('meanwhile', `${turns}`));
      expect(recordsIn(partition.read(partition.endOffset - 1, Infinity, 1 << 20, true))).toHaveLength(1);
      if (!over) setImmediate(takeTurns);
    };
    setImmediate(takeTurns);
    await round();
    over = true;
    expect(turns).toBeGreaterThan(1);
    expect(contents(partition).slice(0, 100)).toHaveLength(100);
    expect(contents(partition)[0]).toMatchObject({ offset: 39_900, key: 'key 0' });
    expect(partition.endOffset).toBe(40_000 + turns);
  });

  test.each([
    ['the topic is deleted', ({ topics }: ReturnType<typeof large>) => topics.delete(topics.get('t')!)],
    ['its records are deleted', ({ partition }: ReturnType<typeof large>) => partition.deleteBefore(40_000)],
    ['the broker stops', ({ topics }: ReturnType<typeof large>) => void topics.close()],
  ])('%s: no log line and no file remains', async (_, strike) => {
    const made = large();
    const rounds = made.round();
    setImmediate(() => strike(made));
    await rounds;
    expect(made.problems).toEqual([]);
    const left = readdirSync(made.folder, { recursive: true }) as string[];
    expect(left.filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

test('a compacted log is read after a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-keep-'));
  folders.push(folder);
  const first = make(folder, COMPACT);
  for (let i = 0; i < 50; i++) first.append(kv('a', `${i}`), kv(`k${i}`, 'x'));
  first.partition.roll();
  await first.round();
  const before = asText(first.partition);
  await first.topics.close();
  const second = make(folder, COMPACT);
  expect(asText(second.partition)).toBe(before);
  expect(second.partition.endOffset).toBe(100);
});

test('retention by time removes old segments, the one being written when all of it is old', async () => {
  const { partition, append, round } = make(null, { 'retention.ms': '60000' });
  append('a');
  partition.roll();
  now += 50_000;
  append('b');
  now += 11_000;
  await round();
  expect([partition.startOffset, partition.endOffset]).toEqual([1, 2]);
  now += 60_000;
  await round();
  expect([partition.startOffset, partition.endOffset]).toEqual([2, 2]);
});

describe.each(['in memory', 'in files'])('records without a timestamp %s', (where) => {
  const folder = (): string | null => {
    if (where === 'in memory') return null;
    folders.push(mkdtempSync(join(tmpdir(), 'embedded-keep-')));
    return folders.at(-1)!;
  };
  const without = (partition: PartitionLog, ...records: BatchSpec['records']): void =>
    add(partition, { records, timestamp: -1 });

  test('are kept for retention.ms from when they were written, as by Apache Kafka', async () => {
    const { partition, round } = make(folder(), { 'retention.ms': '60000' });
    without(partition, 'a');
    partition.roll();
    without(partition, 'b');
    now += 50_000;
    await round();
    expect(asText(partition)).toBe('0:null=a 1:null=b');
    now += 11_000;
    await round();
    expect([partition.startOffset, partition.endOffset]).toEqual([2, 2]);
  });

  test('are not compacted before min.compaction.lag.ms', async () => {
    const { partition, round } = make(folder(), { ...COMPACT, 'min.compaction.lag.ms': '60000' });
    without(partition, kv('a', '1'), kv('a', '2'));
    partition.roll();
    now += 50_000;
    await round();
    expect(asText(partition)).toBe('0:a=1 1:a=2');
    now += 11_000;
    await round();
    expect(asText(partition)).toBe('1:a=2');
  });
});

test('retention by size removes the oldest segments beyond retention.bytes', async () => {
  const { partition, append, round } = make(null, { 'retention.bytes': '1000', 'retention.ms': '-1' });
  for (let i = 0; i < 5; i++) {
    append('x'.repeat(400));
    partition.roll();
  }
  await round();
  expect(partition.startOffset).toBe(2);
  expect(partition.bytes).toBeGreaterThanOrEqual(1000);
});
