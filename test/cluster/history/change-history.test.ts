import { ChangeHistory } from '../../../src/cluster/history/change-history';
import { silentLogger } from '../../../src/logging/logger';
import { ConfigStore } from '../../../src/storage/config/config-store';
import { automatically, byUser, type Restart } from '../../../src/storage/log/cause';
import { statusRecord, type EntityStatus, type State } from '../../../src/storage/status/status-records';
import { StatusStore } from '../../../src/storage/status/status-store';
import { MemoryLog, MemoryTopic } from '../../storage/log/memory-log';

async function reading(
  topic: MemoryTopic,
  history = new ChangeHistory(),
): Promise<{ store: ConfigStore; history: ChangeHistory }> {
  const store = new ConfigStore(new MemoryLog(topic), silentLogger, () => undefined, null, null, history.onConfig);
  await store.start();
  return { store, history };
}
const lines = (history: ChangeHistory, connector?: string): string[] =>
  history
    .list(connector)
    .map(({ kind, subject, task, cause: { by, user, detail } }) =>
      [kind, subject, task, by, user, detail].filter((part) => part !== null).join(' '),
    );

describe('changes of the config topic', () => {
  test('name who caused them, on every worker and after a restart', async () => {
    const topic = new MemoryTopic();
    const { store, history } = await reading(topic);
    await store.putConnector('c', { name: 'c', a: '1' }, 'PAUSED', byUser('jane'));
    await store.putTargetState('c', 'STARTED', byUser('joe'));
    await store.putTaskConfigs('c', [{}, {}], automatically('requested by the connector'));
    await store.putConnector('c', { name: 'c', a: '2', b: '3' }, null, byUser('jane'));
    await store.putConnector('c', { name: 'c', a: '2', b: '3' }, null, byUser('jane'));
    await store.putRestartRequest('c', true, true, byUser('ann'));
    await store.stopConnector('c', byUser('ann'));
    await store.putLoggerLevel('org', 'DEBUG', byUser('root'));
    await store.removeConnector('c', byUser('root'));
    const expected = [
      'connector deleted c user root',
      'logger level set org user root level DEBUG',
      'stopped c user ann',
      'restart requested c user ann connector and tasks, failed only',
      'config changed c user jane',
      'task configs published c automatic 2 tasks',
      'resumed c user joe',
      'connector created c user jane',
      'paused c user jane',
    ];
    expect(lines(history)).toEqual(expected);
    expect(lines((await reading(topic)).history)).toEqual(expected);
    expect(lines(history, 'org')).toEqual([]);
    expect(lines(history, 'c')).toEqual(expected.filter((line) => !line.startsWith('logger')));
  });

  test('have the time of their record, and the keys of a config before and after', async () => {
    const topic = new MemoryTopic();
    const value = (config: object): string => JSON.stringify({ properties: config });
    topic.append('connector-c', value({ 'connector.class': 'X', gone: '1', a: '1', long: 'x'.repeat(9_000) }), 1_000);
    topic.append('connector-c', value({ 'connector.class': 'X', new: '2', a: '1', long: 'y'.repeat(5_000) }), 2_000);
    const { history } = await reading(topic);
    expect(history.list()[0]).toEqual({
      ...{ at: 2_000, kind: 'config changed', subject: 'c', task: null },
      cause: { by: 'unknown', user: null, detail: null },
      config: {
        keys: ['gone', 'long', 'new'],
        before: { 'connector.class': 'X', gone: '1', long: '(9,000 characters)' },
        after: { 'connector.class': 'X', new: '2', long: '(5,000 characters)' },
      },
    });
  });

  test('a connector of a Java worker counts as created if it was created while this worker ran', async () => {
    const topic = new MemoryTopic();
    topic.append('connector-old', '{"properties":{}}');
    const { history } = await reading(topic);
    topic.append('connector-new', '{"properties":{}}');
    expect(lines(history)).toEqual(['connector created new unknown', 'config changed old unknown']);
  });
});

