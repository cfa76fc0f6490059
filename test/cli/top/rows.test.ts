import type { Connector } from '../../../packages/cli/src/connectors/connectors';
import { connectorRows, sortRows, type WorkerReading, workerRow } from '../../../packages/cli/src/verbs/top/rows';
import { taskKey } from '../../../packages/texts/src/worker-rates';

function reading(at: number, records: number, cpuSeconds: number, startSeconds = 1000): WorkerReading {
  const tasks = new Map([[taskKey('a', 0), { records, rate: 7, lagRecords: 3, errors: 1 }]]);
  return { worker: 'w', at, figures: { tasks, cpuSeconds, startSeconds, memoryBytes: 5 } };
}
const connectors: Connector[] = [
  {
    name: 'a',
    type: 'sink',
    class: 'A',
    status: {
      state: 'RUNNING',
      worker: 'w',
      tasks: [
        { id: 0, state: 'RUNNING', worker: 'w' },
        { id: 1, state: 'RUNNING', worker: 'v' },
      ],
    },
    health: null,
  },
];
const rateOf = (now: WorkerReading, before?: WorkerReading) =>
  connectorRows(connectors, [now], before ? [before] : [])[0]?.recordsPerSecond;

test('the rate is that since the last reading; at first, that of the worker', () => {
  expect(rateOf(reading(0, 100, 1))).toBe(7);
  expect(rateOf(reading(2000, 300, 1), reading(0, 100, 1))).toBe(100);
  expect(rateOf(reading(2000, 50, 1), reading(0, 100, 1))).toBe(7);
  expect(rateOf(reading(2000, 300, 1, 2000), reading(0, 100, 1))).toBe(7);
  expect(rateOf(reading(0, 300, 1), reading(0, 100, 1))).toBe(7);
});

test('figures of tasks, unknown ones are null', () => {
  expect(connectorRows(connectors, [reading(0, 1, 1)], [])).toMatchObject([
    {
      recordsPerSecond: 7,
      lagRecords: 3,
      lagSeconds: null,
      errors: 1,
      tasks: [{ errors: 1 }, { recordsPerSecond: null, errors: null }],
    },
  ]);
});

test('CPU since the last reading; at first, since the start of the worker', () => {
  expect(workerRow(reading(0, 0, 10), undefined, 1_020_000)).toEqual({
    worker: 'w',
    cpu: 0.5,
    memoryBytes: 5,
    recordsPerSecond: 7,
    tasks: 1,
  });
  expect(workerRow(reading(2000, 0, 11), reading(0, 0, 10), 0).cpu).toBe(0.5);
  expect(workerRow(reading(0, 0, 10), undefined, 0).cpu).toBeNull();
  expect(workerRow({ worker: 'w', at: 0 }, undefined, 0).cpu).toBeNull();
});

test('sorted by a figure, largest first, unknown last', () => {
  const row = (errors: number | null) => ({
    recordsPerSecond: null,
    lagRecords: errors,
    lagSeconds: null,
    errors,
    errorsPerSecond: null,
  });
  const rows = [row(1), row(null), row(0), row(5)];
  for (const key of ['errors', 'lag'] as const)
    expect(sortRows(rows, key).map(({ errors }) => errors)).toEqual([5, 1, 0, null]);
  expect(sortRows(rows, 'name')).toEqual(rows);
});
