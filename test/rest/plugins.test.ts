import request from 'supertest';
import { fakeWorker, SRC, type FakeWorker } from './fake-worker';

let worker: FakeWorker;
beforeEach(() => {
  worker = fakeWorker();
});
const get = (path: string): request.Test => request(worker.app).get(path);
const validate = (plugin: string, config: unknown): request.Test =>
  request(worker.app)
    .put(`/connector-plugins/${plugin}/config/validate`)
    .set('Content-Type', 'application/json')
    .send(typeof config === 'string' ? config : JSON.stringify(config));
const error = (code: number, message: string): unknown => ({ error_code: code, message });

test('connect-rest 113, 115: sinks before sources, class, type, version', async () => {
  const answer = await get('/connector-plugins');
  expect((answer.body as { type: string }[]).map(({ type }) => type)).toEqual([
    'sink',
    'source',
    'source',
    'source',
    'source',
  ]);
  expect(answer.text).toMatch(
    /^\[\{"class":"org\.apache\.kafka\.connect\.file\.FileStreamSinkConnector","type":"sink","version":"4\.3\.1"\},/,
  );
  expect((await get('/connector-plugins/')).text).toBe(answer.text);
});

test('connect-rest 114: all kinds', async () => {
  const { body } = await get('/connector-plugins?connectorsOnly=false');
  expect([...new Set((body as { type: string }[]).map(({ type }) => type))]).toEqual([
    'sink',
    'source',
    'converter',
    'header_converter',
  ]);
  expect((await get('/connector-plugins?connectorsOnly=TRUE')).body).toHaveLength(5);
});

test('connect-rest 67: version undefined is left out', async () => {
  const { body } = await get('/connector-plugins');
  expect(body).toContainEqual({ class: 'org.example.OddConnector', type: 'source' });
});

test('connect-rest 116, 117, 119: definitions', async () => {
  const { body } = await get('/connector-plugins/FileStreamSource/config');
  expect((body as { name: string }[]).slice(0, 3).map(({ name }) => name)).toEqual(['file', 'topic', 'batch.size']);
  expect((await get('/connector-plugins/Nope/config')).body).toEqual(error(404, 'Unknown plugin Nope.'));
  expect((await get('/connector-plugins/FileStreamSource/config?version=%5B1')).body).toEqual(
    error(400, 'Invalid version specification: [1'),
  );
});

test('a schema has its URL as id, and errors are those of the definitions', async () => {
  for (const plugin of ['FileStreamSource', 'org.apache.kafka.connect.file.FileStreamSourceConnector']) {
    const answer = await get(`/connector-plugins/${plugin}/schema`).set('Host', 'connect:8083');
    expect(answer.body).toMatchObject({
      $id: `http://connect:8083/connector-plugins/${plugin}/schema`,
      $schema: 'http://json-schema.org/draft-07/schema#',
      title: 'org.apache.kafka.connect.file.FileStreamSourceConnector',
      definitions: { config: { required: ['connector.class', 'topic'] } },
    });
  }
  const { body } = await get('/connector-plugins/FileStreamSource/schema?version=4.3.1&x=1').set(
    'Host',
    'connect:8083',
  );
  expect(body).toMatchObject({ $id: 'http://connect:8083/connector-plugins/FileStreamSource/schema?version=4.3.1' });
  expect((await get('/connector-plugins/Nope/schema')).body).toEqual(error(404, 'Unknown plugin Nope.'));
  expect((await get('/connector-plugins/FileStreamSource/schema?version=%5B1')).body).toEqual(
    error(400, 'Invalid version specification: [1'),
  );
});

test('connect-rest 120, 121: the path only has to match', async () => {
  for (const plugin of [
    'FileStreamSource',
    'FileStreamSourceConnector',
    'Source',
    'org.apache.kafka.connect.file.FileStreamSourceConnector',
  ]) {
    const config = { ...SRC, name: 'a' };
    if (plugin.includes('.')) config['connector.class'] = plugin;
    const answer = await validate(plugin, config);
    expect([answer.status, (answer.body as { error_count: number }).error_count]).toEqual([200, 0]);
    expect(Object.keys(answer.body as object)).toEqual(['name', 'error_count', 'groups', 'configs']);
  }
  for (const other of ['Nope', 'Connector']) {
    const message = `Included connector type FileStreamSource does not match request type ${other}`;
    expect((await validate(other, SRC)).body).toEqual(error(400, message));
  }
});

test('connect-rest 122, R1, R15: errors that are 400 on create are 500 here, with the class in front', async () => {
  const bad = 'org.apache.kafka.connect.runtime.rest.errors.BadRequestException: ';
  expect((await validate('FileStreamSource', {})).body).toEqual(
    error(500, `${bad}Connector config {} contains no connector type`),
  );
  const unknown = (await validate('NoSuch', { 'connector.class': 'NoSuch' })).body as { message: string };
  expect(unknown.message).toMatch(new RegExp(`^${bad.replace(/\./g, '\\.')}Failed to find any class that implements`));
  expect((await validate('Odd', { 'connector.class': 'Odd', behavior: 'throw' })).body).toEqual(error(500, 'Error: x'));
});

test('connect-rest §2.4: null body', async () => {
  expect((await validate('FileStreamSource', 'null')).body).toEqual(
    error(500, 'Cannot invoke "java.util.Map.get(Object)" because "connectorConfig" is null'),
  );
});

test('connect-rest §2.6: the timeout text has no final period here', async () => {
  worker = fakeWorker({ pluginLimitMs: 20 });
  const { body } = await validate('Odd', { 'connector.class': 'Odd', name: 'a', behavior: 'hang' });
  expect((body as { message: string }).message).toMatch(/^Request timed out\. The worker is currently .*Z$/);
});
