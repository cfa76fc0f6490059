import { checkArguments } from '../../bench/lib/check/arguments';
import { compare, hasFallen, line, order, type Pair } from '../../bench/lib/check/verdict';
import { PLAN, type ComparedFigure } from '../../bench/lib/check/plan';
import { numbersOf, readFigures, type Figure } from '../../bench/lib/figures';
import { slope } from '../../bench/lib/slope';

const figures = (value: number | null): Figure[] | null =>
  value === null ? null : [{ heading: 'Stream', name: 'CPU', values: [value, 2 * value], text: `${value} s` }];
const pairs = (...values: [number | null, number | null][]): Pair[] =>
  values.map(([before, after]) => ({ before: figures(before), after: figures(after) }));
const CPU: ComparedFigure = { match: /^Stream: CPU$/, label: 'cpu', better: 'less', tolerance: 0.1 };
const RATE: ComparedFigure = { ...CPU, better: 'more' };

describe('arguments', () => {
  const names = ['stream', 'idle'];

  test('default: no commits, three pairs, all benchmarks', () => {
    expect(checkArguments([], names)).toEqual({ before: null, after: null, pairs: 3, only: null, json: null });
  });

  test('commits and options in any order', () => {
    const args = ['v1', '--only', 'idle,stream', 'HEAD~2', '--pairs=5', '--json', 'x.json'];
    expect(checkArguments(args, names)).toEqual({
      ...{ before: 'v1', after: 'HEAD~2', pairs: 5, only: ['idle', 'stream'], json: 'x.json' },
    });
  });

  test.each([
    [['--pairs', '2'], '--pairs must be a whole number of at least 3'],
    [['--pairs', 'x'], '--pairs must be a whole number of at least 3'],
    [['--only', 'stram'], "'stram' is not one of stream, idle"],
    [['--only', ','], '--only names none of stream, idle'],
    [['a', 'b', 'c'], 'c is one argument too many'],
    [['--fast'], '--fast'],
  ])('refuses %j', (args, message) => {
    expect(() => checkArguments(args, names)).toThrow(message);
  });
});

describe('pairs', () => {
  test('the commits take turns in running first', () => {
    expect([0, 1, 2].map((pair) => order(pair)[0])).toEqual(['before', 'after', 'before']);
    for (const pair of [0, 1]) expect([...order(pair)].sort()).toEqual(['after', 'before']);
  });

  test('medians, and the ratio of each pair', () => {
    expect(compare(CPU, pairs([10, 12], [20, 18], [40, 40]))).toEqual({
      ...{ label: 'cpu', before: 20, after: 18, ratios: [1.2, 0.9, 1], verdict: 'same' },
    });
  });

  test('worse in all pairs is a fall, whichever direction is worse', () => {
    const higher = pairs([10, 11.2], [10, 13], [20, 30]);
    expect(compare(CPU, higher).verdict).toBe('fell');
    expect(compare(RATE, higher).verdict).toBe('rose');
    const lower = pairs([11.2, 10], [13, 10], [30, 20]);
    expect(compare(CPU, lower).verdict).toBe('rose');
    expect(compare(RATE, lower).verdict).toBe('fell');
  });

  test('one pair within the tolerance is noise, not a fall', () => {
    expect(compare(CPU, pairs([10, 20], [10, 20], [10, 10.9])).verdict).toBe('same');
    expect(compare(CPU, pairs([10, 20], [10, 5], [10, 20])).verdict).toBe('same');
  });

  test('a figure that only the new commit has is not comparable; one that it lost fails the check', () => {
    const added = compare(CPU, pairs([null, 10], [null, 11], [null, 12]));
    expect(added).toMatchObject({ before: null, after: 11, ratios: [], verdict: 'not comparable' });
    expect(hasFallen(added)).toBe(false);
    const lost = compare(CPU, pairs([10, null], [11, null], [12, null]));
    expect(lost.verdict).toBe('missing');
    expect(hasFallen(lost)).toBe(true);
  });

  test('a pair with a failed run has no ratio', () => {
    expect(compare(CPU, pairs([10, 20], [10, null], [null, 20])).ratios).toEqual([2]);
  });

  test('a figure of several numbers, and zero, of which there is no ratio', () => {
    expect(compare({ ...CPU, part: 1 }, pairs([1, 3])).before).toBe(2);
    expect(compare(CPU, pairs([0, 3], [0, 3]))).toMatchObject({ before: null, verdict: 'not comparable' });
  });

  test('a line has medians, ratio, spread and verdict', () => {
    expect(line(compare(CPU, pairs([10, 12], [20, 26], [40, 50]))).replace(/ +/g, ' ')).toBe(
      ' cpu 20 → 26 × 1.25 (1.20–1.30) fell',
    );
    expect(line(compare(CPU, []))).toMatch(/– → +–/);
  });
});

test.each([
  ['1,234 rows/s', [1234]],
  ['12.3 s', [12.3]],
  ['3.2 / 11.8 ms', [3.2, 11.8]],
  ['5.1 s, 1,200 MiB', [5.1, 1200]],
  ['640 ms  (630 640 650)', [640]],
  ['-0.5 MiB/h', [-0.5]],
  ['none', []],
])('the numbers of %j', (text, numbers) => {
  expect(numbersOf(text)).toEqual(numbers);
});

test('figures are read from lines of JSON', () => {
  const [one] = figures(3) as [Figure];
  expect(readFigures(`${JSON.stringify(one)}\n${JSON.stringify(one)}\n`)).toEqual([one, one]);
  expect(readFigures('')).toEqual([]);
});

test('the plan has different names and labels, and bounds each benchmark', () => {
  expect(new Set(PLAN.map(({ name }) => name)).size).toBe(PLAN.length);
  const labels = PLAN.flatMap((bench) => bench.figures.map(({ label }) => label));
  expect(new Set(labels).size).toBe(labels.length);
  for (const { timeoutSeconds } of PLAN) expect(timeoutSeconds).toBeLessThanOrEqual(180);
});

test('slope by least squares', () => {
  expect(slope([[0, 1], [1, 3], [2, 5]])).toBeCloseTo(2); // prettier-ignore
  expect(slope([[1, 1], [1, 3]])).toBe(0); // prettier-ignore
  expect(slope([])).toBe(0);
});
