/** What the worker gets to know of a task's connection and of its calls that are repeated. */
import { ConnectError, RetriableError } from '@millrace/sdk';
import { addProvidedValue } from '@millrace/texts/redaction';
import type { TaskCondition } from '../../src/metrics/task-condition';
import { ReportedCondition } from '../../src/tasks/reported-condition';

let time = 1_000;
const reported: TaskCondition[] = [];
const condition = (): ReportedCondition =>
  new ReportedCondition({ connector: 'orders', report: (one) => reported.push(one), now: () => time });
const settled = (): TaskCondition | undefined => {
  jest.advanceTimersByTime(1_000);
  return reported.at(-1);
};

beforeEach(() => {
  jest.useFakeTimers();
  time = 1_000;
  reported.length = 0;
});
afterEach(() => jest.useRealTimers());

test('a connection keeps the begin of its first failure, and the reason of the last one', () => {
  const { connection } = condition();
  connection.up();
  expect(settled()).toEqual({ isConnected: true, problem: null });
  connection.down({ reason: 'The server closed the connection.', code: 'PG_CONNECTION_LOST', nextTryAt: 1_500 });
  expect(settled()).toEqual({
    isConnected: false,
    problem: {
      kind: 'disconnected',
      since: 1_000,
      reason: 'The server closed the connection.',
      code: 'PG_CONNECTION_LOST',
      nextTryAt: 1_500,
    },
  });
  time = 2_000;
  connection.down({ reason: 'Nothing listens at db:5432.' });
  expect(settled()?.problem).toMatchObject({ since: 1_000, reason: 'Nothing listens at db:5432.', nextTryAt: null });
  connection.up();
  expect(settled()).toEqual({ isConnected: true, problem: null });
});

test('repeated calls are reported until one succeeds; the plugin knows better why', () => {
  const one = condition();
  one.retrying(new RetriableError('The disk is full.', { code: 'SINK_DISK_FULL' }));
  expect(settled()).toMatchObject({
    isConnected: null,
    problem: { kind: 'retrying', reason: 'The disk is full.', code: 'SINK_DISK_FULL' },
  });
  one.connection.down({ reason: 'No route to host.' });
  expect(settled()?.problem).toMatchObject({ kind: 'disconnected', reason: 'No route to host.' });
  one.connection.up();
  expect(settled()?.problem).toMatchObject({ kind: 'retrying' });
  one.succeeded();
  expect(settled()).toEqual({ isConnected: true, problem: null });
});

test('what changes back at once is not reported, nor anything after the end', () => {
  const one = condition();
  one.retrying(new Error('once'));
  one.succeeded();
  settled();
  expect(reported).toEqual([]);
  one.connection.up();
  one.end();
  settled();
  one.connection.down({ reason: 'late' });
  settled();
  expect(reported).toEqual([]);
});

test('secrets do not get into reasons', () => {
  addProvidedValue('hunter2-provided', '${file:/secrets:password}', 'orders');
  condition().connection.down({ reason: 'login with password=abc and hunter2-provided failed' });
  const reason = settled()?.problem?.reason;
  expect(reason).not.toMatch(/abc|hunter2/);
  expect(reason).toMatch(/^login with/);
});

test('a connection that is lost and found in turns costs a report for each time span, not for each call', () => {
  const one = condition();
  for (let i = 0; i < 1_000; i++) {
    one.connection.down({ reason: `attempt ${i}` });
    one.retrying(new ConnectError(`attempt ${i}`));
  }
  settled();
  expect(reported).toHaveLength(1);
});
