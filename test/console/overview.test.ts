import { joined, needsHistory } from '../../packages/console/src/parts/group';
import {
  consequencesOf,
  pauseOutcome,
  restartOutcome,
  resumeOutcome,
  stopOutcome,
} from '../../packages/console/src/parts/outcomes';
import { roleObjection } from '../../packages/console/src/parts/roles';
import { SUMMARIES, transition } from '../../packages/console/src/parts/states';
import {
  countBySummary,
  differsInState,
  filterOf,
  matchesText,
  namesBetween,
} from '../../packages/console/src/pages/overview/rows';
import type { ConnectorRow, Overview, TaskRow } from '@millrace/console';

const NO_LAG = { records: null, bytes: null, seconds: null };
const task = (changed: Partial<TaskRow> = {}): TaskRow => ({
  ...{ id: 0, state: 'RUNNING', worker: 'a:1', isWorkerGone: false, since: 1, rate: 1, lag: NO_LAG },
  ...{ errors: 0, errorRate: 0, lastErrorAt: null, isConnected: true, problem: null, thread: 1, ...changed },
});
const row = (changed: Partial<ConnectorRow> = {}): ConnectorRow => ({
  ...{ name: 'orders', type: 'source', className: 'a.b.PostgresConnector', version: '1', state: 'RUNNING' },
  ...{ target: 'STARTED', summary: 'running', worker: 'a:1', isWorkerGone: false, since: 1, tasks: [task()] },
  ...{ tasksMax: 1, rate: 1, lag: NO_LAG, failure: null, reasons: [], errors: 0, errorRate: 0, ...changed },
});
const overview = (at: number, rows: readonly ConnectorRow[], history: Overview['history'] = []): Overview => ({
  ...{
    at,
    worker: 'a:1',
    kafkaClusterId: null,
    health: { status: 'healthy', message: '', absence: null },
    workers: [],
  },
  ...{ connectors: rows, effects: {}, historyStepMs: 5000, history },
});

describe('rates since the page was opened', () => {
  const first = joined(null, overview(1000, [row()], [{ connector: 'orders', rates: [1, 2] }]));
  test('are appended once per step', () => {
    const second = joined(first, overview(3000, [row({ rate: 3 })]));
    expect(second.rates.get('orders')).toEqual([1, 2]);
    expect(joined(second, overview(6000, [row({ rate: 4 })])).rates.get('orders')).toEqual([1, 2, 4]);
  });
  test('begin with a connector, and end with it', () => {
    const later = joined(first, overview(6000, [row({ name: 'new', rate: null })]));
    expect([...later.rates]).toEqual([['new', [null]]]);
  });
  test('are requested again after a gap', () => {
    expect(needsHistory(null, 0)).toBe(true);
    expect(needsHistory(first, 6000)).toBe(false);
    expect(needsHistory(first, 60_000)).toBe(true);
  });
  test('unchanged rows remain the same objects', () => {
    expect(joined(first, overview(2000, [row()])).connectors).toBe(first.connectors);
  });
});

describe('actions in progress', () => {
  test.each([
    ['running', { target: 'STARTED', state: 'RUNNING', summary: 'running' }, null],
    ['pausing', { target: 'PAUSED', state: 'RUNNING', summary: 'running' }, 'pausing'],
    ['stopping', { target: 'STOPPED', state: 'RUNNING', summary: 'running' }, 'stopping'],
    ['resuming', { target: 'STARTED', state: 'PAUSED', summary: 'paused' }, 'resuming'],
    ['paused', { target: 'PAUSED', state: 'PAUSED', summary: 'paused' }, null],
    ['failed', { target: 'STARTED', state: 'FAILED', summary: 'failed' }, null],
    ['degraded', { target: 'STARTED', state: 'RUNNING', summary: 'degraded' }, null],
  ] as const)('%s', (_, changed, expected) => expect(transition(row(changed))).toBe(expected));
});

