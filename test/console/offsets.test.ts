/** Offsets that are edited in the console. */
import { effectsOf, resetEffect } from '../../packages/console/src/offsets/effects';
import {
  isChanged,
  partitionTitle,
  patchOf,
  problemOf,
  readOffsets,
  repeated,
  type OffsetRow,
} from '../../packages/console/src/offsets/offsets-model';

const SINK = JSON.stringify({
  offsets: [0, 1].map((partition) => ({
    partition: { kafka_topic: 'orders', kafka_partition: partition },
    offset: { kafka_offset: 100 },
  })),
});
const SOURCE = '{"offsets":[{"partition":{"server":"a"},"offset":{"lsn":1234567890123456789,"done":true}}]}';

function edited(text: string, type: 'sink' | 'source', change: Partial<OffsetRow>): readonly OffsetRow[] {
  return readOffsets(text, type).map((row, i) => (i === 0 ? { ...row, ...change } : row));
}

test('sink: only changed offsets are sent', () => {
  const rows = edited(SINK, 'sink', { text: ' 40 ' });
  expect(rows.map(isChanged)).toEqual([true, false]);
  expect(JSON.parse(patchOf(rows, 'sink'))).toEqual({
    offsets: [{ partition: { kafka_topic: 'orders', kafka_partition: 0 }, offset: { kafka_offset: 40 } }],
  });
  expect(JSON.parse(patchOf(edited(SINK, 'sink', { isReset: true }), 'sink')).offsets[0].offset).toBeNull();
});

test('source: offsets keep all digits', () => {
  const rows = edited(SOURCE, 'source', { text: '{"lsn": 1234567890123456788, "done": false}' });
  expect(patchOf(rows, 'source')).toContain('"lsn": 1234567890123456788');
  expect(readOffsets(SOURCE, 'source')[0]!.text).toBe('{\n  "lsn": 1234567890123456789,\n  "done": true\n}');
});

test('a row with an error shows it', () => {
  const sink = (change: Partial<OffsetRow>) => problemOf(edited(SINK, 'sink', change)[0]!, 'sink');
  const source = (change: Partial<OffsetRow>) => problemOf(edited(SOURCE, 'source', change)[0]!, 'source');
  expect([sink({}), source({})]).toEqual([null, null]);
  for (const text of ['', '-1', '1.5', 'x', '9'.repeat(19)]) expect(sink({ text })).toContain('number from 0');
  expect(sink({ text: 'x', isReset: true })).toBeNull();
  expect(sink({ partition: '{"kafka_topic":"t"}' })).toContain('A partition of a sink is');
  expect(sink({ partition: '{"kafka_topic":"t","kafka_partition":"3"}' })).toBeNull();
  expect(source({ text: '{"a": {"b": 1}}' })).toBe('"a" of the offset must be a text, a number, a boolean or null.');
  expect(source({ text: '[1]' })).toContain('An offset is an object');
  expect(source({ text: '{"a": 1,}' })).toContain('Line 1, column 9');
  expect(source({ partition: '7' })).toContain('A partition is an object');
  expect(source({ partition: '{"a": []}' })).toContain('"a" of the partition');
});

test('partitions that occur twice are found in any order of their keys', () => {
  const row = (partition: string): OffsetRow => ({ partition, before: null, text: '', isReset: false });
  expect([...repeated([row('{"a":1,"b":2}'), row('{"a":1}'), row('{ "b": 2, "a": 1 }'), row('{')])]).toEqual([2]);
});

test('sink: how many records are read again or skipped', () => {
  const effect = (change: Partial<OffsetRow>) => effectsOf(edited(SINK, 'sink', change), 'sink', {})[0]!;
  expect(effect({ text: '40' })).toEqual({
    partition: 'orders, partition 0',
    sentence: 'From 100 to 40: 60 records are read again.',
    isLoss: false,
  });
  expect(effect({ text: '101' })).toMatchObject({
    sentence: 'From 100 to 101: 1 record is skipped, and never delivered.',
    isLoss: true,
  });
  expect(effect({ isReset: true }).sentence).toContain('earliest');
  expect(effect({ before: null, text: '7' }).sentence).toContain('Begins at offset 7');
  expect(effectsOf(readOffsets(SINK, 'sink'), 'sink', {})).toEqual([]);
});

test('source: changes that a reset reads again', () => {
  expect(resetEffect('source', {})).toBe(
    'The connector starts as for the first time, and reads its source again from the beginning. ' +
      'Records that were written before are written again.',
  );
  expect(resetEffect('source', { resetOffsets: 'It counts from 1.' })).toBe(
    'It counts from 1. Records that were written before are written again.',
  );
  expect(resetEffect('sink', {})).toContain('auto.offset.reset');
});

test('what a plugin declares of its offsets is added to what is true of all', () => {
  const declared = { resetOffsets: 'Files are kept.', changeOffsets: 'Older changes are gone.' };
  const source = (change: Partial<OffsetRow>) => effectsOf(edited(SOURCE, 'source', change), 'source', declared)[0]!;
  expect(source({ text: '{"lsn": 1}' }).sentence).toMatch(/is never written\. Older changes are gone\.$/);
  expect(source({ isReset: true }).sentence).toBe('Files are kept.');
  const sink = (change: Partial<OffsetRow>) => effectsOf(edited(SINK, 'sink', change), 'sink', declared)[0]!.sentence;
  expect(sink({ text: '40' })).toBe('From 100 to 40: 60 records are read again. Older changes are gone.');
  expect(sink({ isReset: true })).toMatch(/by default\. Files are kept\.$/);
  expect(resetEffect('sink', declared)).toMatch(/delivers the records again\. Files are kept\.$/);
});

test('partitions have titles', () => {
  expect(partitionTitle('{"server":"a","n":1}')).toBe('server=a, n=1');
  expect(partitionTitle('{"x"')).toBe('{"x"');
});
