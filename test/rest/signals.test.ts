/** `POST /connectors/{name}/signals`; the herder is a fake. */
import request from 'supertest';
import { SRC } from '../helpers/fake-plugins';
import { fakeWorker, type FakeWorker } from './fake-worker';
import { HerderError, NotHereError } from '../../src/cluster/errors';
import type { OutgoingRequest } from '../../src/cluster/forwarding/forwarding';

let worker: FakeWorker;
let signaled: jest.SpyInstance;
const api = (): ReturnType<typeof request> => request(worker.app);
const error = (code: number, message: unknown): object => ({ error_code: code, message });
const send = (body: unknown, path = '/connectors/a/signals'): request.Test =>
  api()
    .post(path)
    .send(body as object);

beforeEach(async () => {
  worker = fakeWorker({});
  signaled = jest.spyOn(worker.herder.restarts, 'signalTask');
  expect((await api().post('/connectors').send({ name: 'a', config: SRC })).status).toBe(201);
});

test('a signal goes to every task; 202 with its id', async () => {
  const data = { 'data-collections': ['public.t'], n: 1.5, yes: true, none: null };
  const answer = await send({ id: 's1', type: 'execute-snapshot', data });
  expect([answer.status, answer.body]).toEqual([202, { id: 's1' }]);
  expect(signaled.mock.calls).toEqual([['a', 0, { id: 's1', type: 'execute-snapshot', data }]]);
});

test('a missing id is generated, missing data is empty', async () => {
  const answer = await send({ type: 'pause-snapshot' });
  expect(answer.status).toBe(202);
  expect(signaled.mock.calls).toEqual([
    ['a', 0, { id: (answer.body as { id: string }).id, type: 'pause-snapshot', data: {} }],
  ]);
});

test('refused signals: document, connector, task, state, plugin', async () => {
  const answers = async (body: unknown, path?: string): Promise<unknown[]> => {
    const { status, body: got } = await send(body, path);
    return [status, got];
  };
  const deep = JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`) as object;
  expect(await answers({})).toEqual([400, error(400, 'A signal needs a "type", for example execute-snapshot')]);
  expect(await answers({ type: 't', data: deep })).toEqual([
    400,
    error(400, 'The "data" of a signal may be nested at most 32 levels deep'),
  ]);
  expect(await answers({ type: 'x'.repeat(257) })).toEqual([
    400,
    error(400, 'The "type" of a signal may have at most 256 characters'),
  ]);
  expect(await answers({ type: 't', other: 1 })).toEqual([
    500,
    error(500, expect.stringContaining('Unrecognized field "other" (class org.millrace.connect.Signal)')),
  ]);
  expect((await answers({ type: 't' }, '/connectors/b/signals'))[0]).toBe(404);
  expect(await answers({ type: 't' }, '/connectors/a/tasks/7/signals')).toEqual([404, error(404, 'Unknown task: a-7')]);
  signaled.mockRejectedValueOnce(new HerderError(400, 'no such signal'));
  expect(await answers({ type: 'refused' })).toEqual([400, error(400, 'no such signal')]);
  await api().put('/connectors/a/stop').expect(204);
  expect(await answers({ type: 't' })).toEqual([
    409,
    error(409, 'Connector a has no tasks, so it accepts no signals: resume it first'),
  ]);
  expect(signaled.mock.calls).toEqual([
    ['a', 7, expect.anything()],
    ['a', 0, expect.anything()],
  ]);
});

test('a signal for a task of another worker is forwarded to it, with its id', async () => {
  const sent: OutgoingRequest[] = [];
  worker = fakeWorker({
    forward: async (outgoing: OutgoingRequest) => {
      sent.push(outgoing);
      return { status: 202, body: { id: 's1' } };
    },
  });
  await api().post('/connectors').send({ name: 'a', config: SRC }).expect(201);
  worker.herder.restarts.signalTask = async () => {
    throw new NotHereError('http://other:8083');
  };
  const answer = await send({ id: 's1', type: 'log', data: { message: 'hi' } });
  expect([answer.status, answer.body]).toEqual([202, { id: 's1' }]);
  expect(sent.map(({ url, method, path, body }) => ({ url, method, path, body }))).toEqual([
    {
      url: 'http://other:8083',
      method: 'POST',
      path: '/connectors/a/tasks/0/signals',
      body: '{"id":"s1","type":"log","data":{"message":"hi"}}',
    },
  ]);
});
