/** The last hour, as the charts show it: of this worker and of the others, whose clocks and versions may differ. */
import request from 'supertest';
import type { ConnectorHistory, Overview, WorkersHistory } from '@millrace/console';
import { STEP_MS, STEPS } from '../../../../src/rest/console/history/sample-history';
import { SRC } from '../../../helpers/fake-plugins';
import { fakeWorker, type FakeWorkerOptions } from '../../fake-worker';

const END = 1_700_000_000_000;
const OTHER = 'other:8083';
const last = (values: readonly unknown[] = [], count = 3): unknown[] => values.slice(-count);

async function worker(answers: Readonly<Record<string, unknown>> = {}) {
  const asked: string[] = [];
  const forward: FakeWorkerOptions['forward'] = async ({ path }) => {
    asked.push(path);
    if (path === '/ui/api/worker') return await Promise.resolve({ status: 200, body: { version: '1', tasks: [] } });
    if (!(path in answers)) throw new Error('HTTP 404 Not Found');
    return { status: 200, body: answers[path] };
  };
  const found = fakeWorker({ forward });
  await found.herder.writes.createConnector('a', { ...SRC, name: 'a' }, null);
  found.herder.group = [
    { url: 'http://127.0.0.1:8083/', id: '127.0.0.1:8083' },
    { url: `http://${OTHER}/`, id: OTHER },
  ];
  return { ...found, asked };
}

const get = async (app: Parameters<typeof request>[0], path: string): Promise<unknown> => {
  const answer = await request(app).get(path);
  expect(answer.status).toBe(200);
  return answer.body as unknown;
};

test('the process of each worker; one without an answer is missing, and its clock may be ahead', async () => {
  const { app, history } = await worker({
    '/ui/api/worker-history': {
      end: END + STEP_MS,
      stepMs: STEP_MS,
      measures: { memoryBytes: [1, 2, 3, 4], cpu: ['x', -1, 0.5], odd: 7 },
    },
  });
  history.sample(END - STEP_MS, 0);
  history.sample(END, STEP_MS);
  const found = (await get(app, '/ui/api/workers/history')) as WorkersHistory;
  const [own, other] = found.workers;
  expect([found.end, found.stepMs, found.missing]).toEqual([END, STEP_MS, []]);
  expect([own?.id, own?.memoryBytes.length]).toEqual(['127.0.0.1:8083', STEPS]);
  expect(last(own?.memoryBytes)).toEqual([null, expect.any(Number), expect.any(Number)]);
  expect(last(own?.cpu)).toEqual([null, null, expect.any(Number)]);
  // Its newest number is of a step that this worker has not reached.
  expect(last(other?.memoryBytes, 4)).toEqual([null, 1, 2, 3]);
  expect(last(other?.cpu, 4)).toEqual([null, null, null, null]);
});

test('a connector: rates of several workers add up, of lags the largest is shown', async () => {
  const { app, history } = await worker({
    '/ui/api/worker-history/a': {
      end: END,
      stepMs: STEP_MS,
      measures: { rate: [5, null, 7], lagBytes: [1, 1, 1] },
    },
  });
  history.sample(END, 0);
  const found = (await get(app, '/ui/api/connectors/a/history')) as ConnectorHistory;
  expect(last(found.measures.rate)).toEqual([5, null, 7]);
  expect(last(found.measures.lagBytes)).toEqual([1, 1, 1]);
  expect(found.measures.errorRate).toEqual(Array.from({ length: STEPS }, () => null));
  expect([found.figures, found.missing]).toEqual([[], []]);
  expect((await request(app).get('/ui/api/connectors/none/history')).status).toBe(404);
});

test('workers that answer nothing, or something else, are missing or unknown', async () => {
  const silent = await worker();
  expect(((await get(silent.app, '/ui/api/connectors/a/history')) as ConnectorHistory).missing).toEqual([OTHER]);
  const odd = await worker({ '/ui/api/worker-history': { end: 'now', stepMs: 1, measures: [] } });
  expect(((await get(odd.app, '/ui/api/workers/history')) as WorkersHistory).workers).toHaveLength(1);
});

test('the list has the rates of the last minutes, of all workers', async () => {
  const { app, history, asked } = await worker({
    '/ui/api/worker-rates': { end: END, rates: { a: [3, 4], odd: 'x' } },
  });
  history.sample(END, 0);
  const plain = (await get(app, '/ui/api/overview')) as Overview;
  expect([plain.history, asked.filter((path) => path.includes('rates'))]).toEqual([[], []]);
  const { history: rates, historyStepMs } = (await get(app, '/ui/api/overview?history=true')) as Overview;
  expect(historyStepMs).toBe(STEP_MS);
  expect(rates.map(({ connector, rates: known }) => [connector, known.length, last(known)])).toEqual([
    ['a', 30, [null, 3, 4]],
  ]);
});

test('between workers: the process, the rates, a connector; nothing before the worker has started', async () => {
  const { app, history } = await worker();
  history.sample(END, 0);
  expect(await get(app, '/ui/api/worker-rates')).toEqual({ end: END, rates: {} });
  expect(await get(app, '/ui/api/worker-history/a')).toEqual({ end: END, stepMs: STEP_MS, measures: {} });
  const process = (await get(app, '/ui/api/worker-history')) as { measures: Record<string, number[]> };
  expect(last(process.measures['memoryBytes'], 1)).toEqual([expect.any(Number)]);
  const starting = fakeWorker({ starting: true });
  starting.history.sample(END, 0);
  expect((await request(starting.app).get('/ui/api/worker-history')).status).toBe(404);
});

test('the newest values are of a step that the other workers have sampled, too', async () => {
  const now = jest.spyOn(Date, 'now');
  try {
    const { app, history } = await worker();
    history.sample(END, 0);
    history.sample(END + STEP_MS, STEP_MS);
    // A timer that fires twice is too soon for a rate.
    history.sample(END + 2 * STEP_MS, STEP_MS + 1);
    now.mockReturnValue(END + STEP_MS + 1_500);
    expect(((await get(app, '/ui/api/workers/history')) as WorkersHistory).end).toBe(END);
    now.mockReturnValue(END + STEP_MS + 3_500);
    expect(((await get(app, '/ui/api/workers/history')) as WorkersHistory).end).toBe(END + STEP_MS);
  } finally {
    now.mockRestore();
  }
});

test('the timer that samples ends with the worker', () => {
  jest.useFakeTimers({ now: END + 3_000 });
  try {
    const { history, herder } = fakeWorker();
    const figures = jest.spyOn(herder, 'figures');
    history.start();
    jest.advanceTimersByTime(STEP_MS - 2_001);
    expect(figures).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1 + 2 * STEP_MS);
    expect(figures).toHaveBeenCalledTimes(3);
    history.stop();
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});
