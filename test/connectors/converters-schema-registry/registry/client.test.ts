/** The client on real sockets: what it sends, what it makes of answers and of faults. */
import { execFile } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { isConfigError, isRetriable, type ConnectError } from '@millrace/sdk';
import { openRegistry } from '../../../../connectors/converters-schema-registry/src/registry/open-registry';
import type {
  SchemaRegistry,
  SchemaText,
} from '../../../../connectors/converters-schema-registry/src/registry/schema-registry';
import { closedPort, SmallRegistry, type Answering } from '../small-registry';

const AVRO: SchemaText = { type: 'AVRO', text: '"string"', references: [] };
const UNKNOWN_SUBJECT = { status: 404, body: { error_code: 40401, message: 'Subject not found.' } };

let registry: SmallRegistry;
beforeEach(async () => {
  registry = await SmallRegistry.start();
});
afterEach(async () => {
  await registry.stop();
});

function open(config: Record<string, string> = {}): SchemaRegistry {
  return openRegistry({ 'schema.registry.url': registry.url, ...config }).client;
}

async function failureOf(work: Promise<unknown>): Promise<ConnectError> {
  const error = await work.then(
    () => null,
    (failure: unknown) => failure,
  );
  if (error === null) throw new Error('It did not fail.');
  return error as ConnectError;
}

describe('requests', () => {
  test('a schema is registered under its subject, whose name is one segment of the path', async () => {
    registry.answering = () => ({ body: { id: 7 } });
    const subject = 'a/b c?ä-value';
    await expect(open().register(subject, AVRO, false)).resolves.toEqual({ id: 7, guid: null });
    const [asked] = registry.asked;
    expect(registry.requests).toEqual(['POST /subjects/a%2Fb%20c%3F%C3%A4-value/versions']);
    expect(asked?.body).toEqual({ schema: '"string"' });
    expect(asked?.headers['content-type']).toBe('application/vnd.schemaregistry.v1+json');
    expect(asked?.headers.authorization).toBeUndefined();
  });

  test('type, references and normalization are sent when they are not the default', async () => {
    registry.answering = () => ({ body: { id: 7, guid: 'g' } });
    const references = [{ name: 'x.proto', subject: 'x', version: 2 }];
    const schema: SchemaText = { type: 'PROTOBUF', text: 'syntax', references };
    await expect(open().register('s', schema, true)).resolves.toEqual({ id: 7, guid: 'g' });
    expect(registry.requests).toEqual(['POST /subjects/s/versions?normalize=true']);
    expect(registry.asked[0]?.body).toEqual({ schema: 'syntax', schemaType: 'PROTOBUF', references });
  });

  test('a schema is looked up without registering it', async () => {
    registry.answering = () => ({ body: { subject: 's', version: 3, id: 9, schema: '"string"' } });
    await expect(open().lookUp('s', AVRO, true)).resolves.toEqual({ id: 9, guid: null });
    await expect(open().lookUp('s', AVRO, false)).resolves.toEqual({ id: 9, guid: null });
    expect(registry.requests).toEqual(['POST /subjects/s?normalize=true', 'POST /subjects/s']);
  });

  test('the path of the address stays, a slash at its end does not matter', async () => {
    registry.answering = () => ({ body: { id: 1 } });
    await open({ 'schema.registry.url': `${registry.url}/apis/ccompat/v7/` }).register('s', AVRO, false);
    expect(registry.requests).toEqual(['POST /apis/ccompat/v7/subjects/s/versions']);
  });

  test('the latest version of a subject', async () => {
    registry.answering = () => ({ body: { subject: 's', version: 3, id: 9, guid: 'g', schema: '"long"' } });
    await expect(open().latest('s')).resolves.toEqual({
      type: 'AVRO',
      text: '"long"',
      references: [],
      id: 9,
      version: 3,
      guid: 'g',
      dependencies: new Map(),
    });
    expect(registry.requests).toEqual(['GET /subjects/s/versions/latest']);
  });

  test('schemas by id and by UUID', async () => {
    registry.answering = () => ({ body: { schema: '{}', schemaType: 'JSON' } });
    const client = open();
    expect(await client.byKey(5)).toMatchObject({ type: 'JSON', text: '{}', id: 5, version: null, guid: null });
    const guid = 'cc0e0e0e-53c1-4a1a-8f1a-000000000001';
    expect(await client.byKey(guid)).toMatchObject({ type: 'JSON', id: -1, guid });
    expect(registry.requests).toEqual(['GET /schemas/ids/5', `GET /schemas/guids/${guid}`]);
  });
});

