/** What a person should see first of a connector, never contradicting the states beside it. */
import type { State } from '@millrace/console';
import { summaryOf } from '../../../src/rest/health/summary';

const STATES: readonly State[] = ['UNASSIGNED', 'RUNNING', 'PAUSED', 'STOPPED', 'FAILED', 'RESTARTING'];
const part = (state: State, isWorkerGone = false): { state: State; isWorkerGone: boolean } => ({ state, isWorkerGone });

test.each<[summary: string, connector: State, tasks: readonly State[], configured: number]>([
  ['running', 'RUNNING', ['RUNNING', 'RUNNING'], 2],
  ['failed', 'FAILED', [], 0],
  ['failed', 'FAILED', ['RUNNING'], 1],
  ['failed', 'RUNNING', ['FAILED', 'FAILED'], 2],
  ['degraded', 'RUNNING', ['RUNNING', 'FAILED'], 2],
  ['degraded', 'PAUSED', ['PAUSED', 'FAILED'], 2],
  ['degraded', 'RUNNING', ['UNASSIGNED', 'FAILED'], 2],
  ['starting', 'UNASSIGNED', [], 0],
  ['starting', 'UNASSIGNED', ['RUNNING'], 1],
  ['starting', 'RESTARTING', ['RUNNING'], 1],
  ['starting', 'RUNNING', [], 0],
  ['starting', 'RUNNING', ['RUNNING'], 2],
  ['starting', 'RUNNING', ['RUNNING', 'UNASSIGNED'], 2],
  ['starting', 'RUNNING', ['RUNNING', 'RESTARTING'], 2],
  ['paused', 'PAUSED', ['PAUSED', 'PAUSED'], 2],
  ['paused', 'PAUSED', [], 0],
  // Until its tasks are paused as well; and while they are being resumed.
  ['running', 'PAUSED', ['PAUSED', 'RUNNING'], 2],
  ['running', 'RUNNING', ['PAUSED', 'PAUSED'], 2],
  ['stopped', 'STOPPED', [], 0],
  ['stopped', 'STOPPED', ['RUNNING'], 1],
])('%s: connector %s, tasks %j of %i', (summary, connector, tasks, configured) => {
  expect(
    summaryOf(
      part(connector),
      tasks.map((state) => part(state)),
      configured,
    ),
  ).toBe(summary);
});

test('work on a worker that is gone is not running, but waiting for another one', () => {
  expect(summaryOf(part('RUNNING', true), [part('RUNNING')], 1)).toBe('starting');
  expect(summaryOf(part('RUNNING'), [part('RUNNING'), part('PAUSED', true)], 2)).toBe('starting');
  expect(summaryOf(part('RUNNING'), [part('FAILED', true)], 1)).toBe('failed');
});

test('no combination contradicts its parts', () => {
  for (const connector of STATES)
    for (const first of STATES)
      for (const second of STATES) {
        const all = [connector, first, second];
        const summary = summaryOf(part(connector), [part(first), part(second)], 2);
        expect([summary === 'failed' || summary === 'degraded', all]).toEqual([all.includes('FAILED'), all]);
        if (summary === 'running') expect(all).toContain('RUNNING');
        if (summary === 'paused') expect(all).not.toContain('RUNNING');
        if (summary === 'stopped') expect(connector).toBe('STOPPED');
      }
});

describe('what the tasks report', () => {
  const of = (code: string, state: State = 'RUNNING', tasks: readonly State[] = ['RUNNING']): string =>
    summaryOf(
      part(state),
      tasks.map((one) => part(one)),
      tasks.length,
      [{ code }],
    );

  test.each(['HEALTH_DISCONNECTED', 'HEALTH_RETRYING', 'HEALTH_FAILING_RECORDS', 'HEALTH_BEHIND'])(
    '%s: degraded',
    (code) => {
      expect(of(code)).toBe('degraded');
      expect(of(code, 'STOPPED', [])).toBe('stopped');
      expect(of(code, 'RUNNING', ['FAILED'])).toBe('failed');
    },
  );

  test('nothing recent is known', () => {
    expect(of('HEALTH_WORKER_SILENT')).toBe('unknown');
    expect(of('HEALTH_NOT_IN_GROUP')).toBe('unknown');
    expect(of('HEALTH_NOT_IN_GROUP', 'RUNNING', ['FAILED'])).toBe('unknown');
    expect(of('HEALTH_NOT_IN_GROUP', 'STOPPED', [])).toBe('stopped');
  });
});
