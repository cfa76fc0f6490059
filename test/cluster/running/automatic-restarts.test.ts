/** Automatic restarts, through a whole herder: what is shown, and what ends a backoff. */
import { ConfigError } from '@millrace/sdk';
import { MemoryLogger } from '@millrace/sdk/testing';
import type { Herder } from '../../../src/cluster/herder';
import { KafkaError } from '../../../packages/kafka-client/src/errors';
import type { Logger } from '../../../src/logging/logger';
import type { RestartSettings } from '../../../src/config/worker-settings';
import { waitFor } from '../../helpers/wait-for';
import { createWorker, defaultBehavior, states, type FixtureBehavior, type TestWorker } from '../herder-fixtures';
import { MemoryKafka } from '../memory-kafka';

const source = (config: Record<string, string> = {}): Record<string, string> => ({
  name: 'c',
  'connector.class': 'org.example.TickConnector',
  'tasks.max': '2',
  ...config,
});
const SOON: RestartSettings = { max: 3, backoffMs: 1, maxBackoffMs: 60_000 };
/** Backoffs longer than any test. */
const LATE: RestartSettings = { max: 3, backoffMs: 3_600_000, maxBackoffMs: 3_600_000 };
const TASK = { connector: 'c', task: 1 };

let worker: TestWorker;
let log: MemoryLogger;
afterEach(async () => await worker.herder.stop());

async function start(restart: RestartSettings, behavior?: FixtureBehavior, kafka = new MemoryKafka()): Promise<void> {
  log = new MemoryLogger();
  const logger: Logger = Object.assign(log, { child: () => logger });
  worker = createWorker(kafka, 'g', { config: { restart }, logger, ...(behavior ? { behavior } : {}) });
  await worker.herder.start();
}
async function created(restart: RestartSettings, config: Record<string, string> = {}): Promise<void> {
  await start(restart);
  await worker.herder.writes.createConnector('c', source(config), null);
  await reaches('RUNNING RUNNING,RUNNING');
}
async function until(what: string, probe: () => unknown): Promise<void> {
  await waitFor(what, () => Boolean(probe()), { everyMs: 5, detail: () => `${now()}\n${log.lines.join('\n')}` });
}
const now = (): string => states(worker.herder, 'c');
const reaches = async (expected: string): Promise<void> => await until(`c to be ${expected}`, () => now() === expected);
const traceOf = (task: number): string => worker.herder.reads.taskStatus('c', task).trace ?? '';
const starts = (name: string): number => worker.host.log.filter((line) => line === `start ${name}`).length;

