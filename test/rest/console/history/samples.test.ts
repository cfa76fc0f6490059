import { taskKey, type TimedReading } from '@millrace/texts/worker-rates';
import { chartedFigures, connectorSamples, processSamples } from '../../../../src/rest/console/history/samples';
import type { Series } from '../../../../src/rest/console/panels';
import type { TaskReport } from '../../../../src/rest/reports/worker-report';

function reading(at: number, tasks: readonly TaskReport[], more: object = {}): TimedReading<TaskReport> {
  return { at, figures: { tasks: new Map(tasks.map((task) => [taskKey(task.connector, task.task), task])), ...more } };
}

test('rates of a connector add up, its lag is that of the task that is most behind', () => {
  const before = reading(0, [
    { connector: 'a', task: 0, records: 100, errors: 1000, failed: 4 },
    { connector: 'a', task: 1, records: 50, errors: 1000, failed: 0 },
  ]);
  const now = reading(10_000, [
    { connector: 'a', task: 0, records: 300, errors: 1000, failed: 9, lagRecords: 5, lagSeconds: 1 },
    { connector: 'a', task: 1, records: 60, errors: 1000, failed: 0, lagRecords: 9 },
    { connector: 'idle', task: 0, records: 0, errors: 1000, failed: 0 },
  ]);
  expect(Object.fromEntries(connectorSamples(now, before))).toEqual({
    a: { rate: 21, errorRate: 0.5, lagRecords: 9, lagBytes: null, lagSeconds: 1 },
    idle: { rate: null, errorRate: null, lagRecords: null, lagBytes: null, lagSeconds: null },
  });
});

test('failed records per second are unknown without a reading before, and after a restart of the task', () => {
  const first = reading(0, [{ connector: 'a', task: 0, records: 5, errors: 1000, failed: 7 }]);
  expect(connectorSamples(first, undefined).get('a')).toMatchObject({ errorRate: null });
  const restarted = reading(10_000, [{ connector: 'a', task: 0, records: 1, errors: 1000, failed: 2 }]);
  expect(connectorSamples(restarted, first).get('a')).toMatchObject({ errorRate: null });
});

test('the process: CPU is unknown without a reading before', () => {
  const first = reading(0, [], { cpuSeconds: 3, startSeconds: 1, memoryBytes: 1000 });
  expect(processSamples(first, undefined)).toEqual({ memoryBytes: 1000, cpu: null });
  const next = reading(10_000, [], { cpuSeconds: 8, startSeconds: 1 });
  expect(processSamples(next, first)).toEqual({ memoryBytes: null, cpu: 0.5 });
});

test('of a panel, facts that are amounts are drawn', () => {
  const figures = {
    retained: { metric: 'retained', unit: 'bytes', combine: 'sum' },
    name: { metric: 'retained', label: 'slot' },
    position: { metric: 'position', unit: 'hex64' },
    unused: { metric: 'retained', unit: 'bytes' },
    later: { metric: 'later', unit: 'seconds' },
  } as const;
  const facts = [
    { title: 'Retained WAL', figure: 'retained' },
    { title: 'Name', figure: 'name' },
    { title: 'Position', figure: 'position' },
    { title: 'Later', figure: 'later' },
    { title: 'Missing', figure: 'missing' },
  ];
  const series: readonly Series[] = [
    { name: 'retained', labels: { slot: 'a' }, value: 3 },
    { name: 'retained', labels: { slot: 'b' }, value: 4 },
    { name: 'position', labels: {}, value: 9 },
  ];
  expect(chartedFigures({ panels: [{ title: 'Slot', figures, facts }] }, series)).toEqual([
    { measure: 'Slot\nRetained WAL', panel: 'Slot', title: 'Retained WAL', unit: 'bytes', value: 7 },
    { measure: 'Slot\nLater', panel: 'Slot', title: 'Later', unit: 'seconds', value: null },
  ]);
});
