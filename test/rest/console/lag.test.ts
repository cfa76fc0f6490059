import request from 'supertest';
import { joined } from '../../../src/rest/console/lag-routes';
import { fakeWorker } from '../fake-worker';

const partition = (number: number, committed: number | null, end: number | null) => ({
  ...{ topic: 't', partition: number, committed, start: 0, end },
});
const consumed = (number: number, records: number | null) => ({
  ...{ topic: 't', partition: number, task: 1, position: 9, records, seconds: records },
});

test('the lag is what a task has not processed; without a task, what is not committed; else unknown', () => {
  const rows = joined(
    [partition(0, 5, 9), partition(1, 5, 8), partition(2, null, 7), partition(3, 9, 5), partition(4, 1, 10)],
    [consumed(0, 2), consumed(4, null)],
  );
  expect(
    rows.map(({ partition: at, task, position, records, seconds }) => [at, task, position, records, seconds]),
  ).toEqual([
    [4, 1, 9, 9, null],
    [1, null, null, 3, null],
    [0, 1, 9, 2, 2],
    [3, null, null, 0, null],
    [2, null, null, null, null],
  ]);
});

test('a worker that does not answer is named, and the most behind partitions are returned', async () => {
  const worker = fakeWorker({ forward: () => Promise.reject(new Error('away')) });
  const { herder } = worker;
  herder.entries.set('c', { config: {}, type: 'sink', target: 'STARTED', state: 'RUNNING', taskStates: ['RUNNING'] });
  herder.reads.record = (name) => ({
    ...{ name, config: {}, type: 'sink', target: 'STARTED', tasks: 1 },
    status: {
      ...{ name, type: 'sink', connector: { state: 'RUNNING', worker_id: herder.workerId } },
      tasks: [
        { id: 0, state: 'RUNNING', worker_id: herder.workerId },
        { id: 1, state: 'RUNNING', worker_id: 'other:8083' },
      ],
    },
  });
  herder.offsets.partitions = async () =>
    await Promise.resolve(Array.from({ length: 1_200 }, (_, n) => partition(n, 0, n)));
  const { body, status } = await request(worker.app).get('/ui/api/connectors/c/lag');
  expect(status).toBe(200);
  expect(body).toMatchObject({ total: 1_200, missing: ['other:8083'] });
  const { partitions } = body as { partitions: { records: number }[] };
  expect([partitions.length, partitions[0]?.records, partitions.at(-1)?.records]).toEqual([1_000, 1_199, 200]);
});