describe('changes of the status topic', () => {
  const status = (state: State, trace: string | null = null): EntityStatus => ({
    ...{ state, trace, workerId: 'w:1', generation: 1, version: null },
  });
  const attempt = (number: number): Restart => ({ at: number, cause: automatically(`attempt ${number} of 3`) });

  test('failures, and each restart once', async () => {
    const history = new ChangeHistory();
    const topic = new MemoryTopic();
    const store = new StatusStore(new MemoryLog(topic), silentLogger, history.onStatus);
    await store.start();
    const task = { kind: 'task', connector: 'c', task: 1 } as const;
    const put = (state: State, trace: string | null = null, restart: Restart | null = null): void => {
      const [key, value, headers] = statusRecord(task, status(state, trace), restart);
      topic.append(key, value, Date.now(), headers);
    };
    put('RUNNING');
    put('FAILED', 'one');
    put('FAILED', 'one');
    put('UNASSIGNED', null, attempt(1));
    put('RESTARTING', null, attempt(1));
    put('RUNNING', null, attempt(1));
    put('FAILED', 'two', attempt(1));
    put('RUNNING', null, attempt(2));
    expect(lines(history, 'c').sort()).toEqual([
      'failed c 1 automatic',
      'failed c 1 automatic',
      'restarted c 1 automatic attempt 1 of 3',
      'restarted c 1 automatic attempt 2 of 3',
    ]);
    expect(store.lastRestart(task)).toEqual(attempt(2));
    expect(store.cache.task('c', 1)?.writtenAt).toEqual(expect.any(Number));
  });
});

describe('a failure', () => {
  const entity = { kind: 'task', connector: 'c', task: 0 } as const;
  const failed = (trace: string) =>
    ({ state: 'FAILED', workerId: 'w', generation: 1, version: null, trace, writtenAt: 5, restart: null }) as const;

  test('has its trace, and the config with which it failed, whatever follows', () => {
    const history = new ChangeHistory();
    const cause = { by: 'user', user: null, detail: null } as const;
    const [before, after] = [{ secret: 'a' }, { secret: 'b' }];
    history.onConfig({ kind: 'connector', connector: 'c', before: null, after: before }, 1, cause);
    history.onStatus(entity, failed('The disk is full.'), null);
    history.onConfig({ kind: 'connector', connector: 'c', before, after }, 6, cause);
    history.onConfig({ kind: 'connector', connector: 'c', before: after, after: null }, 7, cause);
    history.onStatus(entity, failed('It is gone.'), null);
    const failures = history.list('c').flatMap(({ failure }) => failure ?? []);
    expect(failures).toContainEqual({ trace: 'The disk is full.', config: before });
    expect(failures).toContainEqual({ trace: 'It is gone.', config: null });
  });

  test('keeps the first lines of a long trace, never a part of one', () => {
    const history = new ChangeHistory();
    history.onStatus(entity, failed(`Reason.\n${'x'.repeat(9_000)}`), null);
    history.onStatus({ ...entity, task: 1 }, failed('y'.repeat(9_000)), null);
    expect(history.list('c').map(({ failure }) => failure?.trace)).toEqual(['', 'Reason.']);
  });
});

describe('bounds', () => {
  test('the newest overall and the newest of each connector are kept, whatever their order', async () => {
    const topic = new MemoryTopic();
    const { history } = await reading(topic, new ChangeHistory({ newest: 10, perSubject: 2, bytes: 1e9 }));
    for (let time = 100; time > 0; time--) topic.append(`logger-cluster-l${time % 50}`, '{"level":"INFO"}', time);
    for (let time = 1; time <= 5; time++) topic.append('restart-connector-old', '{}', time);
    expect(history.list().map(({ at }) => at)).toEqual([100, 99, 98, 97, 96, 95, 94, 93, 92, 91]);
    expect(history.list('old').map(({ at }) => at)).toEqual([5, 4]);
  });

  test('100,000 connectors stay within the bytes', async () => {
    const history = new ChangeHistory();
    for (let n = 0; n < 100_000; n++)
      history.onConfig(
        { kind: 'connector', connector: `c${n}`, before: { a: 'x'.repeat(1_000) }, after: {} },
        n,
        byUser('j'),
      );
    expect(history.list().length).toBeGreaterThan(200);
    expect(history.list().length).toBeLessThan(500);
    expect(history.list('c0')).toEqual([]);
    expect(history.list('c99999')).toHaveLength(1);
  });
});
