/** Which workers of the group answer what, and how often they are asked. */
import { HerderError, UnreachableWorkerError } from '../../../src/cluster/errors';
import type { WorkerMember } from '../../../src/cluster/entities';
import type { ForwardedResponse, OutgoingRequest } from '../../../src/cluster/forwarding/forwarding';
import type { Herder } from '../../../src/cluster/herder';
import { GroupReports } from '../../../src/rest/reports/group-reports';
import type { WorkerReport } from '../../../src/rest/reports/worker-report';

const member = (host: string): WorkerMember => ({ id: `${host}:8083`, url: `http://${host}:8083/` });
const report = (records: number, more: Partial<WorkerReport> = {}): WorkerReport => ({
  version: '1.0.0',
  cpuSeconds: records / 100,
  startSeconds: 1,
  memoryBytes: 5,
  tasks: [{ connector: 'c', task: 0, records, rate: 1, errors: 0 }],
  ...more,
});

interface Setup {
  members?: () => Promise<readonly WorkerMember[] | null>;
  send?: (request: OutgoingRequest) => Promise<ForwardedResponse>;
}

function setup({ members, send }: Setup = {}) {
  const sent: OutgoingRequest[] = [];
  const clock = { ms: 1_000_000 };
  const counts = { own: 0 };
  const reports = new GroupReports({
    herder: () => ({ workerId: 'a:8083', members: members ?? (async () => [member('a'), member('b')]) }) as Herder,
    own: async () => report(++counts.own * 100),
    send: async (request) => {
      sent.push(request);
      return (await send?.(request)) ?? { status: 200, body: report(sent.length * 1000) };
    },
    now: () => clock.ms,
  });
  /** The next read asks again. */
  const later = (ms: number): void => {
    clock.ms += ms;
    jest.advanceTimersByTime(1_000);
  };
  return { reports, sent, clock, counts, later };
}

beforeEach(() => jest.useFakeTimers({ doNotFake: ['performance'] }));
afterEach(() => jest.useRealTimers());

test('asks the other members with the credentials of the caller, and itself without a request', async () => {
  const { reports, sent } = setup();
  const { workers, isWhole } = await reports.read('Basic x');
  expect(isWhole).toBe(true);
  expect(workers.map(({ id, isThis, state }) => [id, isThis, state])).toEqual([
    ['a:8083', true, 'answering'],
    ['b:8083', false, 'answering'],
  ]);
  expect(sent).toEqual([
    expect.objectContaining({
      url: 'http://b:8083/',
      method: 'GET',
      path: '/ui/api/worker',
      authorization: 'Basic x',
      body: null,
    }),
  ]);
});

test('consoles that ask at the same time, or within a second, cost one round', async () => {
  const { reports, sent, counts, later } = setup();
  const all = await Promise.all([reports.read(null), reports.read(null)]);
  expect(all[0]).toBe(all[1]);
  expect(await reports.read(null)).toBe(all[0]);
  expect([sent.length, counts.own]).toEqual([1, 1]);
  later(1_000);
  await reports.read(null);
  expect([sent.length, counts.own]).toEqual([2, 2]);
});

test('rates and CPU are those since the round before, unless it was long ago', async () => {
  const { reports, later } = setup();
  const figures = async (): Promise<unknown> =>
    (await reports.read(null)).workers.map(({ tasks, cpu }) => [tasks.get('c\n0')?.rate, cpu]);
  expect(await figures()).toEqual([
    [1, expect.any(Number)],
    [1, expect.any(Number)],
  ]);
  later(2_000);
  expect(await figures()).toEqual([
    [50, 0.5],
    [500, 5],
  ]);
  later(60_000);
  expect(await figures()).toEqual([
    [1, expect.any(Number)],
    [1, expect.any(Number)],
  ]);
});

test.each<[string, () => Promise<ForwardedResponse>, string, string | null]>([
  [
    'a worker that cannot be reached',
    () => Promise.reject(new UnreachableWorkerError('IO Error trying to forward REST request: connect ECONNREFUSED')),
    'silent',
    'It cannot be reached: connect ECONNREFUSED',
  ],
  [
    'a worker that does not answer in time',
    () => Promise.reject(new HerderError(500, 'IO Error trying to forward REST request: The operation was aborted')),
    'silent',
    'It does not answer.',
  ],
  [
    'a worker that is starting',
    () => Promise.reject(new HerderError(404, 'Worker is still starting up.')),
    'silent',
    'Worker is still starting up.',
  ],
  [
    'a worker that refuses the credentials',
    () => Promise.reject(new HerderError(401, 'User cannot access the resource.')),
    'silent',
    'User cannot access the resource.',
  ],
  ["Java's worker", () => Promise.reject(new HerderError(404, 'HTTP 404 Not Found')), 'other', null],
  ['something else', async () => await Promise.resolve({ status: 200, body: ['x'] }), 'other', null],
])('%s', async (_case, send, state, problem) => {
  const { reports } = setup({ send });
  const [own, other] = (await reports.read(null)).workers;
  expect(own?.state).toBe('answering');
  expect([other?.state, other?.problem, other?.report, other?.tasks.size]).toEqual([state, problem, null, 0]);
});

test('a worker that was silent answers again', async () => {
  let isSilent = true;
  const { reports, later } = setup({
    send: async () => {
      if (isSilent) throw new UnreachableWorkerError('x');
      return await Promise.resolve({ status: 200, body: report(1) });
    },
  });
  const state = async (): Promise<unknown> => (await reports.read(null)).workers[1]?.state;
  expect(await state()).toBe('silent');
  isSilent = false;
  later(2_000);
  expect(await state()).toBe('answering');
});

test('while Kafka does not answer, the known members stay; before, there may be others', async () => {
  let members: readonly WorkerMember[] | null | Error = new Error('Kafka');
  const { reports, later } = setup({
    members: () => (members instanceof Error ? Promise.reject(members) : Promise.resolve(members)),
  });
  const ids = async (): Promise<unknown> => {
    const { workers, isWhole } = await reports.read(null);
    return [workers.map(({ id }) => id), isWhole];
  };
  expect(await ids()).toEqual([['a:8083'], false]);
  members = [member('a'), member('c')];
  later(3_000);
  expect(await ids()).toEqual([['a:8083', 'c:8083'], true]);
  members = new Error('Kafka again');
  later(3_000);
  expect(await ids()).toEqual([['a:8083', 'c:8083'], true]);
});

test('values of a report that are not numbers or not possible are unknown', async () => {
  const { reports } = setup({
    send: async () =>
      await Promise.resolve({
        status: 200,
        body: {
          version: 7,
          cpuSeconds: '1',
          memoryBytes: -1,
          health: 'x'.repeat(100_000),
          tasks: [
            null,
            1,
            { connector: 'c' },
            { connector: 'c', task: 1, records: null, rate: 'fast', errors: 3, more: {} },
          ],
        },
      }),
  });
  const view = (await reports.read(null)).workers[1];
  expect([view?.report?.version, view?.report?.memoryBytes, view?.cpu]).toEqual([null, undefined, null]);
  expect(view?.report?.health).toHaveLength(2_048);
  expect([...(view?.tasks ?? [])]).toEqual([['c\n1', { connector: 'c', task: 1, errors: 3 }]]);
});
