import Ajv from 'ajv';
import request from 'supertest';
import { startInProcessWorker, type InProcessWorker } from '../helpers/in-process-worker';
import { waitFor } from '../helpers/wait-for';
import { fakeWorker, type FakeWorker } from './fake-worker';

interface Document {
  readonly paths: Record<string, Record<string, { operationId: string; responses: Record<string, Answer> }>>;
  readonly components: { schemas: Record<string, object> };
}
interface Answer {
  readonly content?: { readonly 'application/json': { readonly schema: object } };
}

let worker: FakeWorker;
let document: Document;
beforeAll(async () => {
  worker = fakeWorker();
  document = (await request(worker.app).get('/openapi.json')).body as Document;
});

test('the document is valid OpenAPI 3.1 by an independent validator', async () => {
  const { Validator } = await import('@seriousme/openapi-schema-validator');
  const validator = new Validator();
  const result = await validator.validate(structuredClone(document) as unknown as Record<string, unknown>);
  expect([result.valid, result.errors]).toEqual([true, undefined]);
  expect(validator.version).toBe('3.1');
});

test('the document has every served route with every method', () => {
  const described = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  );
  const served = worker.routes.map(({ method, path }) => `${method} ${path}`);
  expect(described.sort()).toEqual(served.sort());
  const ids = Object.values(document.paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
});

test('the document names the role of each route that clients use', () => {
  const roles = Object.values(document.paths).flatMap((item) =>
    Object.values(item).map((each) => (each as { 'x-required-role'?: string })['x-required-role'] ?? 'internal'),
  );
  expect(new Set(roles)).toEqual(new Set(['reader', 'operator', 'admin', 'internal']));
});

describe('a worker with a connector', () => {
  let running: InProcessWorker;
  beforeAll(async () => {
    running = await startInProcessWorker({ group: 'openapi' });
    const config = { 'connector.class': 'FileStreamSink', topics: 't' };
    await request(running.url).post('/connectors').send({ name: 'a', config }).expect(201);
    await waitFor('its task', async () => (await request(running.url).get('/connectors/a/tasks/0/status')).ok);
  });
  afterAll(() => running?.stop());

  test.each([
    ['/', '/'],
    ['/health', '/health'],
    ['/connectors', '/connectors'],
    ['/connectors', '/connectors?expand=status&expand=info'],
    ['/connectors/{name}', '/connectors/a'],
    ['/connectors/{name}', '/connectors/none'],
    ['/connectors/{name}/config', '/connectors/a/config'],
    ['/connectors/{name}/status', '/connectors/a/status'],
    ['/connectors/{name}/tasks', '/connectors/a/tasks'],
    ['/connectors/{name}/tasks/{task}/status', '/connectors/a/tasks/0/status'],
    ['/connector-plugins', '/connector-plugins?connectorsOnly=false'],
    ['/connector-plugins/{plugin}/config', '/connector-plugins/FileStreamSink/config'],
    ['/admin/loggers', '/admin/loggers'],
    ['/admin/loggers/{logger}', '/admin/loggers/root'],
  ])('serves %s as documented: %s', async (path, url) => {
    const { status, body } = await request(running.url).get(url);
    const { responses } = document.paths[path]?.['get'] ?? { responses: {} as Record<string, Answer> };
    const schema = (responses[status] ?? responses['default'])?.content?.['application/json'].schema;
    const ajv = new Ajv({ strict: false });
    const check = ajv.compile({ ...schema, components: document.components });
    expect([check(body), check.errors]).toEqual([true, null]);
  });
});
