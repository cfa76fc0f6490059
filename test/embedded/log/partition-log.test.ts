import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { controlBatch } from '../../../packages/embedded/src/log/batch';
import { PartitionLog } from '../../../packages/embedded/src/log/partition-log';
import { garbage } from '../broker-harness';
import { encodeRecordBatch, recordsIn, type BatchSpec } from '../record-batches';

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'embedded-log-'));
  folders.push(folder);
  return folder;
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

const lines: string[] = [];
const open = (folder: string | null): PartitionLog =>
  new PartitionLog({
    folder,
    fsync: 'never',
    now: Date.now,
    log: (line) => lines.push(line),
  });
const append = (log: PartitionLog, spec: BatchSpec, segmentBytes = 1 << 20) =>
  log.append(encodeRecordBatch(spec), { segmentBytes, segmentMs: Infinity, appendTime: null });
const read = (log: PartitionLog, from: number, maxBytes = 1 << 20, end = log.endOffset) =>
  recordsIn(log.read(from, end, maxBytes, true));
/** From offset 0 on, however many segments that takes. */
function readAll(log: PartitionLog): { offset: number; value: string | null }[] {
  const all = [];
  for (let offset = log.startOffset; offset < log.endOffset;) {
    const some = read(log, offset);
    all.push(...some);
    offset = some.at(-1)!.offset + 1;
  }
  return all;
}
const values = (from: number, count: number): string[] => Array.from({ length: count }, (_, i) => `value ${from + i}`);

describe.each([
  ['in files', newFolder],
  ['in memory', () => null],
])('a log %s', (_, folder) => {
  test('gives offsets and finds every record, over many segments and index entries', () => {
    const log = open(folder());
    for (let i = 0; i < 300; i++) expect(append(log, { records: values(i * 3, 3) }, 5_000).baseOffset).toBe(i * 3);
    expect(log.closedSegments().length).toBeGreaterThan(5);
    for (let offset = 0; offset < 900; offset += 7) {
      const seen = read(log, offset);
      expect(seen[0]!.offset).toBe(offset - (offset % 3));
      expect(seen.find((record) => record.offset === offset)!.value).toBe(`value ${offset}`);
    }
    expect(readAll(log).map((record) => record.value)).toEqual(values(0, 900));
  });

  test('returns whole batches within the limit, and the first one whatever its size', () => {
    const log = open(folder());
    const large = 'x'.repeat(300_000);
    append(log, { records: ['a'] });
    append(log, { records: [large] });
    append(log, { records: ['b'] });
    expect(read(log, 0, 1_000).map((record) => record.value)).toEqual(['a']);
    expect(read(log, 1, 1_000).map((record) => record.value)).toEqual([large]);
    expect(log.read(1, 3, 1_000, false)).toHaveLength(0);
    expect(read(log, 0).map((record) => record.offset)).toEqual([0, 1, 2]);
    expect(read(log, 0, 1 << 20, 1).map((record) => record.offset)).toEqual([0]);
    expect(log.read(3, 3, 1_000, true)).toHaveLength(0);
  });

  test('forgets what is before a new start', () => {
    const log = open(folder());
    for (let i = 0; i < 100; i++) append(log, { records: values(i, 1) }, 2_000);
    const before = log.bytes;
    log.deleteBefore(57);
    expect(log.startOffset).toBe(57);
    expect(log.bytes).toBeLessThan(before / 2 + 2_000);
    expect(read(log, 57).find((record) => record.offset === 57)!.value).toBe('value 57');
    expect(log.endOffset).toBe(100);
  });
});

describe('a log that is opened again', () => {
  test('has all records, its start, its producers and its transactions', async () => {
    const folder = newFolder();
    const log = open(folder);
    const producer = { producerId: 9, epoch: 2 };
    for (let i = 0; i < 50; i++) append(log, { records: values(i, 1), ...producer, sequence: i }, 2_000);
    append(log, { records: ['open'], producerId: 11, epoch: 0, sequence: 0, transactional: true });
    append(log, { records: ['aborted'], producerId: 12, epoch: 0, sequence: 0, transactional: true });
    const marker = { producerId: 12, producerEpoch: 0, committed: false };
    log.append(controlBatch(marker, Date.now()), { segmentBytes: 1 << 20, segmentMs: Infinity, appendTime: null });
    log.deleteBefore(20);
    await log.close();

    const again = open(folder);
    expect([again.startOffset, again.endOffset, again.lastStableOffset]).toEqual([20, 53, 50]);
    expect(again.transactions.abortedBetween(20, 53)).toEqual([{ producerId: 12, firstOffset: 51 }]);
    const header = { transactional: false, marker: null, maxTimestamp: 0, producerId: 9, producerEpoch: 2 };
    const verdict = (baseSequence: number, baseOffset = 53) =>
      again.producers.check({ ...header, baseSequence, baseOffset, lastOffset: baseOffset });
    expect(verdict(50)).toEqual({ kind: 'append' });
    expect(verdict(49)).toEqual({ kind: 'duplicate', baseOffset: 49, lastOffset: 49 });
    expect(verdict(52)).toEqual({ kind: 'out-of-order', expected: 50 });
    expect(append(again, { records: ['next'] }).baseOffset).toBe(53);
  });

  const torn: [string, (file: string, size: number) => void, number][] = [
    ['a part of a batch', (file, size) => truncateSync(file, size - 5), 9],
    ['less than a header', (file) => appendFileSync(file, garbage('tail', 30)), 10],
    ['zeroes, as after a power cut', (file) => appendFileSync(file, Buffer.alloc(5_000)), 10],
    [
      'a batch with a wrong checksum',
      (file, size) => {
        const bytes = readFileSync(file);
        bytes[size - 3]! ^= 0xff;
        writeFileSync(file, bytes);
      },
      9,
    ],
    ['a batch with an older offset', (file) => appendFileSync(file, encodeRecordBatch({ records: ['old'] })), 10],
  ];
  test.each(torn)('loses a torn tail: %s', (_, tear, left) => {
    const folder = newFolder();
    const log = open(folder);
    for (let i = 0; i < 10; i++) append(log, { records: values(i, 1) });
    // Killed: the file is as it is.
    const file = join(
      folder,
      readdirSync(folder).find((name) => name.endsWith('.log'))!,
    );
    tear(file, statSync(file).size);
    lines.length = 0;
    const again = open(folder);
    expect(readAll(again).map((record) => record.value)).toEqual(values(0, left));
    expect(lines).toEqual([expect.stringMatching(/^Truncated \d+ bytes of an incomplete write/)]);
    expect(append(again, { records: ['next'] }).baseOffset).toBe(left);
    expect(readAll(open(folder)).at(-1)).toMatchObject({ offset: left, value: 'next' });
  });

  test('keeps its end when its last segment is empty', () => {
    const folder = newFolder();
    const log = open(folder);
    append(log, { records: values(0, 4) });
    log.roll();
    log.deleteBefore(4);
    const again = open(folder);
    expect([again.startOffset, again.endOffset]).toEqual([4, 4]);
  });
});