describe('references', () => {
  const at = (schemas: Record<string, object>): Answering => {
    return ({ path }) => {
      const found = schemas[path];
      return found === undefined ? UNKNOWN_SUBJECT : { body: found };
    };
  };
  const reference = (name: string, subject = name, version = 1) => ({ name, subject, version });
  const version = (subject: string) => `/subjects/${subject}/versions/1?deleted=true`;

  test('are resolved to their ends, used ones first, each once', async () => {
    registry.answering = at({
      '/schemas/ids/1': { schema: 'root', references: [reference('b'), reference('c')] },
      [version('b')]: { schema: 'B', references: [reference('d')] },
      [version('c')]: { schema: 'C', references: [reference('d')] },
      [version('d')]: { schema: 'D' },
    });
    const { dependencies } = await open().byKey(1);
    expect([...dependencies]).toEqual([
      ['d', 'D'],
      ['b', 'B'],
      ['c', 'C'],
    ]);
    expect(registry.requests).toHaveLength(4);
  });

  test('names that every object has are names', async () => {
    registry.answering = at({
      '/schemas/ids/1': { schema: 'root', references: [reference('__proto__'), reference('constructor')] },
      [version('__proto__')]: { schema: 'P' },
      [version('constructor')]: { schema: 'C' },
    });
    const { dependencies } = await open().byKey(1);
    expect(dependencies.get('__proto__')).toBe('P');
    expect(dependencies.get('constructor')).toBe('C');
  });

  test('a circle is an error, also one through itself', async () => {
    registry.answering = at({
      '/schemas/ids/1': { schema: 'root', references: [reference('b')] },
      [version('b')]: { schema: 'B', references: [reference('c')] },
      [version('c')]: { schema: 'C', references: [reference('b2', 'b')] },
      '/schemas/ids/2': { schema: 'root', references: [reference('self')] },
      [version('self')]: { schema: 'S', references: [reference('again', 'self')] },
    });
    const client = open();
    for (const id of [1, 2]) {
      const error = await failureOf(client.byKey(id));
      expect(error).toMatchObject({ code: 'REGISTRY_REFERENCES', message: expect.stringContaining('circle') });
    }
  });

  test('endless ones end', async () => {
    registry.answering = ({ path }) => {
      const depth = Number(/\d+/.exec(path.replace('/schemas/ids/', ''))?.[0]);
      return { body: { schema: 'x', references: [reference(`r${depth + 1}`, `${depth + 1}`)] } };
    };
    const error = await failureOf(open().byKey(1));
    expect(error).toMatchObject({ code: 'REGISTRY_REFERENCES', message: expect.stringContaining('deeper than 64') });
    expect(registry.asked.length).toBeLessThan(70);
  });

  test('one that the registry does not have is an error of the record', async () => {
    registry.answering = at({ '/schemas/ids/1': { schema: 'root', references: [reference('b')] } });
    const error = await failureOf(open().byKey(1));
    expect(error).toMatchObject({ code: 'REGISTRY_UNKNOWN_SUBJECT', place: { subject: 'b', version: 1 } });
  });
});

