import request from 'supertest';
import { fakeWorker, SNK, SRC, type FakeWorker } from './fake-worker';

const failure = (count: number, ...messages: string[]): string =>
  [
    `Connector configuration is invalid and contains the following ${count} error(s):`,
    ...messages,
    'You can also find the above list of errors at the endpoint `/connector-plugins/{connectorType}/config/validate`',
  ].join('\n');

describe('POST /connectors', () => {
  let worker: FakeWorker;
  beforeEach(() => {
    worker = fakeWorker();
  });
  const post = (body: unknown): request.Test =>
    request(worker.app)
      .post('/connectors')
      .set('Content-Type', 'application/json')
      // Bytes and texts are sent unchanged.
      .serialize((data: unknown) => data as string)
      .send(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  async function expectError(body: unknown, code: number, message: string | RegExp): Promise<void> {
    const answer = await post(body);
    const got = answer.body as { error_code: number; message: string };
    expect([answer.status, got.error_code]).toEqual([code, code]);
    expect(Object.keys(got)).toEqual(['error_code', 'message']);
    if (typeof message === 'string') expect(got.message).toBe(message);
    else expect(got.message).toMatch(message);
    expect(answer.headers['content-type']).toBe('application/json');
  }

  test('connect-rest 21: create', async () => {
    const answer = await post({ name: 'a', config: SRC });
    expect(answer.status).toBe(201);
    expect(answer.headers.location).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/connectors\/a$/);
    expect(answer.text).toBe(
      '{"name":"a","config":{"connector.class":"FileStreamSource","topic":"t","name":"a"},"tasks":[],"type":"source"}',
    );
  });

  test('connect-rest 22: Location follows the Host header', async () => {
    const answer = await post({ name: 'a', config: SRC }).set('Host', 'foo.example:9999');
    expect(answer.headers.location).toBe('http://foo.example:9999/connectors/a');
  });

  test('connect-rest 23: the name is trimmed', async () => {
    const answer = await post({ name: '  a  ', config: SRC });
    expect(answer.body).toMatchObject({ name: 'a', config: { name: 'a' } });
  });

  test('connect-rest 24: a name with a space', async () => {
    const answer = await post({ name: 'a b', config: SRC });
    expect(answer.headers.location).toMatch(/\/connectors\/a%20b$/);
    expect((await request(worker.app).get('/connectors/a%20b')).status).toBe(200);
    expect((await request(worker.app).get('/connectors/a+b')).status).toBe(404);
  });

  test('connect-rest 25: a name with a slash', async () => {
    expect((await post({ name: 'a/b', config: SRC })).status).toBe(201);
    expect((await request(worker.app).get('/connectors')).body).toEqual(['a/b']);
  });

  test.each([[{ config: SRC }], [{ name: '   ', config: SRC }], [{ name: null, config: SRC }]])(
    'connect-rest 26, 27: %j has no name',
    async (body) => {
      await expectError(body, 400, failure(1, 'Invalid value  for configuration name: String may not be empty'));
    },
  );

  test('connect-rest 28: control characters in a name', async () => {
    await expectError(
      { name: 'a\u0007b', config: SRC },
      400,
      /String may not contain control sequences but had the following ASCII chars: 7\n/,
    );
  });

  test('a name is at most as long as URLs allow, so that the connector can be deleted', async () => {
    const longest = `${'é'.repeat(1333)}ab`;
    expect((await post({ name: longest, config: SRC })).status).toBe(201);
    expect((await request(worker.app).delete(`/connectors/${encodeURIComponent(longest)}`)).status).toBe(204);
    await expectError(
      { name: `${longest}c`, config: SRC },
      400,
      "The connector's name takes 8001 characters in a URL, but at most 8000 are allowed; choose a shorter name",
    );
    const put = await request(worker.app)
      .put(`/connectors/${'a'.repeat(8001)}/config`)
      .send(SRC);
    expect(put.status).toBe(400);
  });

  test('connect-rest 29: a number as name', async () => {
    expect((await post({ name: 123, config: SRC })).body).toMatchObject({ name: '123' });
  });

  test('connect-rest 30, 31: config.name differs', async () => {
    await expectError(
      { name: 'a', config: { name: 'b', ...SRC } },
      400,
      "Connector name configuration (b) doesn't match connector name in the URL (a)",
    );
    await expectError(
      { name: ' a ', config: { name: ' a ', ...SRC } },
      400,
      "Connector name configuration ( a ) doesn't match connector name in the URL (a)",
    );
  });

  test('connect-rest 32: config.name null', async () => {
    expect((await post({ name: 'a', config: { name: null, ...SRC } })).status).toBe(201);
  });

  test('connect-rest 33: the same name twice', async () => {
    await post({ name: 'a', config: SRC });
    await expectError({ name: 'a', config: SRC }, 409, 'Connector a already exists');
  });

  test('connect-rest 34, R15: no connector.class', async () => {
    await expectError({ name: 'a', config: {} }, 400, 'Connector config {name=a} contains no connector type');
    await expectError(
      { name: 'a', config: { 'database.password': 'hunter2' } },
      400,
      'Connector config {database.password=[hidden], name=a} contains no connector type',
    );
  });

  test('connect-rest 35, R1: an unknown class, the same text every time', async () => {
    for (let i = 0; i < 2; i++) {
      await expectError(
        { name: 'a', config: { 'connector.class': 'NoSuch' } },
        400,
        /^Failed to find any class that implements Connector and which name matches NoSuch, available connectors are: PluginDesc\{klass=class org\.apache\.kafka\.connect\.file\.FileStreamSinkConnector, /,
      );
    }
  });

  test('connect-rest §2.3: an ambiguous alias', async () => {
    await expectError(
      { name: 'a', config: { 'connector.class': 'Twin' } },
      400,
      'More than one connector matches alias Twin. Please use full package and class name instead. Classes found: org.example.a.TwinConnector, org.example.b.TwinConnector',
    );
  });

  test('connect-rest 36: a required key is missing', async () => {
    await expectError(
      { name: 'a', config: { 'connector.class': 'FileStreamSource' } },
      400,
      failure(1, 'Missing required configuration "topic" which has no default value.'),
    );
  });

  test('connect-rest 37: three errors in order', async () => {
    await expectError(
      { name: 'a', config: { ...SRC, 'tasks.max': 'abc', 'errors.tolerance': 'some' } },
      400,
      failure(
        3,
        'Invalid value abc for configuration tasks.max: Not a number of type INT',
        'Invalid value null for configuration tasks.max: Value must be non-null',
        'Invalid value some for configuration errors.tolerance: String must be one of: none, all',
      ),
    );
  });

  test('connect-rest 38: tasks.max=0', async () => {
    await expectError(
      { name: 'a', config: { ...SRC, 'tasks.max': '0' } },
      400,
      failure(1, 'Invalid value 0 for configuration tasks.max: Value must be at least 1'),
    );
  });

  test.each([[{ name: 'a' }], [{ name: 'a', config: null }]])('connect-rest 39: no config in %j', async (body) => {
    await expectError(body, 500, 'Cannot invoke "java.util.Map.get(Object)" because "connectorConfig" is null');
  });

  test.each(['', 'null', '  \n'])('connect-rest 40: body %j', async (body) => {
    await expectError(
      body,
      500,
      'Cannot invoke "org.apache.kafka.connect.runtime.rest.entities.CreateConnectorRequest.name()" because "createRequest" is null',
    );
  });

  const LOC = '\n at [Source: REDACTED (`StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION` disabled); line: 1, column: ';
  test.each([
    ['41', '{"name":"a"', 'Unexpected end-of-input: expected close marker for Object (start marker at '],
    ['42', "{'name':'a'}", "Unexpected character (''' (code 39)): was expecting double-quote to start field name"],
    [
      '43',
      '[]',
      'Cannot deserialize value of type `org.apache.kafka.connect.runtime.rest.entities.CreateConnectorRequest` from Array value (token `JsonToken.START_ARRAY`)',
    ],
    [
      '44',
      '{"name":"a","foo":1}',
      'Unrecognized field "foo" (class org.apache.kafka.connect.runtime.rest.entities.CreateConnectorRequest), not marked as ignorable (3 known properties: "config", "name", "initial_state")\n',
    ],
    [
      '45',
      '{"name":"a","config":{"x":{"y":1}}}',
      'Cannot deserialize value of type `java.lang.String` from Object value (token `JsonToken.START_OBJECT`)',
    ],
    ['46', '{"name":"a","config":{}} trailing', "Unrecognized token 'trailing': was expecting (JSON String, Number, "],
    [
      '46',
      '{"name":"a","config":{}} 1',
      'Trailing token (of type VALUE_NUMBER_INT) found after value (bound as `org.apache.kafka.connect.runtime.rest.entities.CreateConnectorRequest`)',
    ],
    [
      '51',
      '{"name":"a","config":{},"initial_state":"bogus"}',
      'Cannot construct instance of `org.apache.kafka.connect.runtime.rest.entities.CreateConnectorRequest$InitialState`, problem: No enum constant org.apache.kafka.connect.runtime.rest.entities.CreateConnectorRequest.InitialState.BOGUS\n',
    ],
    [
      '§2.4',
      '"text"',
      "Cannot construct instance of `org.apache.kafka.connect.runtime.rest.entities.CreateConnectorRequest` (although at least one Creator exists): no String-argument constructor/factory method to deserialize from String value ('text')",
    ],
  ])('connect-rest %s: body %s', async (_number, body, start) => {
    const answer = await post(body);
    const { message } = answer.body as { message: string };
    expect(answer.status).toBe(500);
    expect(message.slice(0, start.length)).toBe(start);
    expect(message).toContain(LOC);
  });

  test('connect-rest R7: the list of known members has no closing bracket', async () => {
    await expectError('{"foo":1}', 500, /\(3 known properties: "config", "name", "initial_state"\)\n at \[/);
  });

  test('connect-rest 45: the reference chain names the position', async () => {
    await expectError(
      '{"name":"a","config":{"x":{"y":1}}}',
      500,
      / \(through reference chain: org\.apache\.kafka\.connect\.runtime\.rest\.entities\.CreateConnectorRequest\["config"\]->java\.util\.LinkedHashMap\["x"\]\)$/,
    );
  });

  test('connect-rest 47: scalars keep their literal text', async () => {
    const answer = await post(
      `{"name":"a","config":{"connector.class":"FileStreamSource","topic":"t","i":1,"b":true,"d":1.50,"e":1e3,"n":12345678901234567890}}`,
    );
    expect(answer.status).toBe(201);
    expect((await request(worker.app).get('/connectors/a/config')).body).toMatchObject({
      i: '1',
      b: 'true',
      d: '1.50',
      e: '1e3',
      n: '12345678901234567890',
    });
  });

  test('connect-rest §0.2: the last of a repeated key wins, odd keys survive', async () => {
    const answer = await post(
      '{"name":"a","config":{"connector.class":"FileStreamSource","topic":"x","topic":"t","__proto__":"p","constructor":"c"}}',
    );
    expect(answer.status).toBe(201);
    expect(answer.text).toContain('"topic":"t","__proto__":"p","constructor":"c"');
  });

  test('connect-rest 48: null for an unknown key', async () => {
    await expectError(
      { name: 'a', config: { ...SRC, x: null } },
      400,
      failure(1, 'Null value can not be supplied as the configuration value.'),
    );
  });

  test('connect-rest 142: null for a key of the plugin passes and is not stored', async () => {
    const answer = await post({ name: 'a', config: { ...SRC, file: null } });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ config: { ...SRC, name: 'a' } });
  });

  test('connect-rest 49, 50: initial states', async () => {
    expect((await post({ name: 's', config: SRC, initial_state: 'stopped' })).status).toBe(201);
    expect((await post({ name: 'p', config: SRC, initial_state: 'PAUSED' })).status).toBe(201);
    expect((await post({ name: 'r', config: SRC, initial_state: 'Running' })).status).toBe(201);
    expect([...worker.herder.entries.values()].map(({ target }) => target)).toEqual(['STOPPED', 'PAUSED', 'STARTED']);
  });

  test('connect-rest 51: initial state null', async () => {
    expect((await post({ name: 'a', config: SRC, initial_state: null })).status).toBe(201);
    expect(worker.herder.entries.get('a')?.target).toBe('STARTED');
  });

  test('connect-rest 53: a validate that throws', async () => {
    await expectError({ name: 'a', config: { 'connector.class': 'Odd', behavior: 'throw' } }, 500, 'x');
  });

  test("connect-rest 160: the sink group equals the workers' own", async () => {
    worker = fakeWorker({ settings: { groupId: 'connect-x' } });
    await expectError(
      { name: 'x', config: SNK },
      400,
      failure(1, 'Consumer group for sink connector named x conflicts with Connect worker group connect-x'),
    );
  });

  test('connect-rest R12: byte order mark, UTF-16 and UTF-32', async () => {
    const text = JSON.stringify({ name: 'ä', config: SRC });
    expect((await post(Buffer.from(`\ufeff${text}`, 'utf8'))).status).toBe(201);
    worker = fakeWorker();
    expect((await post(Buffer.from(`\ufeff${text}`, 'utf16le'))).body).toMatchObject({ name: 'ä' });
    worker = fakeWorker();
    expect((await post(Buffer.from(text, 'utf16le').swap16())).body).toMatchObject({ name: 'ä' });
    worker = fakeWorker();
    expect((await post(Buffer.from(Uint32Array.from(text, (c) => c.charCodeAt(0)).buffer))).body).toMatchObject({
      name: 'ä',
    });
  });

  test('connect-rest R12, R16: too deep, and not UTF-8, are 400 (differs from Java)', async () => {
    await expectError(
      `${'['.repeat(1001)}`,
      400,
      'Document nesting depth (1001) exceeds the maximum allowed (1000, from `StreamReadConstraints.getMaxNestingDepth()`)',
    );
    await expectError(
      Buffer.from('{"name":"\xe4"}', 'latin1'),
      400,
      'The request body contains bytes that are not UTF-8, from byte 9',
    );
  });
});
