import { transition } from '../../src/cluster/running/connector-lifecycle';
import type { ConnectorStateInfo } from '../../src/cluster/entities';
import { mustCatchUp, rejoinReason, type AssignmentSituation } from '../../src/cluster/group/resolve-assignment';
import { UNKNOWN_CAUSE } from '../../src/storage/log/cause';
import { mergeRestarts, restartPlan } from '../../src/cluster/running/restart-plan';
import {
  storedTaskConfigs,
  taskConfigsChanged,
  taskLimit,
  TooManyTasksError,
} from '../../src/cluster/running/task-configs';
import { UnsyncBackoff } from '../../src/cluster/tick/unsync-backoff';

describe('connect-runtime §3.2: connector lifecycle', () => {
  test.each([
    ['INIT', 'STARTED', 'start', 'STARTED'],
    ['INIT', 'PAUSED', null, 'PAUSED'],
    ['INIT', 'STOPPED', null, 'STOPPED'],
    ['STARTED', 'PAUSED', 'stop', 'PAUSED'],
    ['STARTED', 'STOPPED', 'stop', 'STOPPED'],
    ['PAUSED', 'STARTED', 'start', 'STARTED'],
    ['PAUSED', 'STOPPED', null, 'STOPPED'],
    ['STOPPED', 'STARTED', 'start', 'STARTED'],
    ['STOPPED', 'PAUSED', null, 'PAUSED'],
    ['FAILED', 'STOPPED', null, 'STOPPED'],
  ] as const)('%s → %s calls %s', (from, target, call, to) =>
    expect(transition(from, target)).toMatchObject({ call, to }),
  );
  test.each(['STARTED', 'PAUSED', 'STOPPED'] as const)('%s stays', (state) =>
    expect(transition(state, state)).toBeNull(),
  );
  test.each(['STARTED', 'PAUSED'] as const)('FAILED → %s is rejected', (target) =>
    expect(() => transition('FAILED', target)).toThrow('cannot transition'),
  );
});

describe('connect-runtime §2.6: resolving an assignment', () => {
  const fine: AssignmentSituation = {
    configMismatch: false,
    isLeader: false,
    ownOffset: 5,
    assignmentOffset: 5,
    scheduledRebalance: null,
    now: 1000,
  };
  test('equal offsets start the work', () => {
    expect(mustCatchUp(fine)).toBe(false);
    expect(rejoinReason(fine)).toBeNull();
    expect(rejoinReason({ ...fine, scheduledRebalance: 1001 })).toBeNull();
  });
  test('connect-runtime 43: a config mismatch makes the leader read and all members rejoin', () => {
    expect(mustCatchUp({ ...fine, configMismatch: true, isLeader: true })).toBe(true);
    expect(mustCatchUp({ ...fine, configMismatch: true })).toBe(false);
    expect(rejoinReason({ ...fine, configMismatch: true })).toContain('leader');
  });
  test('connect-runtime 44: a member that is behind reads first', () => {
    expect(mustCatchUp({ ...fine, ownOffset: 4 })).toBe(true);
  });
  test('connect-runtime 45: a member that is ahead rejoins without starting anything', () => {
    expect(mustCatchUp({ ...fine, ownOffset: 6 })).toBe(false);
    expect(rejoinReason({ ...fine, ownOffset: 6 })).toContain('6');
  });
  test('a scheduled rebalance that is due comes first', () => {
    expect(rejoinReason({ ...fine, scheduledRebalance: 1000 })).toContain('due');
  });
});

test('connect-runtime 44: waits of 6, 7.5, 10, 15, 30 s, then all work is stopped', () => {
  const backoff = new UnsyncBackoff(300_000, 300_000);
  const waits = Array.from({ length: 7 }, () => backoff.next(false));
  expect(waits).toEqual([6000, 7500, 10000, 15000, 30000, 'give-up', 6000]);
  backoff.reset();
  expect(backoff.next(false)).toBe(6000);
  expect(backoff.next(true)).toBe(300_000);
});

