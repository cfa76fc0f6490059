import request from 'supertest';
import { builtIn } from '../helpers/fake-plugins';
import { fakeWorker, type FakeWorker } from './fake-worker';

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

test('connect-rest 67: version undefined is left out', async () => {
  const { body } = await get('/connector-plugins');
  expect(body).toContainEqual({ class: 'org.example.OddConnector', type: 'source' });
});

test('connect-rest 1.19: versions are listed once each; with locations, a version in several places, too', async () => {
  const at = (location: string, version: string) => {
    const { description, plugin } = builtIn(
      'x.Twice',
      { type: 'converter', config: [], create: () => ({}) as never },
      version,
    );
    return { description: { ...description, location }, plugin };
  };
  worker = fakeWorker({ plugins: [at('/b', '2'), at('/a', '1'), at('/c', '1')] });
  const listed = async (query: string) =>
    ((await get(`/connector-plugins?connectorsOnly=false${query}`)).body as { class: string }[]).filter(
      (one) => one.class === 'x.Twice',
    );
  const shown = (version: string, location?: string, selected_by?: string | null) => ({
    class: 'x.Twice',
    type: 'converter',
    version,
    ...(location && { location, runs_in: 'node', ...(selected_by !== undefined && { selected_by }) }),
  });
  expect(await listed('')).toEqual([shown('1'), shown('2')]);
  expect(await listed('&locations=true')).toEqual([shown('1', '/a', '[1]'), shown('1', '/c'), shown('2', '/b', null)]);
});

test('locations are shown only if they are requested', async () => {
  const listed = async (query: string) =>
    ((await get(`/connector-plugins${query}`)).body as { class: string }[]).find((one) => /Odd/.test(one.class));
  expect(await listed('?locations=true')).toEqual({
    ...{ class: 'org.example.OddConnector', type: 'source' },
    ...{ location: 'built-in', runs_in: 'node', selected_by: null },
  });
  for (const query of ['', '?locations=false', '?locations'])
    expect(Object.keys((await listed(query))!).sort()).toEqual(['class', 'type']);
});

test('with locations: whether a JVM runs it, and what connector.plugin.version has to be for it', async () => {
  const at = (version: string, location: string, java?: true) => {
    const { description, plugin } = builtIn(
      'x.BothConnector',
      { type: 'source', config: [], createTask: () => ({}) as never },
      version,
    );
    return { description: { ...description, location, ...(java && { java }) }, plugin };
  };
  worker = fakeWorker({ plugins: [at('2', 'built-in'), at('2', '/jars', true), at('1', '/jars-1', true)] });
  const { body } = await get('/connector-plugins?locations=true');
  expect((body as { class: string }[]).filter((one) => one.class === 'x.BothConnector')).toEqual([
    expect.objectContaining({ version: '1', location: '/jars-1', runs_in: 'jvm', selected_by: '[1]' }),
    expect.objectContaining({ version: '2', location: 'built-in', runs_in: 'node', selected_by: null }),
    expect.objectContaining({ version: '2', location: '/jars', runs_in: 'jvm', selected_by: '[2]' }),
  ]);
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

test('connect-rest §2.6: the timeout text has no final period here', async () => {
  worker = fakeWorker({ pluginLimitMs: 20 });
  const { body } = await validate('Odd', { 'connector.class': 'Odd', name: 'a', behavior: 'hang' });
  expect((body as { message: string }).message).toMatch(/^Request timed out\. The worker is currently .*Z$/);
});
