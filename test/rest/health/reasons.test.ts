/** Why a connector is not simply running: the one health model. */
import type { Failure, TaskProblem, TaskRow } from '@millrace/console';
import { actionsOf } from '../../../src/rest/health/actions';
import { reasonsOf, type HealthFacts } from '../../../src/rest/health/reasons';
import { readErrorPage } from '../../../src/logging/error-page';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const task = (changed: Partial<TaskRow> = {}): TaskRow => ({
  ...{ id: 0, state: 'RUNNING', worker: 'a:1', isWorkerGone: false, since: 1, rate: 1, thread: 1 },
  ...{ lag: { records: 0, bytes: null, seconds: 0 }, errors: 0, errorRate: 0, lastErrorAt: null },
  ...{ isConnected: true, problem: null, ...changed },
});
const failure = (changed: Partial<Failure> = {}): Failure => ({
  ...{ at: 5, task: 0, code: 'TOLERANCE_EXCEEDED', sentence: 'It failed.', hint: 'Correct it.', trace: '' },
  ...{ place: {}, ...changed },
});
const facts = (changed: Partial<HealthFacts>): HealthFacts => ({
  ...{ type: 'sink', tasks: [task()], goneWorkers: [], failures: [], deadLetterTopic: null, absence: null },
  ...{ silent: new Map(), now: NOW, ...changed },
});
const codesOf = (changed: Partial<HealthFacts>): string[] => reasonsOf(facts(changed)).map(({ code }) => code);

test('a connected task without failed records and without lag has none, and neither has one of which nothing is known', () => {
  expect(codesOf({})).toEqual([]);
  const unknown = { lag: { records: null, bytes: null, seconds: null }, errors: null, errorRate: null };
  expect(codesOf({ tasks: [task({ ...unknown, isConnected: null })] })).toEqual([]);
});

test('a disconnected task: since when, why, when it tries again, and what to do', () => {
  const problem: TaskProblem = {
    ...{ since: 7, reason: 'Nothing listens at db:5432', code: null, nextTryAt: 9 },
    kind: 'disconnected',
  };
  expect(reasonsOf(facts({ tasks: [task({ isConnected: false, problem })] }))).toEqual([
    {
      code: 'HEALTH_DISCONNECTED',
      message: 'Task 0 is disconnected: Nothing listens at db:5432.',
      cure: expect.stringMatching(/reachable again/) as string,
      ...{ since: 7, task: 0, worker: 'a:1', nextTryAt: 9, actions: [] },
    },
  ]);
  expect(codesOf({ tasks: [task({ state: 'PAUSED', isConnected: false, problem })] })).toEqual([]);
  expect(codesOf({ tasks: [task({ problem: { ...problem, kind: 'retrying' } })] })).toEqual(['HEALTH_RETRYING']);
});

test('records that were given up lately, with where to see why', () => {
  const tasks = [task({ errors: 20_054, errorRate: 12, lastErrorAt: NOW - 1_000 })];
  const [reason] = reasonsOf(facts({ tasks, deadLetterTopic: 'dlq' }));
  expect(reason).toMatchObject({
    code: 'HEALTH_FAILING_RECORDS',
    message: 'Task 0 has given up 20,054 records since it started, the last one at 2026-01-02T03:04:04.000Z.',
    cure: 'See why in the dead letters of dlq, correct the cause, and replay them.',
  });
  expect(reasonsOf(facts({ tasks }))[0]?.cure).toMatch(/in the log/);
  expect(codesOf({ tasks: [task({ errors: 5, lastErrorAt: NOW - 3_600_000 })] })).toEqual([]);
});

test('a task that falls behind', () => {
  const lag = { records: 1, bytes: null, seconds: 4_000 };
  expect(reasonsOf(facts({ tasks: [task({ lag })] }))[0]).toMatchObject({
    code: 'HEALTH_BEHIND',
    message: 'Task 0 is 4,000 seconds behind.',
  });
});

test('what is wrong with the group comes first', () => {
  const absence = { since: 3, reason: 'Kafka does not answer' };
  const silent = new Map([['a:1', 'It does not answer.']]);
  expect(codesOf({ absence, silent, goneWorkers: ['b:1'], failures: [failure()] })).toEqual([
    'HEALTH_NOT_IN_GROUP',
    'TOLERANCE_EXCEEDED',
    'HEALTH_WORKER_GONE',
    'HEALTH_WORKER_SILENT',
  ]);
  expect(reasonsOf(facts({ absence }))[0]).toMatchObject({ since: 3 });
});

test('a failure is shown with its place, and has a code even if its error has none', () => {
  const place = { topic: 'orders', partition: '0', offset: '12' };
  const [reason] = reasonsOf(facts({ failures: [failure({ place })] }));
  expect(reason).toMatchObject({
    message: 'It failed. (topic orders, partition 0, offset 12)',
    cure: 'Correct it.',
    since: 5,
  });
  expect(reason?.actions[0]).toEqual({ kind: 'skip-record', topic: 'orders', partition: 0, offset: 13 });
  expect(codesOf({ failures: [failure({ code: null }), failure({ code: null, task: null })] })).toEqual([
    'TASK_FAILED',
    'CONNECTOR_FAILED',
  ]);
});

test('the number of reasons is bounded', () => {
  const lag = { records: 1, bytes: null, seconds: 4_000 };
  expect(codesOf({ tasks: Array.from({ length: 100 }, (_, id) => task({ id, lag })) })).toHaveLength(20);
});

describe('what can be done', () => {
  const page = new Map(readErrorPage().map(({ code, cure }) => [code, cure]));
  const kinds = (
    changed: Partial<Failure>,
    type: HealthFacts['type'] = 'sink',
    hasDeadLetterTopic = false,
  ): string[] => {
    const one = failure(changed);
    const cure = page.get(one.code ?? '') ?? null;
    return actionsOf(one, { type, hasDeadLetterTopic, cure }).map(({ kind }) => kind);
  };

  test('about a record of a sink: continue after it, keep such records aside, or try again', () => {
    const place = { topic: 'orders', partition: '0', offset: '12' };
    expect(kinds({ place })).toEqual(['skip-record', 'dead-letter-queue', 'restart']);
    expect(kinds({ place }, 'sink', true)).toEqual(['skip-record', 'restart']);
    expect(kinds({ place, code: null })).toEqual(['skip-record', 'dead-letter-queue', 'restart']);
    expect(kinds({ place: { ...place, offset: 'x' }, code: null })).toEqual(['restart']);
  });

  test('about a source: it has no dead letter queue, and no offset of a topic', () => {
    expect(kinds({ place: { topic: 'orders' } }, 'source')).toEqual(['restart']);
  });

  test.each([
    ['PG_POSITION_LOST', ['reset-offsets']],
    // First the slot must be dropped, as the row says.
    ['PG_SLOT_LOST', []],
    // The setting is restored, or the publication created.
    ['PG_SLOT_LAYOUT', ['restart']],
    ['PG_PUBLICATION_MISSING', ['restart']],
  ])('about %s, what its message says besides does not matter: %j', (code, expected) => {
    const hint = 'Use snapshot.mode=when_needed, or delete the offsets.';
    expect(kinds({ code, hint }, 'source')).toEqual(expected);
    const [reason] = reasonsOf(facts({ type: 'source', failures: [failure({ code, hint })] }));
    expect(reason?.actions.map(({ kind }) => kind)).toEqual(expected);
  });
});
