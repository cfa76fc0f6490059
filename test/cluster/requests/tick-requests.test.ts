import { ConnectError } from '@millrace/sdk';
import { NotHereError } from '../../../src/cluster/errors';
import { RequestQueue } from '../../../src/cluster/queue/request-queue';
import { REQUEST_TIMEOUT_MS, TickRequests } from '../../../src/cluster/requests/tick-requests';
import { TickStage } from '../../../src/cluster/queue/tick-stage';
import { KafkaError } from '../../../packages/kafka-client/src/errors';

const leadership = { isLeader: true, leaderUrl: 'http://w1:8083/' as string | null, needsJoin: true };
const REBALANCE_WAIT_MS = 20;
const configs = { offset: 7, end: 7 };
let wasSuspended: boolean;
let queue: RequestQueue;
let requests: TickRequests;
beforeEach(() => {
  Object.assign(leadership, { isLeader: true, leaderUrl: 'http://w1:8083/', needsJoin: true });
  queue = new RequestQueue(() => undefined);
  wasSuspended = false;
  Object.assign(configs, { offset: 7, end: 7 });
  requests = new TickRequests({
    queue,
    stage: new TickStage(),
    leadership,
    configs: { snapshot: () => configs, readToEnd: async () => void (configs.offset = configs.end) },
    detectSuspension: () => ({
      get wasSuspended() {
        return wasSuspended;
      },
      end: () => undefined,
    }),
    rebalanceWaitMs: REBALANCE_WAIT_MS,
  });
});
const neverRun = async (): Promise<never> => {
  throw new Error('it was run');
};

test('a health check of a worker that serves no requests leaves none in the queue', async () => {
  expect(await queue.isServed(1)).toBe(false);
  expect(queue.nextDue()).toBeNull();
  const served = queue.isServed(60_000);
  await queue.runDue();
  expect(await served).toBe(true);
});

test('connect-rest 162: a request that a rebalance outlasts is rejected, and not run when the rebalance is over', async () => {
  await expect(requests.run('writing', neverRun)).rejects.toMatchObject({
    status: 409,
    message: 'Cannot complete request because of a conflicting operation (e.g. worker rebalance)',
  });
  expect(queue.nextDue()).toBeNull();
  await queue.runDue();
});

test('connect-rest 162: the error states when no leader is known', async () => {
  leadership.leaderUrl = null;
  await expect(requests.run('writing', neverRun)).rejects.toMatchObject({
    status: 409,
    message: 'Cannot complete request momentarily due to no known leader URL, likely because a rebalance was underway.',
  });
});

test('connect-rest 162: a rebalance that ends in time is not visible', async () => {
  const answer = requests.run('writing', async () => 'written');
  await queue.runDue();
  expect(await answer).toBe('written');
});

test('a request that has started is never withdrawn', async () => {
  let finish: (text: string) => void = () => undefined;
  const answer = requests.run('writing', async () => await new Promise<string>((resolve) => (finish = resolve)));
  const run = queue.runDue();
  await new Promise((resolve) => setTimeout(resolve, 2 * REBALANCE_WAIT_MS));
  finish('written');
  await run;
  expect(await answer).toBe('written');
});

test('without a rebalance a request waits for a busy tick', async () => {
  leadership.needsJoin = false;
  const answer = requests.run('writing', async () => 'written');
  await new Promise((resolve) => setTimeout(resolve, 2 * REBALANCE_WAIT_MS));
  await queue.runDue();
  expect(await answer).toBe('written');
});

test('a request that belongs to another worker can detect when that changes', async () => {
  Object.assign(leadership, { isLeader: false, needsJoin: false });
  const answer = requests.runAsLeader('writing', neverRun).catch((error: unknown) => error);
  await queue.runDue();
  const elsewhere = (await answer) as NotHereError;
  expect(elsewhere).toBeInstanceOf(NotHereError);
  expect([elsewhere.url, elsewhere.isMomentary, elsewhere.isOutdated]).toEqual(['http://w1:8083/', true, false]);
  leadership.leaderUrl = 'http://w2:8083/';
  expect(elsewhere.isOutdated).toBe(true);
  Object.assign(leadership, { isLeader: true, leaderUrl: 'http://w1:8083/' });
  expect(elsewhere.isOutdated).toBe(true);
});

test('connect-rest §2.6: a request whose client already got a timeout is not run', async () => {
  jest.useFakeTimers();
  try {
    leadership.needsJoin = false;
    const refused = expect(requests.run('writing', neverRun)).rejects.toMatchObject({ status: 500 });
    await jest.advanceTimersByTimeAsync(REQUEST_TIMEOUT_MS);
    await refused;
    expect(queue.nextDue()).toBeNull();
  } finally {
    jest.useRealTimers();
  }
});

describe('a change that its leader did not write before it lost its membership', () => {
  const overtaken = (code: string, cause: unknown = new KafkaError('SESSION_LOST', 'lost')): ConnectError =>
    new ConnectError('Error writing', { code, cause });
  /** Fails with these, one after another. */
  const failing = (errors: ConnectError[]) => async (): Promise<string> => {
    const error = errors.shift();
    if (error) throw error;
    return 'written';
  };
  /** Its result after this many rounds of the tick. */
  async function outcome(run: () => Promise<string>, between = (): void => undefined): Promise<unknown> {
    leadership.needsJoin = false;
    const answer = requests.runAsLeader('writing', run).catch((error: unknown) => error);
    await queue.runDue();
    between();
    for (let step = 0; step < 10; step++) await null;
    await queue.runDue();
    return await answer;
  }

  test('is decided again', async () => {
    expect(await outcome(failing([overtaken('CONFIG_WRITE_DROPPED')]))).toBe('written');
  });

  test('goes to the new leader', async () => {
    const run = failing([overtaken('CONFIG_WRITE_DROPPED')]);
    const answer = await outcome(run, () => (leadership.isLeader = false));
    expect(answer).toBeInstanceOf(NotHereError);
  });

  test('is not written by a process that was suspended', async () => {
    const error = overtaken('CONFIG_WRITE_DROPPED');
    wasSuspended = true;
    expect(await outcome(failing([error]))).toBe(error);
  });

  test('with an unknown outcome, is decided again if no worker has written since', async () => {
    expect(await outcome(failing([overtaken('CONFIG_WRITE_IN_DOUBT')]))).toBe('written');
    const error = overtaken('CONFIG_WRITE_IN_DOUBT');
    expect(await outcome(failing([error]), () => configs.end++)).toBe(error);
  });

  test('with an unknown outcome, is left to the client if another worker leads by then', async () => {
    const error = overtaken('CONFIG_WRITE_IN_DOUBT');
    expect(await outcome(failing([error]), () => (leadership.isLeader = false))).toBe(error);
  });

  test('that Kafka did not accept in time is not decided again', async () => {
    const error = overtaken('CONFIG_WRITE_IN_DOUBT', new Error('no answer within 30000 ms'));
    expect(await outcome(failing([error]))).toBe(error);
  });
});
