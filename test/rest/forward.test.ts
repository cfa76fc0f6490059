import { ConnectError } from '@millrace/sdk';
import request from 'supertest';
import { HerderError, NotHereError } from '../../src/cluster/errors';
import type { OutgoingRequest } from '../../src/cluster/forwarding/forwarding';
import { SRC } from '../helpers/fake-plugins';
import { fakeWorker, type FakeWorker } from './fake-worker';

let sent: OutgoingRequest[];
let reply: () => Promise<{ status: number; body: unknown }>;
let worker: FakeWorker;
beforeEach(() => {
  sent = [];
  reply = () => Promise.resolve({ status: 204, body: null });
  worker = fakeWorker({
    forward: (outgoing) => {
      sent.push(outgoing);
      return reply();
    },
  });
});
const elsewhere = (url: string | null = 'http://leader:8083/'): void => {
  worker.herder.elsewhere = new NotHereError(url);
};
const api = (): ReturnType<typeof request> => request(worker.app);

test('connect-rest 154, 157: a create is forwarded and answered with this worker’s Location', async () => {
  elsewhere();
  const info = { name: 'a b', config: { ...SRC, name: 'a b' }, tasks: [], type: 'source' };
  reply = () => Promise.resolve({ status: 201, body: info });
  const answer = await api()
    .post('/connectors')
    .set('Host', 'follower:1')
    .set('Authorization', 'Basic x')
    .send({ name: ' a b ', config: SRC, initial_state: 'stopped' });
  expect([answer.status, answer.headers.location]).toEqual([201, 'http://follower:1/connectors/a%20b']);
  expect(answer.body).toEqual(info);
  expect(sent).toEqual([
    {
      url: 'http://leader:8083/',
      method: 'POST',
      path: '/connectors',
      query: {},
      body: JSON.stringify({ name: 'a b', config: { ...SRC, name: 'a b' }, initial_state: 'STOPPED' }),
      authorization: 'Basic x',
      headers: {},
      forward: true,
    },
  ]);
});

test('connect-rest 154: other requests pass the answer through', async () => {
  for (const [method, path] of [
    ['delete', '/connectors/a'],
    ['put', '/connectors/a/stop'],
    ['post', '/connectors/a/restart'],
    ['post', '/connectors/a/tasks/0/restart'],
  ] as const) {
    elsewhere();
    expect((await api()[method](path)).status).toBe(204);
    expect(sent.at(-1)).toMatchObject({ method: method.toUpperCase(), path, body: null, authorization: null });
  }
  elsewhere();
  reply = () => Promise.resolve({ status: 202, body: { name: 'a' } });
  const restart = await api().post('/connectors/a/restart?includeTasks=TRUE&x=y');
  expect([restart.status, restart.body]).toEqual([202, { name: 'a' }]);
  expect(sent.at(-1)?.query).toEqual({ includeTasks: 'true', onlyFailed: 'false' });
});

test('connect-rest 154: changes of another worker are read before the response', async () => {
  const order: string[] = [];
  worker.herder.readBack = async () => {
    order.push('read');
    await Promise.resolve();
  };
  for (const [method, path] of [
    ['post', '/connectors/a/tasks/0/restart'],
    ['delete', '/connectors/a'],
  ] as const) {
    elsewhere();
    reply = async () => {
      order.push(method);
      return await Promise.resolve({ status: 204, body: null });
    };
    expect((await api()[method](path)).status).toBe(204);
  }
  elsewhere();
  reply = () => Promise.reject(new HerderError(500, 'Failed to start connector: a'));
  expect((await api().post('/connectors/a/restart')).status).toBe(500);
  elsewhere();
  reply = () => Promise.reject(new HerderError(404, 'Unknown connector: a'));
  expect((await api().post('/connectors/a/restart')).status).toBe(404);
  expect(order).toEqual(['post', 'read', 'delete', 'read', 'read']);
});

test('connect-rest 156, §0.7: the number of hops is limited', async () => {
  elsewhere();
  const refused = await api().delete('/connectors/a?forward=false');
  expect(refused.body).toEqual({
    error_code: 409,
    message: 'Cannot complete request because of a conflicting operation (e.g. worker rebalance)',
  });
  elsewhere();
  await api().delete('/connectors/a?forward=true');
  expect(sent.map(({ forward }) => forward)).toEqual([false]);
});

test('connect-rest §2.5: no leader known', async () => {
  elsewhere(null);
  const answer = await api().put('/connectors/a/stop');
  expect([answer.status, answer.headers['retry-after'], (answer.body as { message: string }).message]).toEqual([
    409,
    '1',
    'Cannot complete request momentarily due to no known leader URL, likely because a rebalance was underway.',
  ]);
});

test('connect-rest §2.5: a change that was decided but not written: the error asks for a retry; an unknown outcome is reported as such', async () => {
  const answers = [];
  for (const code of ['CONFIG_WRITE_DROPPED', 'CONFIG_WRITE_IN_DOUBT']) {
    worker.herder.writes.stopConnector = () => Promise.reject(new ConnectError('Error writing target state', { code }));
    const answer = await api().put('/connectors/a/stop');
    answers.push([answer.status, answer.headers['retry-after'], (answer.body as { message: string }).message]);
  }
  expect(answers).toEqual([
    [409, '1', 'Cannot complete request because of a conflicting operation (e.g. worker rebalance)'],
    [500, undefined, 'Error writing target state'],
  ]);
});
