/** Bodies and answers of `/connectors/{name}/offsets`, `/topics` and `PATCH config`; the herder is a fake. */
import request from 'supertest';
import { Float64 } from '../../src/cluster/connector-offsets';
import { NotHereError } from '../../src/cluster/errors';
import type { OutgoingRequest } from '../../src/cluster/forwarding/forwarding';
import { fakeWorker, SRC, type FakeWorker, type FakeWorkerOptions } from './fake-worker';

let worker: FakeWorker;
const api = (): ReturnType<typeof request> => request(worker.app);
async function start(options: FakeWorkerOptions = {}): Promise<void> {
  worker = fakeWorker(options);
  expect((await api().post('/connectors').send({ name: 'a', config: SRC })).status).toBe(201);
}
const patch = (path: string, body: string): request.Test =>
  api().patch(path).set('Content-Type', 'application/json').send(body);
const alter = (body: string): request.Test => patch('/connectors/a/offsets', body);
const error = (code: number, message: unknown): object => ({ error_code: code, message });
const starting = (text: string): unknown => expect.stringMatching(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);
beforeEach(async () => await start());

describe('offsets', () => {
  test('connect-rest 102: none', async () => {
    const answer = await api().get('/connectors/a/offsets');
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([
      200,
      'application/json',
      '{"offsets":[]}',
    ]);
  });

  test('connect-rest 105: numbers keep their type, in requests and answers', async () => {
    const answer = await alter(
      '{"offsets":[{"partition":{"f":"é😀","one":1,"float":1.0},"offset":{"big":9007199254740993,"e":1e25,"half":0.5,"yes":true,"no":null}}]}',
    );
    expect([answer.status, answer.text]).toEqual([
      200,
      '{"message":"The offsets for this connector have been altered successfully"}',
    ]);
    expect(worker.herder.offsets.get('a')).toEqual([
      {
        partition: { f: 'é😀', one: 1, float: new Float64(1) },
        offset: { big: 9007199254740993n, e: new Float64(1e25), half: 0.5, yes: true, no: null },
      },
    ]);
    expect((await api().get('/connectors/a/offsets')).text).toBe(
      '{"offsets":[{"partition":{"f":"é\\uD83D\\uDE00","one":1,"float":1.0},"offset":{"big":9007199254740993,"e":1.0E25,"half":0.5,"yes":true,"no":null}}]}',
    );
  });

  test('connect-rest 106, R10: null and absent partitions and offsets', async () => {
    await alter('{"offsets":[{"partition":{"f":"x"}},{"partition":null,"offset":null},{}]}').expect(200);
    expect(worker.herder.offsets.get('a')).toEqual([
      { partition: { f: 'x' }, offset: null },
      { partition: null, offset: null },
      { partition: null, offset: null },
    ]);
  });

  test('connect-rest 107: reset', async () => {
    for (let i = 0; i < 2; i++) {
      const answer = await api().delete('/connectors/a/offsets');
      expect([answer.status, answer.text]).toEqual([
        200,
        '{"message":"The offsets for this connector have been reset successfully"}',
      ]);
    }
  });

  test('connect-rest 59: unknown connectors', async () => {
    const gone = error(404, 'Connector none not found');
    expect((await api().get('/connectors/none/offsets')).body).toEqual(gone);
    expect((await api().delete('/connectors/none/offsets')).body).toEqual(gone);
    expect((await patch('/connectors/none/offsets', '{"offsets":[{}]}')).body).toEqual(gone);
  });

  test('connect-rest 104, R10: nothing to alter, also of an unknown connector', async () => {
    for (const body of ['{}', '{"offsets":[]}', '{"offsets":null}'])
      expect((await patch('/connectors/none/offsets', body)).body).toEqual(
        error(400, 'Partitions / offsets need to be provided for an alter offsets request'),
      );
    const none =
      'Cannot invoke "org.apache.kafka.connect.runtime.rest.entities.ConnectorOffsets.offsets()" because "offsets" is null';
    expect((await alter('null')).body).toEqual(error(500, none));
    expect((await api().patch('/connectors/a/offsets')).body).toEqual(error(500, none));
    expect((await alter('{"offsets":[null]}')).body).toEqual(
      error(400, 'The entries of an alter offsets request may not be null'),
    );
  });

  const entities = 'org.apache.kafka.connect.runtime.rest.entities';
  test.each([
    [
      '{"offsets":{}}',
      `Cannot deserialize value of type \`java.util.ArrayList<${entities}.ConnectorOffset>\` from Object value`,
    ],
    [
      '{"offsets":"x"}',
      `Cannot deserialize value of type \`java.util.ArrayList<${entities}.ConnectorOffset>\` from String value (token \`JsonToken.VALUE_STRING\`)`,
    ],
    [
      '{"offsets":true}',
      `Cannot deserialize value of type \`java.util.ArrayList<${entities}.ConnectorOffset>\` from Boolean value (token \`JsonToken.VALUE_TRUE\`)`,
    ],
    [
      '{"offsets":[123]}',
      `Cannot construct instance of \`${entities}.ConnectorOffset\` (although at least one Creator exists): no int/Int-argument constructor/factory method to deserialize from Number value (123)`,
    ],
    [
      '{"offsets":[false]}',
      `Cannot construct instance of \`${entities}.ConnectorOffset\` (although at least one Creator exists): no boolean/Boolean-argument constructor/factory method to deserialize from boolean value (false)`,
    ],
    [
      '{"offsets":["x"]}',
      `Cannot construct instance of \`${entities}.ConnectorOffset\` (although at least one Creator exists): no String-argument constructor/factory method to deserialize from String value ('x')`,
    ],
    ['{"offsets":[[]]}', `Cannot deserialize value of type \`${entities}.ConnectorOffset\` from Array value`],
    ['{"offsets":[""]}', `Cannot coerce empty String ("") to \`${entities}.ConnectorOffset\` value`],
    [
      '{"offsets":[{"partition":"x"}]}',
      "Cannot construct instance of `java.util.LinkedHashMap` (although at least one Creator exists): no String-argument constructor/factory method to deserialize from String value ('x')",
    ],
    ['{"offsets":[{"partition":""}]}', 'Cannot coerce empty String ("") to element of `java.util.LinkedHashMap`'],
    [
      '{"offsets":[{"offset":1.5}]}',
      'Cannot deserialize value of type `java.util.LinkedHashMap<java.lang.String,java.lang.Object>` from Floating-point value (token `JsonToken.VALUE_NUMBER_FLOAT`)',
    ],
    [
      '{"offsets":[{"offset":3}]}',
      'Cannot deserialize value of type `java.util.LinkedHashMap<java.lang.String,java.lang.Object>` from Integer value (token `JsonToken.VALUE_NUMBER_INT`)',
    ],
    [
      '{"key":[]}',
      `Unrecognized field "key" (class ${entities}.ConnectorOffsets), not marked as ignorable (one known property: "offsets")`,
    ],
    [
      '{"offsets":[{"a":1}]}',
      `Unrecognized field "a" (class ${entities}.ConnectorOffset), not marked as ignorable (2 known properties: "partition", "offset")`,
    ],
    ['[]', `Cannot deserialize value of type \`${entities}.ConnectorOffsets\` from Array value`],
    ['{"offsets":[{"partition":{}}]', 'Unexpected end-of-input'],
  ])('connect-rest 111: %s', async (body, message) => {
    expect((await alter(body)).body).toEqual(error(500, starting(message)));
    expect(worker.herder.offsets.size).toBe(0);
  });

  test('connect-rest 111: the position of a mismatch', async () => {
    expect((await alter('{"offsets":[{},{"partition":1}]}')).body.message).toMatch(
      new RegExp(
        `line: 1, column: 29\\] \\(through reference chain: ${entities}\\.ConnectorOffsets\\["offsets"\\]->java\\.util\\.ArrayList\\[1\\]->${entities}\\.ConnectorOffset\\["partition"\\]\\)$`,
      ),
    );
  });
});

