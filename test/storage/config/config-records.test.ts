import {
  commitRecord,
  connectorRecord,
  connectorTombstone,
  loggerRecord,
  readConfigRecord,
  restartRecord,
  sessionKeyRecord,
  targetStateRecord,
  taskRecord,
} from '../../../src/storage/config/config-records';
import type { KeyValue } from '../../../src/storage/log/compacted-log';

const texts = ([key, value]: KeyValue): string[] => [
  Buffer.from(key).toString(),
  value === null ? '∅' : Buffer.from(value).toString(),
];
const read = (key: string, value: string | null): unknown =>
  readConfigRecord(key, value === null ? null : Buffer.from(value));
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');

describe('connect-runtime 1: bytes of the config topic', () => {
  test('connector a', () => {
    const [key, value] = connectorRecord('a', { name: 'a' });
    expect(key).toEqual(hex('63 6f 6e 6e 65 63 74 6f 72 2d 61'));
    expect(value).toEqual(hex('7b 22 70 72 6f 70 65 72 74 69 65 73 22 3a 7b 22 6e 61 6d 65 22 3a 22 61 22 7d 7d'));
    const [commit, tasks] = commitRecord('a', 1);
    expect(commit).toEqual(hex('63 6f 6d 6d 69 74 2d 61'));
    expect(tasks).toEqual(hex('7b 22 74 61 73 6b 73 22 3a 31 7d'));
    const [target, state] = targetStateRecord('a', 'STOPPED');
    expect(target).toEqual(hex('74 61 72 67 65 74 2d 73 74 61 74 65 2d 61'));
    expect(state).toEqual(
      hex(
        '7b 22 73 74 61 74 65 22 3a 22 50 41 55 53 45 44 22 2c 22 73 74 61 74 65 2e 76 32 22 3a 22 53 54 4f 50 50 45 44 22 7d',
      ),
    );
  });

  test('every other record', () => {
    expect(
      texts(
        connectorRecord('local-file-source', {
          name: 'local-file-source',
          'connector.class': 'FileStreamSource',
          'tasks.max': '1',
          file: '/data/in.txt',
          topic: 'connect-test',
        }),
      ),
    ).toEqual([
      'connector-local-file-source',
      '{"properties":{"name":"local-file-source","connector.class":"FileStreamSource","tasks.max":"1","file":"/data/in.txt","topic":"connect-test"}}',
    ]);
    expect(texts(taskRecord('x', 3, { file: '/f' }))).toEqual(['task-x-3', '{"properties":{"file":"/f"}}']);
    expect(texts(loggerRecord('org.apache', 'trace'))).toEqual(['logger-cluster-org.apache', '{"level":"trace"}']);
    expect(texts(restartRecord('x', true, false))).toEqual([
      'restart-connector-x',
      '{"include-tasks":true,"only-failed":false}',
    ]);
    const key = Buffer.from(Array.from({ length: 32 }, (_, i) => i));
    expect(texts(sessionKeyRecord({ key, algorithm: 'HmacSHA256', createdAt: 1700000000000 }))).toEqual([
      'session-key',
      '{"key":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=","algorithm":"HmacSHA256","creation-timestamp":1700000000000}',
    ]);
    expect(texts(connectorTombstone('x'))).toEqual(['connector-x', '∅']);
  });

  test.each([
    ['STARTED', 40, '{"state":"STARTED","state.v2":"STARTED"}'],
    ['PAUSED', 38, '{"state":"PAUSED","state.v2":"PAUSED"}'],
    ['STOPPED', 39, '{"state":"PAUSED","state.v2":"STOPPED"}'],
  ] as const)('connect-runtime 2: target state %s has %i bytes', (state, length, text) => {
    const [, value] = targetStateRecord('c', state);
    expect(value).toHaveLength(length);
    expect(Buffer.from(value as Uint8Array).toString()).toBe(text);
  });
});

describe('connect-runtime §1.4.3: reading', () => {
  test('connect-runtime 3: state.v2 wins, an old record has only state', () => {
    expect(read('target-state-c', '{"state":"PAUSED"}')).toMatchObject({ state: 'PAUSED' });
    expect(read('target-state-c', '{"state":"PAUSED","state.v2":"STOPPED"}')).toMatchObject({ state: 'STOPPED' });
    expect(read('target-state-c', '{"state":"PAUSED","state.v2":null}')).toMatchObject({ state: 'PAUSED' });
    expect(read('target-state-c', '{"state":"PAUSED","state.v2":7}')).toMatchObject({ state: 'PAUSED' });
    expect(read('target-state-c', '{"state":"GONE"}')).toMatchObject({ kind: 'ignored' });
  });

  test('connect-runtime 27: names with dashes, blanks, unicode, and a dash at the end', () => {
    for (const connector of ['a-1', 'a b', 'é😀', 'ends-', '-', 'connector-x', 'task-3'])
      expect(read(`task-${connector}-12`, '{"properties":{}}')).toEqual({
        kind: 'task',
        connector,
        task: 12,
        config: {},
      });
    expect(read('task-x', '{"properties":{}}')).toMatchObject({ kind: 'ignored' });
    expect(read('task-x-y', '{"properties":{}}')).toMatchObject({ kind: 'ignored' });
  });

  test('tasks-fencing is not a task', () => {
    expect(read('tasks-fencing-a', '{"task-count":3}')).toEqual({ kind: 'fencing', connector: 'a', taskCount: 3 });
  });

  test('connect-runtime 23: unknown keys are ignored, text that is not JSON is malformed', () => {
    expect(read('weather', '{}')).toMatchObject({ kind: 'ignored' });
    expect(read('connector-a', '{"properties"')).toMatchObject({ kind: 'malformed' });
    expect(read('connector-a', '[]')).toMatchObject({ kind: 'ignored' });
    expect(read('connector-a', '{"properties":[]}')).toMatchObject({ kind: 'ignored' });
    expect(read('commit-a', null)).toMatchObject({ kind: 'ignored' });
    expect(read('session-key', '{"key":"AA==","algorithm":"x"}')).toMatchObject({ kind: 'ignored' });
    expect(read('restart-connector-a', '{"include-tasks":"yes"}')).toEqual({
      kind: 'restart',
      connector: 'a',
      includeTasks: false,
      onlyFailed: false,
    });
    expect(read('logger-cluster-org.x', '{"level":"TRACE"}')).toEqual({
      kind: 'logger',
      namespace: 'org.x',
      level: 'TRACE',
    });
  });
});