describe('a task', () => {
  test('is FAILED with its trace while it waits', async () => {
    await created(LATE);
    worker.host.fail(TASK, true);
    await reaches('RUNNING RUNNING,FAILED');
    expect(traceOf(1)).toMatch(/^java\.lang\.Exception: boom\nAutomatic restart 1 of 3 is due at \S+Z\.\n$/);
  });

  test('the time in which a call did not return is not a healthy run: the limit holds', async () => {
    await created({ max: 2, backoffMs: 1, maxBackoffMs: 1 });
    for (const attempt of [1, 2]) {
      worker.host.fail(TASK, true, 3_600_000);
      await until(`restart ${attempt}`, () => starts('c-1') === attempt + 1);
      await reaches('RUNNING RUNNING,RUNNING');
    }
    worker.host.fail(TASK, true, 3_600_000);
    await reaches('RUNNING RUNNING,FAILED');
    expect(traceOf(1)).toContain('Not restarted automatically any more, after 2 restarts');
  });

  test('runs again after its backoff; the other task is not touched', async () => {
    await created(SOON);
    worker.host.fail(TASK, true);
    await until('its restart', () => starts('c-1') === 2);
    await reaches('RUNNING RUNNING,RUNNING');
    expect(starts('c-0')).toBe(1);
    expect(worker.herder.reads.taskStatus('c', 1).trace).toBeUndefined();
  });

  test('stays FAILED once the limit is reached, with a message; a manual restart resets the count', async () => {
    await created(SOON);
    worker.host.worthRestarting = true;
    worker.host.failing.add('c-1');
    worker.host.fail(TASK, true);
    await until('the last restart', () => traceOf(1).includes('any more, after 3 restarts'));
    expect([now(), starts('c-1')]).toEqual(['RUNNING RUNNING,FAILED', 4]);
    await worker.herder.restarts.restartTask('c', 1);
    await until('the restarts of the new count', () => starts('c-1') === 8);
    await until('its end', () => traceOf(1).includes('any more, after 3 restarts'));
  });

  test('with a final error stays FAILED, at once and with the reason', async () => {
    await created(SOON);
    worker.host.fail(TASK, false);
    await until('the trace', () =>
      traceOf(1).endsWith('Not restarted automatically: remove the cause, then restart it.\n'),
    );
    // The tick runs due restarts after due requests, so the second request is answered after any restart.
    await worker.herder.health();
    await worker.herder.health();
    expect([now(), starts('c-1')]).toEqual(['RUNNING RUNNING,FAILED', 1]);
  });

  test('an automatic restart that fails ends neither the tick nor the worker', async () => {
    await created(SOON);
    const { stop } = worker.host;
    worker.host.stop = () => Promise.reject(new Error('the host is broken'));
    worker.host.fail(TASK, true);
    await until('the report', () => log.lines.includes('error Task c-1 could not be restarted automatically'));
    worker.host.stop = stop;
    await worker.herder.writes.createConnector('d', source({}), null);
    await until('another connector to run', () => starts('d-1') === 1);
  });

  test('errors.restart.max=0: Java’s behavior, trace included', async () => {
    await created({ ...SOON, max: 0 });
    worker.host.fail(TASK, true);
    await reaches('RUNNING RUNNING,FAILED');
    expect(traceOf(1)).toBe('java.lang.Exception: boom\n');
  });

  test('the connector’s own keys win', async () => {
    await created({ ...SOON, max: 0 }, { 'errors.restart.max': '1', 'errors.restart.backoff.ms': '1' });
    worker.host.fail(TASK, true);
    await until('its restart', () => starts('c-1') === 2);
    await reaches('RUNNING RUNNING,RUNNING');
    worker.host.fail(TASK, true);
    await until('the limit', () => traceOf(1).includes('after 1 restarts'));
  });

  test('connect-rest §6.4: a task that FAILED while the connector is paused stays FAILED, and restarts on resume', async () => {
    await created(SOON);
    await worker.herder.writes.setTargetState('c', 'PAUSED');
    await reaches('PAUSED PAUSED,PAUSED');
    worker.host.fail(TASK, true);
    await until('the wait to be over', () =>
      log.lines.includes('info Task c-1 is restarted when its connector is resumed'),
    );
    await reaches('PAUSED PAUSED,FAILED');
    expect(starts('c-1')).toBe(1);
    await worker.herder.writes.setTargetState('c', 'STARTED');
    await reaches('RUNNING RUNNING,RUNNING');
    expect(starts('c-1')).toBe(2);
  });

  test.each([
    ['a restart by hand', (herder: Herder) => herder.restarts.restartTask('c', 1), 'RUNNING RUNNING,RUNNING'],
    [
      'another configuration',
      (herder: Herder) => herder.writes.putConnectorConfig('c', source({ value: 'v2' })),
      'RUNNING RUNNING,RUNNING',
    ],
    ['a stop', (herder: Herder) => herder.writes.stopConnector('c'), 'STOPPED'],
    ['a deletion', (herder: Herder) => herder.writes.deleteConnector('c'), ''],
  ] as const)('%s ends the backoff', async (_, act, expected) => {
    await created(LATE);
    worker.host.fail(TASK, true);
    await reaches('RUNNING RUNNING,FAILED');
    await act(worker.herder);
    await reaches(expected);
    if (expected === '') return;
    if (expected === 'STOPPED') await worker.herder.writes.setTargetState('c', 'STARTED');
    await reaches('RUNNING RUNNING,RUNNING');
    // A new count: the first restart of it is to come.
    worker.host.fail(TASK, true);
    await until('the next failure', () => traceOf(1).includes('Automatic restart 1 of 3'));
  });

  test('a rebalance that moves it starts it at once; a task that stays keeps waiting', async () => {
    const kafka = new MemoryKafka();
    await start(LATE, undefined, kafka);
    await worker.herder.writes.createConnector('c', source(), null);
    await reaches('RUNNING RUNNING,RUNNING');
    for (const task of [0, 1]) worker.host.fail({ connector: 'c', task }, true);
    await reaches('RUNNING FAILED,FAILED');
    const traces = [0, 1].map(traceOf);
    const other = createWorker(kafka, 'g', { config: { restart: LATE }, url: 'http://w2:8083/' });
    try {
      await other.herder.start();
      await until('one of them to move', () => other.host.running.size === 1);
      const [moved = ''] = other.host.running.keys();
      await reaches(moved === 'c-0' ? 'RUNNING RUNNING,FAILED' : 'RUNNING FAILED,RUNNING');
      const stayed = moved === 'c-0' ? 1 : 0;
      expect(traceOf(stayed)).toBe(traces[stayed]);
      expect(starts(`c-${stayed}`)).toBe(1);
    } finally {
      await other.herder.stop();
    }
  });

  test('a worker that stops does not wait for restarts, and leaves the status unchanged', async () => {
    await created(LATE);
    worker.host.fail(TASK, true);
    await reaches('RUNNING RUNNING,FAILED');
    await worker.herder.stop();
    expect(worker.host.log.filter((line) => line.endsWith('c-1'))).toEqual(['start c-1', 'stop c-1']);
  });
});

