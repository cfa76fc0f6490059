import { NotHereError } from '../../src/cluster/errors';
import { RequestQueue } from '../../src/cluster/request-queue';
import { TickRequests } from '../../src/cluster/tick-requests';
import { TickStage } from '../../src/cluster/tick-stage';

const leadership = { isLeader: true, leaderUrl: 'http://w1:8083/' as string | null, needsJoin: true };
const PATIENCE_MS = 20;
let queue: RequestQueue;
let requests: TickRequests;
beforeEach(() => {
  Object.assign(leadership, { isLeader: true, leaderUrl: 'http://w1:8083/', needsJoin: true });
  queue = new RequestQueue(() => undefined);
  requests = new TickRequests(queue, new TickStage(), leadership, PATIENCE_MS);
});
const neverRun = async (): Promise<never> => {
  throw new Error('it was run');
};

test('connect-rest 162: a request that a rebalance outlasts is refused, and not run when the rebalance is over', async () => {
  await expect(requests.run('writing', neverRun)).rejects.toMatchObject({
    status: 409,
    message: 'Cannot complete request because of a conflicting operation (e.g. worker rebalance)',
  });
  expect(queue.nextDue()).toBeNull();
  await queue.runDue();
});

test('connect-rest 162: the text says so when no leader is known', async () => {
  leadership.leaderUrl = null;
  await expect(requests.run('writing', neverRun)).rejects.toMatchObject({
    status: 409,
    message: 'Cannot complete request momentarily due to no known leader URL, likely because a rebalance was underway.',
  });
});

test('connect-rest 162: a rebalance that is over in time is not noticed', async () => {
  const answer = requests.run('writing', async () => 'written');
  await queue.runDue();
  expect(await answer).toBe('written');
});

test('a request that has begun is never taken back', async () => {
  let finish: (text: string) => void = () => undefined;
  const answer = requests.run('writing', async () => await new Promise<string>((resolve) => (finish = resolve)));
  const run = queue.runDue();
  await new Promise((resolve) => setTimeout(resolve, 2 * PATIENCE_MS));
  finish('written');
  await run;
  expect(await answer).toBe('written');
});

test('without a rebalance a busy tick is waited for', async () => {
  leadership.needsJoin = false;
  const answer = requests.run('writing', async () => 'written');
  await new Promise((resolve) => setTimeout(resolve, 2 * PATIENCE_MS));
  await queue.runDue();
  expect(await answer).toBe('written');
});

test('whoever has to go elsewhere can tell when that has changed', async () => {
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