describe('connect-runtime §3.6: task configs', () => {
  test('connect-runtime 61: class and topics are added, placeholders restored', () => {
    const rawConfig = { name: 'c', password: '${file:/p:k}', topics: 'a,b', url: 'x' };
    const resolvedConfig = { ...rawConfig, password: 'secret' };
    expect(
      storedTaskConfigs({
        taskClass: 'my.Task',
        configs: [{ ...resolvedConfig, part: '0' }, { part: '1' }],
        rawConfig,
        resolvedConfig,
      }),
    ).toEqual([
      { name: 'c', password: '${file:/p:k}', topics: 'a,b', url: 'x', part: '0', 'task.class': 'my.Task' },
      { part: '1', 'task.class': 'my.Task', topics: 'a,b' },
    ]);
  });

  test('connect-runtime 60: unchanged task configs are not written, a changed connector config marks them as changed', () => {
    const stored = [{ a: '1' }, { a: '2' }];
    expect(taskConfigsChanged(stored, [{ a: '1' }, { a: '2' }], { x: '1' }, { x: '1' })).toBe(false);
    expect(taskConfigsChanged(stored, [{ a: '1' }, { a: '2' }], { x: '1' }, { x: '2' })).toBe(true);
    expect(taskConfigsChanged(stored, [{ a: '1' }, { a: '2' }], null, { x: '1' })).toBe(true);
    expect(taskConfigsChanged(stored, [{ a: '1' }], { x: '1' }, { x: '1' })).toBe(true);
    expect(taskConfigsChanged(stored, [{ a: '1' }, { a: '2', b: '' }], { x: '1' }, { x: '1' })).toBe(true);
  });

  test('limits', () => {
    expect(taskLimit({})).toEqual({ max: 1, enforce: true });
    expect(taskLimit({ 'tasks.max': ' 4 ', 'tasks.max.enforce': 'False' })).toEqual({ max: 4, enforce: false });
    expect(new TooManyTasksError('c', 3, 2).message).toMatch(
      /^The connector c has generated 3 tasks, which is greater than 2,/,
    );
  });
});

describe('connect-runtime 57: restarts', () => {
  const state = (id: number, value: 'RUNNING' | 'FAILED'): ConnectorStateInfo['tasks'][number] => ({
    id,
    state: value,
    worker_id: 'w:1',
  });
  const info = (connector: 'RUNNING' | 'FAILED'): ConnectorStateInfo => ({
    name: 'c',
    connector: { state: connector, worker_id: 'w:1' },
    tasks: [state(0, 'RUNNING'), state(1, 'FAILED')],
    type: 'source',
  });
  test.each([
    [true, false, 'RUNNING', false, []],
    [true, false, 'FAILED', true, []],
    [true, true, 'RUNNING', false, [1]],
    [false, false, 'RUNNING', true, []],
    [false, true, 'FAILED', true, [0, 1]],
  ] as const)('onlyFailed=%p includeTasks=%p connector %s', (onlyFailed, includeTasks, current, connector, tasks) => {
    const plan = restartPlan({ onlyFailed, includeTasks }, info(current));
    expect(plan.connector).toBe(connector);
    expect(plan.tasks).toEqual(tasks);
    expect(plan.states.connector.state).toBe(connector ? 'RESTARTING' : current);
    expect(plan.states.tasks.map((task) => task.state === 'RESTARTING')).toEqual(
      [0, 1].map((id) => tasks.includes(id as never)),
    );
  });

  test('pending requests merge by rank', () => {
    const request = (onlyFailed: boolean, includeTasks: boolean) => ({
      ...{ connector: 'c', onlyFailed, includeTasks },
      cause: UNKNOWN_CAUSE,
    });
    const ranked = [request(true, false), request(true, true), request(false, false), request(false, true)];
    for (const [i, low] of ranked.entries())
      for (const high of ranked.slice(i)) {
        expect(mergeRestarts(low, high)).toBe(high);
        expect(mergeRestarts(high, low)).toBe(high === low ? low : high);
      }
    expect(mergeRestarts(undefined, ranked[0] as never)).toBe(ranked[0]);
  });
});
