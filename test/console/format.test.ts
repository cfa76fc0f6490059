import {
  compareNames,
  formatAge,
  formatBytes,
  formatClock,
  formatCount,
  formatDuration,
  formatLag,
  formatNumberOf,
  formatPercent,
  formatRate,
  formatTime,
} from '../../packages/console/src/parts/format';

test.each([
  [null, '–'],
  [0, '0/s'],
  [0.04, '<0.1/s'],
  [0.25, '0.3/s'],
  [12.4, '12/s'],
  [1234.5, '1,235/s'],
  [1_250_000, '1.3 M/s'],
])('rate %p is %s', (rate, text) => expect(formatRate(rate)).toBe(text));

test.each([
  [null, '–'],
  [0, '0 B'],
  [1023, '1,023 B'],
  [1536, '1.5 KiB'],
  [200 * 1024 ** 2, '200 MiB'],
  [3.25 * 1024 ** 4, '3.3 TiB'],
])('%p bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

test.each([
  [null, '–'],
  [0, '0 ms'],
  [850.4, '850 ms'],
  [3210, '3.2 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [184_000, '3 min 4 s'],
  [7_500_000, '2 h 5 min'],
  [86_400_000 * 3 + 3_600_000 * 4, '3 d 4 h'],
])('%p ms are %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

test.each([
  [-5000, 'just now'],
  [1999, 'just now'],
  [12_000, '12 s ago'],
  [179_999, '2 min ago'],
  [7_200_000, '2 h ago'],
  [86_400_000 * 40, '40 d ago'],
])('%p ms before now is %s', (ms, text) => expect(formatAge(ms)).toBe(text));

test('counts have separators, then units', () => {
  expect([null, 7, 12_345, 1_234_567, 2.5e9].map(formatCount)).toEqual(['–', '7', '12,345', '1.2 M', '2.5 G']);
  expect(formatNumberOf(1, 'task')).toBe('1 task');
  expect(formatNumberOf(2, 'task')).toBe('2 tasks');
});

test('a lag has the measures that are known', () => {
  expect(formatLag({ records: 1234, bytes: null, seconds: 3.2 })).toEqual(['1,234 records', '3.2 s']);
  expect(formatLag({ records: null, bytes: 2048, seconds: null })).toEqual(['2 KiB']);
  expect(formatLag({ records: null, bytes: null, seconds: null })).toEqual([]);
});

test('times are in the local time zone, and impossible ones are unknown', () => {
  const at = new Date(2026, 10, 26, 4, 3, 7).getTime();
  expect(formatTime(at)).toBe('2026-11-26 04:03:07');
  expect(formatClock(at)).toBe('04:03:07');
  expect([-1, 1e17, NaN].map(formatTime)).toEqual(['–', '–', '–']);
});

test('fractions are percent', () => expect([null, 0.256, 1].map(formatPercent)).toEqual(['–', '26 %', '100 %']));

test('names are in the order of their numbers, and never equal unless they are the same', () => {
  expect(['b10', 'b9', 'a'].sort(compareNames)).toEqual(['a', 'b9', 'b10']);
  expect(compareNames('a\u200B', 'a')).not.toBe(0);
});
