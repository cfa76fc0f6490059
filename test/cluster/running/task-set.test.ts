import { TaskSet, type TaskSetOptions } from '../../../src/cluster/running/task-set';
import { silentLogger } from '../../../src/logging/logger';
import { ConfigSnapshot } from '../../../src/storage/config/config-snapshot';

afterEach(() => jest.restoreAllMocks());

test('a wall clock set forward while tasks stop does not cut their graceful stop short', async () => {
  const id = { connector: 'c', task: 0 };
  const given: number[] = [];
  const set = new TaskSet({
    stopTimeoutMs: 5_000,
    lease: () => new SharedArrayBuffer(16),
    host: {
      stop: (_ids: unknown, timeoutMs: number) => {
        given.push(timeoutMs);
        return Promise.resolve([]);
      },
    },
    reporter: { taskFailed: () => undefined },
    onStop: () => wall.mockReturnValue(wallAt + 3_600_000),
    logger: silentLogger,
  } as unknown as TaskSetOptions);
  await set.start(id, ConfigSnapshot.EMPTY).catch(() => undefined);
  expect(set.has(id)).toBe(true);
  const wallAt = Date.now();
  const wall = jest.spyOn(Date, 'now').mockReturnValue(wallAt);
  jest.spyOn(performance, 'now').mockReturnValue(1_000);
  await set.stop([id]);
  expect(given).toEqual([5_000]);
});