describe('topics', () => {
  test('connect-rest 99, 100: listed, reset, unknown', async () => {
    worker.herder.topics.set('a', ['t1', 't2']);
    expect((await api().get('/connectors/a/topics')).text).toBe('{"a":{"topics":["t1","t2"]}}');
    const reset = await api().put('/connectors/a/topics/reset');
    expect([reset.status, reset.headers['content-length'], reset.text]).toEqual([202, '0', '']);
    expect((await api().get('/connectors/a/topics')).text).toBe('{"a":{"topics":[]}}');
    expect((await api().get('/connectors/none/topics')).text).toBe('{"none":{"topics":[]}}');
    expect((await api().put('/connectors/none/topics/reset')).status).toBe(202);
  });
});

describe('PATCH config', () => {
  const config = { ...SRC, name: 'a' };

  test('connect-rest 76, 77, 79: sets, removes, leaves', async () => {
    const changed = await patch('/connectors/a/config', '{"topic":"t3","k":1.50}');
    expect([changed.status, changed.headers.location, changed.body.config]).toEqual([
      200,
      undefined,
      { ...config, topic: 't3', k: '1.50' },
    ]);
    expect((await patch('/connectors/a/config', '{"k":null}')).body.config).toEqual({ ...config, topic: 't3' });
    const same = await patch('/connectors/a/config', '{}');
    expect([same.status, Object.keys(same.body as object)]).toEqual([200, ['name', 'config', 'tasks', 'type']]);
    expect((await api().get('/connectors/a/config')).body).toEqual({ ...config, topic: 't3' });
  });

  test('connect-rest 78: the merged config must be valid', async () => {
    expect((await patch('/connectors/a/config', '{"topic":null}')).body).toEqual(
      error(400, expect.stringContaining('\nMissing required configuration "topic" which has no default value.\n')),
    );
    expect((await api().get('/connectors/a/config')).body).toEqual(config);
  });

  test('connect-rest 80, 81, R10: rejected', async () => {
    expect((await patch('/connectors/none/config', '{}')).body).toEqual(error(404, 'Connector none not found'));
    const type = await api()
      .patch('/connectors/a/config')
      .set('Content-Type', 'application/merge-patch+json')
      .send('{}');
    expect(type.status).toBe(415);
    for (const body of ['null', ''])
      expect((await patch('/connectors/a/config', body)).body).toEqual(
        error(400, 'A patch needs a JSON object of configuration keys; null removes a key'),
      );
    expect((await patch('/connectors/a/config', '[]')).body).toEqual(
      error(
        500,
        starting('Cannot deserialize value of type `java.util.LinkedHashMap<java.lang.String,java.lang.String>`'),
      ),
    );
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

test('connect-rest §0.4: OPTIONS of the new resources, and unsupported methods', async () => {
  for (const [path, allow] of [
    ['/connectors/a/offsets', 'DELETE,GET,HEAD,OPTIONS,PATCH'],
    ['/connectors/a/config', 'GET,HEAD,OPTIONS,PATCH,PUT'],
    ['/connectors/a/topics', 'GET,HEAD,OPTIONS'],
    ['/connectors/a/topics/reset', 'OPTIONS,PUT'],
  ])
    expect((await api().options(path as string)).headers.allow?.split(',').sort().join()).toBe(allow);
  for (const [method, path] of [
    ['post', '/connectors/a/offsets'],
    ['get', '/connectors/a/topics/reset'],
    ['put', '/connectors/a/topics'],
  ] as const)
    expect((await api()[method](path)).status).toBe(405);
});