describe('an action is done when the overview shows it', () => {
  test('pause: failed tasks stay failed', () => {
    const paused = { target: 'PAUSED', state: 'PAUSED' } as const;
    expect(pauseOutcome(row({ target: 'PAUSED' }))).toBeNull();
    expect(pauseOutcome(row({ ...paused, tasks: [task()] }))).toBeNull();
    expect(pauseOutcome(row({ ...paused, tasks: [task({ state: 'FAILED' })] }))).toBe('done');
  });
  test('resume: running again, or failed after the start', () => {
    const before = row({ state: 'PAUSED', target: 'PAUSED', summary: 'paused' });
    expect(resumeOutcome(before, before)).toBeNull();
    expect(resumeOutcome(row({ state: 'PAUSED', summary: 'failed' }), before)).toBeNull();
    expect(resumeOutcome(row({ since: 2 }), before)).toBe('done');
    expect(resumeOutcome(row({ since: 2, summary: 'failed', state: 'FAILED' }), before)).toBe('failed');
  });
  test('stop: without tasks', () => {
    expect(stopOutcome(row({ state: 'STOPPED' }))).toBeNull();
    expect(stopOutcome(row({ state: 'STOPPED', tasks: [] }))).toBe('done');
  });
  test('restart: each part has a later status', () => {
    const plan = { connector: { state: 'RESTARTING' }, tasks: [{ id: 0, state: 'RESTARTING' }] };
    const now = (changed: Partial<TaskRow>) => row({ since: 2, tasks: [task(changed)] });
    expect(restartOutcome(now({}), row(), plan)).toBeNull();
    expect(restartOutcome(now({ since: 2, state: 'RESTARTING' }), row(), plan)).toBeNull();
    expect(restartOutcome(now({ since: 2 }), row(), plan)).toBe('done');
    expect(restartOutcome(now({ since: 2, state: 'FAILED' }), row(), plan)).toBe('failed');
  });
  test('restart of failed parts: without any, at once', () => {
    const plan = { connector: { state: 'RUNNING' }, tasks: [{ id: 0, state: 'RUNNING' }] };
    expect(restartOutcome(row(), row(), plan)).toBe('done');
  });
});

describe('the list', () => {
  test('finds each word in name, class or worker', () => {
    const { words, summary } = filterOf({ q: ' Post  a:1 ', state: 'failed' }, SUMMARIES);
    expect(summary).toBe('failed');
    expect(matchesText(row(), words)).toBe(true);
    expect(matchesText(row({ className: 'x' }), words)).toBe(false);
    expect(filterOf({ state: 'nope' }, SUMMARIES)).toEqual({ summary: null, words: [] });
  });
  test('counts states', () => {
    expect([...countBySummary([row(), row({ summary: 'failed' }), row()])]).toEqual([
      ['running', 2],
      ['failed', 1],
    ]);
  });
  test('selects a range in both directions', () => {
    const rows = ['a', 'b', 'c'].map((name) => row({ name }));
    expect(namesBetween(rows, 'a', 'c')).toEqual(['a', 'b', 'c']);
    expect(namesBetween(rows, 'c', 'b')).toEqual(['b', 'c']);
    expect(namesBetween(rows, 'gone', 'b')).toEqual(['b']);
  });
  test('renders unseen rows again for states, not for rates', () => {
    expect(differsInState(row(), row({ rate: 2, tasks: [task({ rate: 2 })] }))).toBe(false);
    const reasons = (code: string, message: string): ConnectorRow['reasons'] => [
      { code, message, cure: null, since: 1, task: 0, worker: null, nextTryAt: null, actions: [] },
    ];
    const behind = row({ reasons: reasons('HEALTH_BEHIND', '300 seconds') });
    expect(differsInState(behind, row({ reasons: reasons('HEALTH_BEHIND', '310 seconds') }))).toBe(false);
    expect(differsInState(behind, row({ reasons: reasons('HEALTH_RETRYING', '300 seconds') }))).toBe(true);
    expect(differsInState(behind, row())).toBe(true);
    expect(differsInState(row(), row({ tasks: [task({ state: 'FAILED' })] }))).toBe(true);
  });
});

test('a role may do what weaker ones may', () => {
  expect(roleObjection('admin', 'operator')).toBeNull();
  expect(roleObjection('operator', 'operator')).toBeNull();
  expect(roleObjection('reader', 'operator')).toBe('Your role is reader; this needs the role operator');
});

test('what an action means for all connectors, and what the plugins of these declare, each sentence once', () => {
  const slot = { delete: 'So do replication slots.', stop: 'The lock is kept.' };
  expect(consequencesOf('delete', [slot, {}, slot, { delete: 'So do queues.' }])).toBe(
    'Offsets of sources, consumer groups of sinks, and topics remain: a connector created with the same name ' +
      'continues from there. So do replication slots. So do queues.',
  );
  expect(consequencesOf('stop', [slot])).toMatch(/where they stopped\. The lock is kept\.$/);
  expect(consequencesOf('restart', [slot])).toMatch(/Records in flight are sent again\.$/);
});
