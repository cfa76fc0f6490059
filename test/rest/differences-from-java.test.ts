/** Answers that differ from those of Connect 4.3.1, which docs/compatibility.md declares. */
import request from 'supertest';
import { fakeWorker, SRC } from './fake-worker';

const NAMED = { name: 'a', config: SRC };
let app: ReturnType<typeof fakeWorker>['app'];
beforeEach(() => (app = fakeWorker().app));

async function updated(config: Readonly<Record<string, string | null>>): Promise<request.Response> {
  expect((await request(app).post('/connectors').send(NAMED)).status).toBe(201);
  return await request(app).put('/connectors/a/config').send(config);
}

test.each(['', 'null'])('a patch with the body %j is 400, whether or not the connector exists', async (body) => {
  const sent = request(app).patch('/connectors/none/config').set('Content-Type', 'application/json');
  const { status, body: answer } = await sent.send(body);
  const message = 'A patch needs a JSON object of configuration keys; null removes a key';
  expect([status, answer]).toEqual([400, { error_code: 400, message }]);
});

test.each([
  ['[]', 'Array value (token `JsonToken.START_ARRAY`)'],
  ['{}', 'Object value (token `JsonToken.START_OBJECT`)'],
])('initial_state=%s is 500 in the words for any text', async (state, what) => {
  const sent = request(app).post('/connectors').set('Content-Type', 'application/json');
  const { status, body } = await sent.send(`{"name":"a","config":{},"initial_state":${state}}`);
  expect([status, (body as { message: string }).message]).toEqual([
    500,
    expect.stringContaining(`Cannot deserialize value of type \`java.lang.String\` from ${what}`),
  ]);
});

test('a connector whose name has braces is created with 201 and its Location', async () => {
  const { status, headers } = await request(app).post('/connectors').send({ name: 'b{x}', config: SRC });
  expect([status, headers['location']]).toEqual([201, expect.stringMatching(/\/connectors\/b%7Bx%7D$/)]);
  expect((await request(app).get('/connectors/b%7Bx%7D')).body).toMatchObject({ name: 'b{x}' });
});

test('null for a required key in an update is a missing value, and the config stays', async () => {
  const { status, body } = await updated({ ...SRC, topic: null });
  expect([status, (body as { message: string }).message]).toEqual([
    400,
    expect.stringContaining('Missing required configuration "topic" which has no default value.'),
  ]);
  expect((await request(app).get('/connectors/a/config')).body).toEqual({ ...SRC, name: 'a' });
});

test('null for an optional key in an update is not stored', async () => {
  expect((await updated({ ...SRC, 'batch.size': null })).status).toBe(200);
  expect((await request(app).get('/connectors/a/config')).body).toEqual({ ...SRC, name: 'a' });
});

test('an abstract class of Java as a converter could not be found', async () => {
  const converter = 'org.apache.kafka.connect.storage.Converter';
  const { status, body } = await updated({ ...SRC, 'value.converter': converter });
  expect([status, (body as { message: string }).message]).toEqual([
    400,
    expect.stringContaining(
      `Invalid value ${converter} for configuration value.converter: Class ${converter} could not be found.`,
    ),
  ]);
});

test('BinaryDataConverter of Debezium is refused with the converter that takes its place', async () => {
  const converter = 'io.debezium.converters.BinaryDataConverter';
  const { status, body } = await updated({ ...SRC, 'value.converter': converter });
  expect([status, (body as { message: string }).message]).toEqual([
    400,
    expect.stringContaining(
      `Class ${converter} could not be found. Use org.apache.kafka.connect.converters.ByteArrayConverter, which writes the same bytes.`,
    ),
  ]);
});

test('config providers in the config of a connector are ignored, whatever their class', async () => {
  const config = { ...SRC, 'config.providers': 'env', 'config.providers.env.class': 'none' };
  expect((await updated(config)).status).toBe(200);
  expect((await request(app).get('/connectors/a/config')).body).toEqual({ ...config, name: 'a' });
});
