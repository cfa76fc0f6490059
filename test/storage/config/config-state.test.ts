import { ConfigState, type AppliedRecord, type ConfigEvent } from '../../../src/storage/config/config-state';
import { UNKNOWN_CAUSE } from '../../../src/storage/log/cause';

class Log {
  readonly state = new ConfigState();
  private next = 0;
  add(key: string | null, value: string | null): AppliedRecord {
    return this.state.apply(this.next++, key, value === null ? null : Buffer.from(value));
  }
  event(key: string, value: string | null): ConfigEvent | null {
    return this.add(key, value).event;
  }
  connector(name = 'c', config: object = { name }): ConfigEvent | null {
    return this.event(`connector-${name}`, JSON.stringify({ properties: config }));
  }
  task(task: number, name = 'c', config: object = { n: String(task) }): void {
    this.add(`task-${name}-${task}`, JSON.stringify({ properties: config }));
  }
  commit(tasks: number, name = 'c'): ConfigEvent | null {
    return this.event(`commit-${name}`, `{"tasks":${tasks}}`);
  }
  skip(count: number): void {
    this.next += count;
  }
}

test('connect-runtime 18: a complete set is applied, an incomplete one leaves the connector without tasks', () => {
  const log = new Log();
  log.connector();
  log.task(0);
  log.task(1);
  expect(log.state.snapshot().tasks('c')).toEqual([]);
  expect(log.commit(2)).toEqual({
    type: 'tasks-committed',
    connector: 'c',
    tasks: [
      { connector: 'c', task: 0 },
      { connector: 'c', task: 1 },
    ],
  });
  expect(log.state.snapshot().taskConfigs('c')).toEqual([{ n: '0' }, { n: '1' }]);
  expect(log.state.snapshot().generation('c')).toBe(0);
  log.task(0, 'c', { n: 'new' });
  expect(log.commit(2)).toMatchObject({ type: 'tasks-committed', tasks: [] });
  expect(log.state.snapshot().isInconsistent('c')).toBe(true);
  expect(log.state.snapshot().tasks('c')).toEqual([]);
  log.task(0, 'c', { n: 'a' });
  log.task(1, 'c', { n: 'b' });
  log.commit(2);
  expect(log.state.snapshot().isInconsistent('c')).toBe(false);
  expect(log.state.snapshot().taskConfigs('c')).toEqual([{ n: 'a' }, { n: 'b' }]);
  expect(log.state.snapshot().generation('c')).toBe(1);
});

test('connect-runtime 19: a connector record compacted to after its commit has no tasks until they are written again', () => {
  const log = new Log();
  log.connector();
  log.task(0);
  log.task(1);
  log.commit(2);
  log.task(0);
  log.task(5);
  log.commit(1);
  expect(log.state.snapshot().tasks('c')).toEqual([{ connector: 'c', task: 0 }]);
  expect(log.state.snapshot().hasTask({ connector: 'c', task: 1 })).toBe(false);
});

test('connect-runtime 20: a commit without a connector is ignored, and so are its tasks', () => {
  const log = new Log();
  log.task(0);
  expect(log.add('commit-c', '{"tasks":1}')).toMatchObject({ event: null, problem: expect.any(String) });
  log.connector();
  expect(log.state.snapshot().tasks('c')).toEqual([]);
});

test('connect-runtime 21: a connector record compacted behind its commit has no tasks until they come again', () => {
  const log = new Log();
  log.task(0);
  log.commit(1);
  log.connector();
  expect(log.state.snapshot().tasks('c')).toEqual([]);
  expect(log.state.snapshot().appliedConfig('c')).toBeNull();
  log.task(0);
  log.commit(1);
  expect(log.state.snapshot().tasks('c')).toHaveLength(1);
});

test('connect-runtime 22: task records without their commit change nothing', () => {
  const log = new Log();
  log.connector();
  log.task(0, 'c', { v: 'old' });
  log.commit(1);
  log.task(0, 'c', { v: 'new' });
  expect(log.state.snapshot().taskConfigs('c')).toEqual([{ v: 'old' }]);
});

test('connect-runtime 23: the offset advances for JSON of any kind, not for other text', () => {
  const log = new Log();
  expect(log.state.snapshot().offset).toBe(-1);
  log.add('unknown', '{}');
  expect(log.state.snapshot().offset).toBe(1);
  log.add('connector-c', '{oops');
  expect(log.state.snapshot().offset).toBe(1);
  log.add(null, '1');
  expect(log.state.snapshot().offset).toBe(3);
});