describe('fail-over', () => {
  test('the next server is asked, and remains the first', async () => {
    registry.answering = () => ({ body: { id: 1 } });
    const dead = `http://127.0.0.1:${await closedPort()}`;
    const failing = await SmallRegistry.start(() => ({ status: 500, body: 'away' }));
    try {
      const client = open({ 'schema.registry.url': `${dead}, ${failing.url} ,${registry.url}` });
      await client.register('a', AVRO, false);
      await client.register('b', AVRO, false);
      expect(registry.requests).toHaveLength(2);
      expect(failing.requests).toHaveLength(1);
    } finally {
      await failing.stop();
    }
  });

  test.each<[string, ReturnType<Answering>]>([
    ['500', { status: 500, body: { error_code: 50002, message: 'Operation timed out' } }],
    ['a page with 503', { status: 503, body: '<html>maintenance</html>' }],
    ['408', { status: 408, body: '' }],
    ['429', { status: 429, body: '' }],
    ['a reset connection', 'reset'],
    ['half an answer', 'half'],
  ])('after %s the registry is away, which is retriable and names it without its password', async (_, reply) => {
    registry.answering = () => reply;
    const url = registry.url.replace('//', '//user:pa%73sword@');
    const error = await failureOf(open({ 'schema.registry.url': url }).register('s', AVRO, false));
    expect(error).toMatchObject({ code: 'REGISTRY_UNREACHABLE', retriable: true, place: { url: registry.url } });
    expect(error.message).toContain(registry.url);
    expect(JSON.stringify([error.message, error.place])).not.toMatch(/password|user/);
  });

  test('no server at all', async () => {
    const url = `http://127.0.0.1:${await closedPort()}`;
    const error = await failureOf(open({ 'schema.registry.url': url }).byKey(1));
    expect(error).toMatchObject({ code: 'REGISTRY_UNREACHABLE', retriable: true, cause: { code: 'ECONNREFUSED' } });
    expect(error.message).toMatch(/ECONNREFUSED/);
  });

  test('an answer that does not come ends with the time for it', async () => {
    registry.answering = () => 'hang';
    const error = await failureOf(open({ 'http.read.timeout.ms': '50' }).byKey(1));
    expect(error).toMatchObject({ code: 'REGISTRY_UNREACHABLE', message: expect.stringContaining('within 50 ms') });
  });

  test('a server that drips does not hold the task', async () => {
    registry.answering = (_, response) => {
      response.writeHead(200);
      const drip = (): void => void response.write(' ', () => response.destroyed || setImmediate(drip));
      drip();
      return 'sent';
    };
    const error = await failureOf(open({ 'http.read.timeout.ms': '50' }).byKey(1));
    expect(error).toMatchObject({ code: 'REGISTRY_UNREACHABLE' });
  });

  test('a server that asks to wait is not asked again meanwhile', async () => {
    registry.answering = () => ({ status: 429, headers: { 'retry-after': '30' }, body: '' });
    const client = open();
    await failureOf(client.byKey(1));
    const error = await failureOf(client.byKey(1));
    expect(error.message).toContain('asked to wait for another 30 s');
    expect(registry.requests).toHaveLength(1);
  });

  test('an idle connection that the server has closed is replaced', async () => {
    let sockets = 0;
    registry.answering = (_, response) => {
      // The client reads the answer before the connection ends.
      response.on('finish', () => setImmediate(() => response.socket?.resetAndDestroy()));
      sockets++;
      return { body: { schema: '{}' } };
    };
    const client = open();
    for (let id = 1; id <= 5; id++) await client.byKey(id);
    expect(sockets).toBeGreaterThanOrEqual(5);
  });
});