describe('a connector instance', () => {
  test('that could not start is retried until it starts; its tasks follow', async () => {
    const behavior = defaultBehavior();
    let tries = 0;
    behavior.start = () => {
      if (++tries < 3) throw new Error('the server is away');
    };
    await start(SOON, behavior);
    await worker.herder.writes.createConnector('c', source(), null);
    await reaches('RUNNING RUNNING,RUNNING');
    expect(tries).toBe(3);
    expect(log.lines.filter((line) => line.startsWith('warn Connector c has failed.'))).toHaveLength(2);
  });

  test.each([
    ['a bad configuration', new ConfigError('no such table', { code: 'X' })],
    ['a refused login', new KafkaError('SASL_AUTHENTICATION_FAILED', 'refused')],
  ])('with %s stays FAILED until it is changed', async (_, error) => {
    const behavior = defaultBehavior();
    behavior.start = ({ value }) => {
      if (value !== 'good') throw error;
    };
    await start(SOON, behavior);
    await worker.herder.writes.createConnector('c', source(), null);
    await reaches('FAILED');
    expect(worker.herder.reads.connectorStatus('c').connector.trace).toContain('Not restarted automatically');
    await worker.herder.writes.putConnectorConfig('c', source({ value: 'good' }));
    await reaches('RUNNING RUNNING,RUNNING');
  });

  test('connect-rest §6.5: stopped during its backoff, it becomes STOPPED; started again it has a new count', async () => {
    const behavior = defaultBehavior();
    let fails = true;
    behavior.start = () => {
      if (fails) throw new Error('not now');
    };
    await start(LATE, behavior);
    await worker.herder.writes.createConnector('c', source(), null);
    await reaches('FAILED');
    await worker.herder.writes.stopConnector('c');
    await reaches('STOPPED');
    fails = false;
    await worker.herder.writes.setTargetState('c', 'STARTED');
    await reaches('RUNNING RUNNING,RUNNING');
  });
});
