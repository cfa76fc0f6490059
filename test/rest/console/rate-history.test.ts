import { RateHistory, STEP_MS, STEPS } from '../../../src/rest/console/rate-history';

const START = 1_700_000_000_000;
const at = (step: number): number => START + step * STEP_MS;
const rates = (values: Record<string, number | null>): Map<string, number | null> => new Map(Object.entries(values));
const ends = (history: RateHistory, connector: string, count: number): (number | null)[] =>
  history.of(connector).slice(-count);

test('keeps the newest rate of each step; steps that were not computed are unknown', () => {
  const history = new RateHistory();
  history.record(at(0), rates({ a: 1, b: null }));
  history.record(at(0) + 10, rates({ a: 2, b: 7 }));
  history.record(at(1), rates({ a: 3.14159, b: 0 }));
  history.record(at(4), rates({ a: 5, b: null }));
  expect(history.of('a')).toHaveLength(STEPS);
  expect(ends(history, 'a', 6)).toEqual([null, 2, 3.14, null, null, 5]);
  expect(ends(history, 'b', 6)).toEqual([null, 7, 0, null, null, null]);
});

test('five minutes, then the oldest are replaced', () => {
  const history = new RateHistory();
  for (let step = 0; step < 2 * STEPS + 7; step++) history.record(at(step), rates({ a: step }));
  expect(history.of('a')).toEqual(Array.from({ length: STEPS }, (_, i) => STEPS + 7 + i));
});

test('a gap longer than all steps leaves nothing', () => {
  const history = new RateHistory();
  history.record(at(0), rates({ a: 1 }));
  history.record(at(1000), rates({ a: 2 }));
  expect(history.of('a').filter((rate) => rate !== null)).toEqual([2]);
});

test('connectors that are deleted, and those that never were, have none', () => {
  const history = new RateHistory();
  history.record(at(0), rates({ a: 1, b: 2 }));
  history.record(at(1), rates({ b: 3 }));
  expect(history.all().map(({ connector }) => connector)).toEqual(['b']);
  expect(history.of('a').every((rate) => rate === null)).toBe(true);
});

test('a clock that is set back begins again', () => {
  const history = new RateHistory();
  history.record(at(100), rates({ a: 1 }));
  history.record(at(3), rates({ a: 2 }));
  expect(history.of('a').filter((rate) => rate !== null)).toEqual([2]);
});

test('is bounded for many connectors', () => {
  const history = new RateHistory();
  const many = new Map(Array.from({ length: 10_100 }, (_, i) => [`c${i}`, i]));
  history.record(at(0), many);
  history.record(at(1), many);
  expect(history.all()).toHaveLength(10_000);
});

test('is forgotten when no console has asked for a while', async () => {
  jest.useFakeTimers();
  try {
    const history = new RateHistory(1_000);
    history.record(at(0), rates({ a: 1 }));
    jest.advanceTimersByTime(900);
    history.record(at(1), rates({ a: 2 }));
    jest.advanceTimersByTime(900);
    expect(history.all()).toHaveLength(1);
    jest.advanceTimersByTime(200);
    expect(history.all()).toEqual([]);
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});