describe('refusals', () => {
  test.each([401, 403, 407])('%i fails the task: it is an error of the configuration', async (status) => {
    registry.answering = () => ({ status, body: { error_code: status, message: 'User cannot do it.' } });
    const error = await failureOf(open({ 'bearer.auth.token': 'geheim' }).register('s', AVRO, false));
    expect(isConfigError(error)).toBe(true);
    expect(isRetriable(error)).toBe(false);
    expect(error).toMatchObject({ code: 'REGISTRY_DENIED', message: expect.stringContaining('User cannot do it.') });
    expect(error.message).not.toContain('geheim');
    // Rights may be given.
    registry.answering = () => ({ body: { id: 1 } });
    await expect(open({ 'bearer.auth.token': 'geheim' }).register('s', AVRO, false)).resolves.toMatchObject({ id: 1 });
  });

  test('an incompatible schema names subject, version and reasons on one bounded line', async () => {
    const message =
      'Schema being registered is incompatible with an earlier schema for subject "s", details: ' +
      "[{errorType:'READER_FIELD_MISSING_DEFAULT_VALUE', description:'x'}, {oldSchemaVersion: 12}]\n\u001b[2J\u202e" +
      'x'.repeat(100_000);
    registry.answering = () => ({ status: 409, body: { error_code: 409, message } });
    const error = await failureOf(open().register('s', AVRO, false));
    expect(error).toMatchObject({ code: 'REGISTRY_INCOMPATIBLE', place: { subject: 's', version: 12 } });
    expect(error.message).toMatch(/^The schema is not compatible with version 12 under subject s \(error code 409\): /);
    expect(error.message).toContain('READER_FIELD_MISSING_DEFAULT_VALUE');
    expect(error.message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(error.message.length).toBeLessThan(1_500);
  });

  test.each([
    [404, 40401, 'REGISTRY_UNKNOWN_SUBJECT'],
    [404, 40402, 'REGISTRY_UNKNOWN_SUBJECT'],
    [404, 40403, 'REGISTRY_UNKNOWN_SCHEMA'],
    [422, 42201, 'REGISTRY_REFUSED'],
    [400, 400, 'REGISTRY_REFUSED'],
  ])('%i with code %i is %s, of the record alone', async (status, error_code, code) => {
    registry.answering = () => ({ status, body: { error_code, message: 'No.' } });
    const error = await failureOf(open().lookUp('s', AVRO, false));
    expect(error).toMatchObject({ code, retriable: false, place: { subject: 's', url: registry.url } });
    expect(isConfigError(error)).toBe(false);
    expect(error.message).toMatch(/: No\.$/);
  });

  test('a registry that has no schemas by UUID', async () => {
    registry.answering = () => ({ status: 404, body: { error_code: 404, message: 'HTTP 404 Not Found' } });
    const error = await failureOf(open().byKey('cc0e0e0e-53c1-4a1a-8f1a-000000000001'));
    expect(error).toMatchObject({ code: 'REGISTRY_UNKNOWN_SCHEMA' });
  });
});

describe('answers of something else', () => {
  test.each<[string, ReturnType<Answering>]>([
    ['a page', { body: '<html>Welcome</html>' }],
    ['a page with 404', { status: 404, body: '<html>Not found</html>' }],
    ['an unknown route', { status: 404, body: { error_code: 404, message: 'HTTP 404 Not Found' } }],
    ['JSON that is no object', { body: '[1]' }],
    ['JSON that ends early', { body: '{"schema": "' }],
    ['no schema', { body: { id: 1 } }],
    ['a schema that is no text', { body: { schema: { type: 'string' } } }],
    ['an unknown type', { body: { schema: '{}', schemaType: 'XML' } }],
    ['references that are none', { body: { schema: '{}', references: [{ name: 'x' }] } }],
    ['a redirect', { status: 302, headers: { location: 'http://u:p@elsewhere/login?token=x' }, body: '' }],
    ['compressed data', { headers: { 'content-encoding': 'gzip' }, body: gzipSync('{"schema":"{}"}') }],
    ['depth', { body: `{"schema":"{}","x":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}` }],
    ['many members', { body: `{"schema":"{}","x":[${'{},'.repeat(1_000_000)}{}]}` }],
    ['nothing', { body: '' }],
  ])('%s is an error of the address', async (_, reply) => {
    registry.answering = () => reply;
    const error = await failureOf(open().byKey(1));
    expect(error).toMatchObject({ code: 'REGISTRY_ANSWER', retriable: false, place: { url: registry.url } });
    expect(isConfigError(error)).toBe(true);
    expect(error.message).not.toMatch(/token=|u:p/);
  });

  test.each([-1, 1.5, '1', 2 ** 31, null])('the id %p is none', async (id) => {
    registry.answering = () => ({ body: { id } });
    const error = await failureOf(open().register('s', AVRO, false));
    expect(error).toMatchObject({ code: 'REGISTRY_ANSWER' });
  });

  test('an answer without an end is read up to a bound, and is an error of the record', async () => {
    const chunk = Buffer.alloc(1024 * 1024, ' ');
    let sent = 0;
    registry.answering = (_, response) => {
      response.writeHead(200);
      const more = (): void => {
        sent += chunk.length;
        if (!response.destroyed) response.write(chunk, () => setImmediate(more));
      };
      more();
      return 'sent';
    };
    const error = await failureOf(open().byKey(1));
    expect(error).toMatchObject({ code: 'REGISTRY_SCHEMA_SIZE', retriable: false });
    expect(isConfigError(error)).toBe(false);
    expect(sent).toBeLessThan(100 * 1024 * 1024);
  });

  test('a schema that is too long', async () => {
    registry.answering = () => ({ body: { schema: 'x'.repeat(9 * 1024 * 1024) } });
    const error = await failureOf(open().byKey(1));
    expect(error).toMatchObject({ code: 'REGISTRY_SCHEMA_SIZE' });
  });
});

describe('what is remembered', () => {
  test('ids and schemas are asked for once, also by calls at once and by other converters', async () => {
    registry.answering = ({ method }) => ({ body: method === 'POST' ? { id: 7 } : { schema: '{}' } });
    const [one, other] = [open(), open()];
    await Promise.all([one.register('s', AVRO, false), other.register('s', AVRO, false)]);
    await Promise.all([one.byKey(7), other.byKey(7)]);
    await one.register('s', AVRO, false);
    await other.byKey(7);
    expect(registry.requests).toEqual(['POST /subjects/s/versions', 'GET /schemas/ids/7']);
  });

  test('other subjects, texts, references and settings are others', async () => {
    registry.answering = () => ({ body: { id: 7 } });
    const client = open();
    await client.register('s', AVRO, false);
    await client.register('t', AVRO, false);
    await client.register('s', { ...AVRO, text: '"int"' }, false);
    await client.register('s', { ...AVRO, references: [{ name: 'x', subject: 'x', version: 1 }] }, false);
    await client.register('s', AVRO, true);
    await open({ 'bearer.auth.token': 'other' }).register('s', AVRO, false);
    expect(registry.requests).toHaveLength(6);
  });

  test('a refused schema and an unknown id are not asked for again for each record', async () => {
    registry.answering = () => ({ status: 422, body: { error_code: 42201, message: 'Invalid schema' } });
    const client = open();
    for (let record = 0; record < 100; record++) {
      await failureOf(client.register('s', AVRO, false));
      await failureOf(client.byKey(666));
    }
    expect(registry.requests).toHaveLength(2);
  });

  test('what is temporary is not remembered', async () => {
    registry.answering = () => ({ status: 503, body: '' });
    const client = open();
    await failureOf(client.byKey(1));
    registry.answering = () => ({ body: { schema: '{}' } });
    await expect(client.byKey(1)).resolves.toMatchObject({ text: '{}' });
  });
});

async function outputOf(program: string): Promise<string> {
  const register = require.resolve('../../../../dev/register.js');
  return await new Promise<string>((resolve, reject) =>
    execFile(process.execPath, ['-r', register, '-e', program], { timeout: 60_000 }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    ),
  );
}

test('connections that are idle do not keep a process alive', async () => {
  registry.answering = () => ({ body: { schema: '{}' } });
  const module = require.resolve('../../../../connectors/converters-schema-registry/src/registry/open-registry');
  const out = await outputOf(`
    const { openRegistry } = require(${JSON.stringify(module)});
    openRegistry({ 'schema.registry.url': '${registry.url}' }).client.byKey(1).then(({ text }) => console.log(text));`);
  expect(out).toBe('{}\n');
});

test.each(['a used', 'a new'])('the check of an answer does not keep a process alive: %s connection', async (which) => {
  registry.answering = ({ path }) => {
    const headers = which === 'a new' ? { connection: 'close' } : undefined;
    return path.includes('deleted=true') ? 'hang' : { body: { id: 1 }, ...(headers && { headers }) };
  };
  const module = require.resolve('../../../../connectors/converters-schema-registry/src/registry/open-registry');
  // The check takes place at once, and its answer never comes.
  const out = await outputOf(`
    const { openRegistry } = require(${JSON.stringify(module)});
    const { client } = openRegistry({ 'schema.registry.url': '${registry.url}' });
    const schema = { type: 'AVRO', text: '"string"', references: [] };
    client.register('s', schema, false).then((answer) => {
      client.leaseOf(answer).use();
      client.leaseOf(answer).check().finally(() => console.log('an answer'));
      setTimeout(() => console.log('the end'), 100);
    });`);
  expect(out).toBe('the end\n');
  expect(registry.requests).toEqual(['POST /subjects/s/versions', 'POST /subjects/s?deleted=true']);
});
