/**
 * Kafka's sampled statistics. The expected figures are those of `Rate`, `Avg` and `Max` of kafka-clients 4.3.1 for the
 * same events.
 */
import { Cells } from '../../src/metrics/cells';
import { Outcomes, SampledStat, type SampleWindows } from '../../src/metrics/sampled-stat';

const WINDOWS: SampleWindows = { sampleMs: 30_000, samples: 2 };
const T0 = 1_700_000_000_000;
const SECOND = 1000;

function memory(windows: SampleWindows): Cells {
  return new Cells(Cells.memoryFor((cells) => new SampledStat(cells, windows)));
}
function windowed(windows = WINDOWS): SampledStat {
  return new SampledStat(memory(windows), windows);
}

test('connect-runtime §9: without anything recorded a rate is 0, an average and a maximum are NaN', () => {
  const stat = windowed();
  expect([stat.rate(T0), stat.frequency(T0), stat.average(T0), stat.maximum(T0)]).toEqual([0, 0, NaN, NaN]);
});

test('connect-runtime §9: average and maximum cover the window, 0 and negative numbers included', () => {
  const stat = windowed();
  stat.record(-4, T0);
  stat.record(-2, T0);
  expect([stat.average(T0), stat.maximum(T0)]).toEqual([-3, -2]);
  stat.record(0, T0 + 1);
  expect([stat.average(T0 + 1), stat.maximum(T0 + 1)]).toEqual([-2, 0]);
});

test('connect-runtime §9: a rate covers at least one whole sample, then the elapsed time', () => {
  const stat = windowed();
  stat.record(600, T0);
  // As if an empty full sample had preceded it.
  expect(stat.rate(T0)).toBe(20);
  expect(stat.rate(T0 + 10 * SECOND)).toBe(15);
  expect(stat.rate(T0 + 30 * SECOND)).toBe(20);
  expect(stat.rate(T0 + 50 * SECOND)).toBe(12);
  expect(stat.frequency(T0 + 30 * SECOND, 3_600_000)).toBe(120);
});

test('connect-runtime §9: values older than all samples are dropped', () => {
  const stat = windowed();
  stat.record(100, T0);
  stat.record(1, T0 + 40 * SECOND);
  expect(stat.maximum(T0 + 59 * SECOND)).toBe(100);
  expect(stat.maximum(T0 + 60 * SECOND)).toBe(1);
  expect(stat.average(T0 + 99 * SECOND)).toBe(1);
  expect([stat.rate(T0 + 100 * SECOND), stat.maximum(T0 + 100 * SECOND)]).toEqual([0, NaN]);
});

test('connect-runtime §9: metrics.num.samples full samples are kept in addition to the current one', () => {
  const stat = windowed();
  for (const [second, value] of [
    [0, 8],
    [30, 4],
    [59, 2],
    [60, 1],
  ] as const)
    stat.record(value, T0 + second * SECOND);
  // The first sample ends with its last event, which was at 0.
  expect([stat.maximum(T0 + 60 * SECOND), stat.average(T0 + 60 * SECOND)]).toEqual([4, 7 / 3]);
  stat.record(16, T0 + 90 * SECOND);
  expect([stat.maximum(T0 + 90 * SECOND), stat.average(T0 + 90 * SECOND)]).toEqual([16, 23 / 4]);
});

test('connect-runtime §9: steady recording gives the steady rate', () => {
  const stat = windowed();
  for (let second = 0; second <= 300; second++) stat.record(50, T0 + second * SECOND);
  expect(stat.rate(T0 + 300 * SECOND)).toBeCloseTo(50.8333, 4);
});

test('connect-runtime §9: ratios of successful and failed attempts; 0 of both without an attempt', () => {
  const cells = new Cells(Cells.memoryFor((counting) => new Outcomes(counting, WINDOWS)));
  const outcomes = new Outcomes(cells, WINDOWS);
  expect([outcomes.successes(T0), outcomes.failures(T0)]).toEqual([0, 0]);
  for (const success of [true, true, true, false]) outcomes.record(success, T0);
  expect([outcomes.successes(T0), outcomes.failures(T0)]).toEqual([0.75, 0.25]);
  expect([outcomes.successes(T0 + 60 * SECOND), outcomes.failures(T0 + 60 * SECOND)]).toEqual([0, 0]);
});

test('another reader of the same memory sees the recorded values and changes nothing', () => {
  const shared = Cells.memoryFor((cells) => new SampledStat(cells, WINDOWS));
  const writer = new SampledStat(new Cells(shared), WINDOWS);
  const reader = new SampledStat(new Cells(shared), WINDOWS);
  writer.record(5, T0);
  const before = Buffer.from(new Uint8Array(shared)).toString('hex');
  expect([reader.average(T0), reader.average(T0 + 60 * SECOND), reader.rate(T0)]).toEqual([5, NaN, 5 / 30]);
  expect(Buffer.from(new Uint8Array(shared)).toString('hex')).toBe(before);
});

test('a window of zero length, which Java allows, keeps nothing and does not divide by zero', () => {
  const windows = { sampleMs: 0, samples: 1 };
  const stat = windowed(windows);
  stat.record(5, T0);
  expect([stat.rate(T0), stat.average(T0), stat.maximum(T0)]).toEqual([0, NaN, NaN]);
});
