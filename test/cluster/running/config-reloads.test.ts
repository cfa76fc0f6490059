import { ConfigReloads, Lifetime } from '../../../src/cluster/running/config-reloads';
import { RequestQueue } from '../../../src/cluster/queue/request-queue';
import { silentLogger } from '../../../src/logging/logger';

let now: number;
let queue: RequestQueue;
let restarted: string[];
let reloads: ConfigReloads;
beforeEach(() => {
  now = 0;
  queue = new RequestQueue(
    () => undefined,
    () => now,
  );
  restarted = [];
  reloads = new ConfigReloads({
    queue,
    restart: async (connector) => void restarted.push(`${connector} at ${now}`),
    logger: silentLogger,
  });
});
const lifetime = (...times: number[]): Lifetime => {
  const found = new Lifetime();
  times.forEach(found.limit);
  return found;
};
async function at(time: number): Promise<string[]> {
  now = time;
  await queue.runDue();
  return restarted;
}

test('connect-runtime 108: the connector is restarted once per time to live, the shortest of several', async () => {
  reloads.plan('c', {}, lifetime(500, 100, 300));
  expect(await at(99)).toEqual([]);
  expect(await at(100)).toEqual(['c at 100']);
  expect(await at(1_000)).toEqual(['c at 100']);
});

test('connect-runtime 108: a newer plan of the same connector replaces the older one, others stay', async () => {
  reloads.plan('c', {}, lifetime(100));
  reloads.plan('d', {}, lifetime(100));
  now = 50;
  reloads.plan('c', {}, lifetime(100));
  expect(await at(100)).toEqual(['d at 100']);
  expect(await at(150)).toEqual(['d at 100', 'c at 150']);
});

test.each([
  ['connect-runtime 108: config.action.reload=none disables it', { 'config.action.reload': ' none ' }, [100]],
  ['values that are good for ever', { 'config.action.reload': 'restart' }, []],
])('%s', async (_, config, times) => {
  reloads.plan('c', config, lifetime(...times));
  expect(queue.nextDue()).toBeNull();
});

test('a connector that was stopped meanwhile is not restarted', async () => {
  reloads.plan('c', {}, lifetime(100));
  reloads.forget('c');
  expect(await at(100)).toEqual([]);
});
