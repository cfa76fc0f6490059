import { SampleHistory, STEP_MS, STEPS, type Samples } from '../../../../src/rest/console/history/sample-history';

const START = 1_700_000_000_000;
const at = (step: number): number => START + step * STEP_MS;
const of = (values: Record<string, Samples>): ReadonlyMap<string, Samples> => new Map(Object.entries(values));

test('steps without a sample, and what a sample does not name, are unknown; zero is not', () => {
  const history = new SampleHistory();
  history.record(at(0), of({ a: { rate: 1, lag: null } }));
  history.record(at(1), of({ a: { rate: 0, lag: 7 } }));
  history.record(at(4), of({ a: { rate: 3.14159 }, b: { rate: NaN } }));
  expect(history.of('a', 6)).toEqual({
    rate: [null, 1, 0, null, null, 3.142],
    lag: [null, null, 7, null, null, null],
  });
  expect([history.end, [...history.subjects], history.of('b')]).toEqual([at(4), ['a'], {}]);
});

test('more than an hour, then the oldest are replaced', () => {
  expect(STEPS * STEP_MS).toBeGreaterThanOrEqual(3_600_000);
  const history = new SampleHistory();
  for (let step = 0; step < 2 * STEPS + 7; step++) history.record(at(step), of({ a: { rate: step } }));
  expect(history.of('a')['rate']).toEqual(Array.from({ length: STEPS }, (_, i) => STEPS + 7 + i));
});

test('a clock that is set back replaces the steps that it has again, and keeps those before', () => {
  const history = new SampleHistory();
  for (let step = 0; step < 10; step++) history.record(at(step), of({ a: { rate: step } }));
  history.record(at(6), of({ a: { rate: 60 } }));
  expect(history.of('a', 5)['rate']).toEqual([2, 3, 4, 5, 60]);
  expect(history.of('a')['rate']?.filter((rate) => rate !== null)).toEqual([0, 1, 2, 3, 4, 5, 60]);
  history.record(at(6 - 2 * STEPS), of({ a: { rate: 1 } }));
  expect(history.of('a')['rate']?.filter((rate) => rate !== null)).toEqual([1]);
});

test('a connector is forgotten when nothing of the last hour is known', () => {
  const history = new SampleHistory();
  history.record(at(0), of({ a: { rate: 1 }, b: { rate: 1 } }));
  history.record(at(STEPS - 1), of({ b: { rate: 2 } }));
  expect([...history.subjects]).toEqual(['a', 'b']);
  history.record(at(STEPS), of({ b: { rate: 2 } }));
  expect([...history.subjects]).toEqual(['b']);
});

test('is bounded for many connectors, and has room again when some are forgotten', () => {
  const history = new SampleHistory();
  const many = new Map(Array.from({ length: 5_000 }, (_, i): [string, Samples] => [`c${i}`, { rate: i, errors: 0 }]));
  history.record(at(0), many);
  expect([...history.subjects]).toHaveLength(4_096);
  history.record(at(STEPS), of({ late: { rate: 1 } }));
  expect(history.of('late', 1)).toEqual({ rate: [1] });
});