test('connect-runtime 26: transaction markers and gaps do not count', () => {
  const log = new Log();
  log.connector();
  log.skip(5);
  expect(log.state.snapshot().offset).toBe(1);
  log.commit(0);
  expect(log.state.snapshot().offset).toBe(7);
});

test('target states: default, change, removal', () => {
  const log = new Log();
  expect(log.event('target-state-c', '{"state":"PAUSED","state.v2":"STOPPED"}')).toBeNull();
  log.connector();
  expect(log.state.snapshot().targetState('c')).toBe('STOPPED');
  expect(log.event('target-state-c', '{"state":"STARTED"}')).toEqual({ type: 'target-state-changed', connector: 'c' });
  expect(log.event('target-state-c', '{"state":"STARTED"}')).toBeNull();
  log.event('target-state-c', '{"state":"PAUSED"}');
  expect(log.event('target-state-c', null)).toBeNull();
  expect(log.state.snapshot().targetState('c')).toBe('STARTED');
});

test('a deleted connector loses its tasks and its applied configuration', () => {
  const log = new Log();
  log.connector();
  log.task(0);
  log.commit(1);
  log.event('target-state-c', '{"state":"PAUSED"}');
  expect(log.event('connector-c', null)).toEqual({ type: 'connector-removed', connector: 'c' });
  const snapshot = log.state.snapshot();
  expect(snapshot.contains('c')).toBe(false);
  expect(snapshot.taskCount('c')).toBe(0);
  expect(snapshot.appliedConfig('c')).toBeNull();
  expect(snapshot.targetState('c')).toBe('PAUSED');
});

test('a commit of zero tasks needs no task records and keeps the config it was created from', () => {
  const log = new Log();
  log.connector('c', { v: '1' });
  expect(log.commit(0)).toEqual({ type: 'tasks-committed', connector: 'c', tasks: [] });
  log.connector('c', { v: '2' });
  expect(log.state.snapshot().appliedConfig('c')).toEqual({ v: '1' });
  expect(log.state.snapshot().connectorConfig('c')).toEqual({ v: '2' });
});

test('connect-runtime 82: a commit record requires fencing, a task count record after it does not', () => {
  const log = new Log();
  const fencing = (): unknown[] => {
    const snapshot = log.state.snapshot();
    return [snapshot.isPendingFencing('c'), snapshot.taskCountRecord('c')];
  };
  log.connector();
  expect(fencing()).toEqual([false, null]);
  log.task(0);
  log.commit(1);
  expect(fencing()).toEqual([true, null]);
  log.event('tasks-fencing-c', '{"task-count":1}');
  expect(fencing()).toEqual([false, 1]);
  log.commit(0);
  expect(fencing()).toEqual([true, 1]);
  expect(log.state.snapshot().generation('c')).toBe(0);
  log.event('tasks-fencing-c', null);
  log.event('tasks-fencing-c', '{"task-count":-1}');
  log.event('tasks-fencing-c', '{"task-count":"2"}');
  expect(fencing()).toEqual([true, 1]);
});

test('connect-runtime §1.4.3: a deleted connector keeps its task count record, and its successor is fenced by it', () => {
  const log = new Log();
  log.connector();
  log.task(0);
  log.task(1);
  log.commit(2);
  log.event('tasks-fencing-c', '{"task-count":2}');
  log.event('connector-c', null);
  log.commit(1);
  expect(log.state.snapshot().isPendingFencing('c')).toBe(false);
  log.connector();
  log.task(0);
  log.commit(1);
  expect(log.state.snapshot().isPendingFencing('c')).toBe(true);
  expect(log.state.snapshot().taskCountRecord('c')).toBe(2);
});

test('session key, restart and logger records are events', () => {
  const log = new Log();
  const key = '{"key":"AAEC","algorithm":"HmacSHA256","creation-timestamp":5}';
  expect(log.event('session-key', key)).toMatchObject({ type: 'session-key' });
  expect(log.state.snapshot().sessionKey).toEqual({
    key: Buffer.from([0, 1, 2]),
    algorithm: 'HmacSHA256',
    createdAt: 5,
  });
  expect(log.event('restart-connector-c', '{"include-tasks":true,"only-failed":true}')).toEqual({
    type: 'restart-requested',
    connector: 'c',
    includeTasks: true,
    onlyFailed: true,
    cause: UNKNOWN_CAUSE,
  });
});

test('a snapshot is immutable', () => {
  const log = new Log();
  log.connector();
  const before = log.state.snapshot();
  expect(log.state.snapshot()).toBe(before);
  log.connector('d');
  log.task(0);
  log.commit(1);
  expect(before.connectors()).toEqual(['c']);
  expect(before.tasks('c')).toEqual([]);
});
