/** What of `/connectors/{name}/offsets` no connector shows: types of numbers, and what a follower forwards. */
import request from 'supertest';
import { Float64 } from '../../src/cluster/connector-offsets';
import { NotHereError } from '../../src/cluster/errors';
import type { OutgoingRequest } from '../../src/cluster/forwarding/forwarding';
import { SRC } from '../helpers/fake-plugins';
import { fakeWorker, type FakeWorker, type FakeWorkerOptions } from './fake-worker';

let worker: FakeWorker;
const api = (): ReturnType<typeof request> => request(worker.app);
async function start(options: FakeWorkerOptions = {}): Promise<void> {
  worker = fakeWorker(options);
  expect((await api().post('/connectors').send({ name: 'a', config: SRC })).status).toBe(201);
}
const patch = (path: string, body: string): request.Test =>
  api().patch(path).set('Content-Type', 'application/json').send(body);
const alter = (body: string): request.Test => patch('/connectors/a/offsets', body);
beforeEach(async () => await start());

describe('offsets', () => {
  test('connect-rest 105: numbers keep their type, in requests and answers', async () => {
    const altered = jest.spyOn(worker.herder.offsets, 'alter');
    const answer = await alter(
      '{"offsets":[{"partition":{"f":"é😀","one":1,"float":1.0},"offset":{"big":9007199254740993,"e":1e25,"half":0.5,"yes":true,"no":null}}]}',
    );
    expect([answer.status, answer.text]).toEqual([
      200,
      '{"message":"The offsets for this connector have been altered successfully"}',
    ]);
    const offsets = altered.mock.lastCall?.[1] ?? [];
    expect(offsets).toEqual([
      {
        partition: { f: 'é😀', one: 1, float: new Float64(1) },
        offset: { big: 9007199254740993n, e: new Float64(1e25), half: 0.5, yes: true, no: null },
      },
    ]);
    worker.herder.offsets.list = async () => await Promise.resolve(offsets);
    expect((await api().get('/connectors/a/offsets')).text).toBe(
      '{"offsets":[{"partition":{"f":"é\\uD83D\\uDE00","one":1,"float":1.0},"offset":{"big":9007199254740993,"e":1.0E25,"half":0.5,"yes":true,"no":null}}]}',
    );
  });

  test('connect-rest 106, R10: null and absent partitions and offsets', async () => {
    const altered = jest.spyOn(worker.herder.offsets, 'alter');
    await alter('{"offsets":[{"partition":{"f":"x"}},{"partition":null,"offset":null},{}]}').expect(200);
    expect(altered.mock.lastCall?.[1]).toEqual([
      { partition: { f: 'x' }, offset: null },
      { partition: null, offset: null },
      { partition: null, offset: null },
    ]);
  });
});

test('connect-rest 154: changes through a follower keep their body', async () => {
  const sent: OutgoingRequest[] = [];
  await start({
    forward: (outgoing) => {
      sent.push(outgoing);
      return Promise.resolve({ status: 200, body: { message: 'by the leader' } });
    },
  });
  const elsewhere = (): Error => new NotHereError('http://leader:8083/');
  worker.herder.elsewhere = elsewhere();
  expect((await alter('{"offsets":[{"partition":{"f":1.0},"offset":{"n":9007199254740993}}]}')).text).toBe(
    '{"message":"by the leader"}',
  );
  worker.herder.elsewhere = elsewhere();
  await api().delete('/connectors/a/offsets').expect(200);
  worker.herder.elsewhere = elsewhere();
  await patch('/connectors/a/config', '{"topic":"t3","k":null}').expect(200);
  expect(sent.map(({ method, path, body }) => [method, path, body])).toEqual([
    ['PATCH', '/connectors/a/offsets', '{"offsets":[{"partition":{"f":1.0},"offset":{"n":9007199254740993}}]}'],
    ['DELETE', '/connectors/a/offsets', null],
    ['PATCH', '/connectors/a/config', '{"topic":"t3","k":null}'],
  ]);
});
