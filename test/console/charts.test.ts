/** What charts say: numbers with units, moments, and the table beside the line. */
import {
  formatIn,
  isKnown,
  lonely,
  marksOf,
  newestKnown,
  summaries,
  textAt,
  timesOf,
} from '../../packages/console/src/charts/chart-model';

const UNITS = ['rate', 'bytes', 'seconds', 'fraction', 'percent', 'count'] as const;

test('values have units', () => {
  const texts = UNITS.map((unit) => formatIn(unit, 1536));
  expect(texts).toEqual(['1,536/s', '1.5 KiB', '25 min 36 s', '153,600 %', '1,536 %', '1,536']);
  expect(formatIn('bytes', null)).toBe('–');
});

test.each(UNITS)('marks of the axis of %s differ in their texts and grow', (unit) => {
  const marks = marksOf(unit);
  expect(marks).toEqual([...marks].sort((a, b) => a - b));
  for (const mark of marks.slice(0, 20)) {
    const texts = [0, 1, 2, 3, 4].map((n) => formatIn(unit, n * mark));
    expect(new Set(texts).size).toBe(5);
  }
});

test('a moment: its time and values, unknown ones as that', () => {
  const [time = 0] = timesOf(1, new Date(2026, 10, 26, 14, 3, 10).getTime(), 10_000);
  expect(textAt([{ label: 'a', values: [1234] }], 0, time, 'rate')).toBe('14:03:10: 1,234/s');
  const two = [
    { label: 'w:1', values: [null] },
    { label: 'w:2', values: [2048] },
  ];
  expect(textAt(two, 0, time, 'bytes')).toBe('14:03:10: w:1 unknown, w:2 2 KiB');
});

test('times end with the newest value', () => {
  expect(timesOf(3, 60_000, 10_000)).toEqual([40, 50, 60]);
});

test('the newest known value, gaps, and values that have no neighbour', () => {
  const values = [1, null, 2, null, 3, 4, null];
  expect([
    newestKnown([{ label: 'a', values }]),
    newestKnown([]),
    newestKnown([{ label: 'a', values: [null] }]),
  ]).toEqual([5, -1, -1]);
  expect(lonely(values)).toEqual([0, 2]);
  expect([isKnown(values), isKnown([null, null])]).toEqual([true, false]);
});

test('the table: parts of the hour, newest first; one without values is unknown', () => {
  const values = [...Array.from({ length: 24 }, () => null), ...Array.from({ length: 360 }, (_, i) => i)];
  const rows = summaries(values, timesOf(384, 384_000_000, 10_000));
  expect(rows).toHaveLength(16);
  expect(rows[0]).toEqual({ from: 383_770, lowest: 336, mean: 347.5, highest: 359 });
  expect(rows.at(-1)).toMatchObject({ lowest: null, mean: null, highest: null });
});
