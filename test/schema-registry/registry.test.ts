import { get } from 'node:http';
import { memoryLog, startSchemaRegistry, type RunningSchemaRegistry } from '@millrace/schema-registry';
import { type Ask, asking, record } from './registry-client';

const EMPTY = record('R');
const WITH_DEFAULT = record('R', { name: 'a', type: 'int', default: 0 });
const WITHOUT_DEFAULT = record('R', { name: 'a', type: 'int' });

let registry: RunningSchemaRegistry;
let ask: Ask;

beforeEach(async () => {
  registry = await startSchemaRegistry({ port: 0 });
  ask = asking(registry.url);
});

afterEach(async () => {
  await registry.close();
});

const register = async (subject: string, schema: string, more: object = {}): Promise<unknown> =>
  (await ask('POST', `/subjects/${subject}/versions`, { schema, ...more })).body;
const error = (status: number, code: number, message: unknown = expect.any(String)) => ({
  status,
  body: { error_code: code, message },
});

describe('schemas and their ids', () => {
  test('a schema has one id in all subjects, however it is written', async () => {
    expect(await register('a', '{"type":"string"}')).toEqual({ id: 1 });
    expect(await register('b', ' "string" ')).toEqual({ id: 1 });
    expect(await register('a', EMPTY)).toMatchObject({ error_code: 409 });
    expect(await register('c', EMPTY)).toEqual({ id: 2 });
    expect(await ask('GET', '/schemas/ids/1')).toEqual({ status: 200, body: { schema: '"string"' } });
    expect(await ask('GET', '/schemas/ids/1/schema')).toEqual({ status: 200, body: 'string' });
    expect(await ask('GET', '/schemas/ids/1/subjects')).toEqual({ status: 200, body: ['a', 'b'] });
    expect(await ask('GET', '/schemas/ids/1/versions')).toEqual({
      status: 200,
      body: [
        { subject: 'a', version: 1 },
        { subject: 'b', version: 1 },
      ],
    });
    expect(await ask('GET', '/schemas/ids/2?fetchMaxId=true')).toEqual({
      status: 200,
      body: { schema: EMPTY, maxId: 2 },
    });
    expect(await ask('GET', '/schemas/ids/9')).toEqual(error(404, 40403, 'Schema 9 not found'));
    expect(await ask('GET', '/schemas/ids/x')).toEqual(error(404, 40403));
  });

  test('a schema that is registered again keeps its version', async () => {
    await register('s', EMPTY);
    await register('s', WITH_DEFAULT);
    expect(await register('s', EMPTY)).toEqual({ id: 1 });
    expect(await ask('GET', '/subjects/s/versions')).toEqual({ status: 200, body: [1, 2] });
    expect(await ask('GET', '/subjects/s/versions/latest')).toEqual({
      status: 200,
      body: { subject: 's', version: 2, id: 2, schema: WITH_DEFAULT },
    });
    expect((await ask('GET', '/subjects/s/versions/-1')).body).toMatchObject({ version: 2 });
    expect(await ask('GET', '/subjects/s/versions/1/schema')).toEqual({ status: 200, body: JSON.parse(EMPTY) });
  });

  test('look-up of a schema', async () => {
    await register('s', EMPTY);
    expect(await ask('POST', '/subjects/s', { schema: EMPTY })).toEqual({
      status: 200,
      body: { subject: 's', version: 1, id: 1, schema: EMPTY },
    });
    expect(await ask('POST', '/subjects/s', { schema: WITH_DEFAULT })).toEqual(error(404, 40403, 'Schema not found'));
    expect(await ask('POST', '/subjects/t', { schema: EMPTY })).toEqual(error(404, 40401, "Subject 't' not found."));
    expect(await ask('POST', '/subjects/s', { schema: '{"type":"x"}' })).toEqual(error(422, 42201));
  });

  test('normal form: properties and aliases have no order, with normalize', async () => {
    const text = (properties: string): string => `{"type":"string",${properties}}`;
    await register('s', text('"b":1,"a":2'));
    expect(await register('s', text('"a":2,"b":1'))).toEqual({ id: 2 });
    const path = '/subjects/t/versions?normalize=true';
    expect((await ask('POST', path, { schema: text('"b":1,"a":2') })).body).toEqual({ id: 2 });
    expect((await ask('POST', '/subjects/t?normalize=true', { schema: text('"b":1,"a":2') })).body).toMatchObject({
      version: 1,
    });
    expect((await ask('POST', '/subjects/t', { schema: text('"b":1,"a":2') })).status).toBe(404);
  });

  test('references are resolved, and keep the versions that they name', async () => {
    const user = '{"type":"record","name":"User","fields":[{"name":"a","type":"n.Address"}]}';
    const reference = { name: 'n.Address', subject: 'address', version: 1 };
    expect(await register('user', user, { references: [reference] })).toMatchObject({ error_code: 42201 });
    await register('address', '{"type":"record","name":"Address","namespace":"n","fields":[]}');
    expect(await register('user', user, { references: [reference] })).toEqual({ id: 2 });
    expect(await register('user2', user, { references: [{ ...reference, version: -1 }] })).toEqual({ id: 2 });
    expect(await ask('GET', '/subjects/user/versions/1')).toEqual({
      status: 200,
      body: { subject: 'user', version: 1, id: 2, references: [reference], schema: user },
    });
    expect(await ask('GET', '/subjects/address/versions/1/referencedby')).toEqual({ status: 200, body: [2] });
    expect(await ask('DELETE', '/subjects/address')).toEqual(
      error(
        422,
        42206,
        'One or more references exist to the schema {magic=1,keytype=SCHEMA,subject=address,version=1}.',
      ),
    );
    expect(await ask('DELETE', '/subjects/address/versions/1')).toEqual(error(422, 42206));
    await ask('DELETE', '/subjects/user');
    await ask('DELETE', '/subjects/user2');
    expect(await ask('DELETE', '/subjects/address')).toEqual({ status: 200, body: [1] });
    expect(await ask('POST', '/subjects/user/versions', { schema: user, references: [{ name: 'x' }] })).toEqual(
      error(422, 42201),
    );
  });

  test('lists of subjects and schemas', async () => {
    for (const subject of ['a-key', 'a-value', 'b-value']) await register(subject, EMPTY);
    await register('a-value', WITH_DEFAULT);
    await ask('DELETE', '/subjects/b-value');
    const get = async (path: string) => (await ask('GET', path)).body;
    expect(await get('/subjects')).toEqual(['a-key', 'a-value']);
    expect(await get('/subjects?deleted=true')).toEqual(['a-key', 'a-value', 'b-value']);
    expect(await get('/subjects?deletedOnly=true')).toEqual(['b-value']);
    expect(await get('/subjects?subjectPrefix=:*:')).toEqual(['a-key', 'a-value']);
    expect(await get('/subjects?subjectPrefix=a-v')).toEqual(['a-value']);
    expect(await get('/subjects?offset=1&limit=1')).toEqual(['a-value']);
    expect(await get('/schemas')).toHaveLength(3);
    expect(await get('/schemas?latestOnly=true&subjectPrefix=a-v')).toEqual([
      { subject: 'a-value', version: 2, id: 2, schema: WITH_DEFAULT },
    ]);
    expect(await get('/schemas/types')).toEqual(['JSON', 'PROTOBUF', 'AVRO']);
    expect(await get('/contexts')).toEqual(['.']);
    expect(await get('/')).toEqual({});
  });
});

describe('deletion', () => {
  beforeEach(async () => {
    await register('s', EMPTY);
    await register('s', WITH_DEFAULT);
  });

  test('softly, then for good', async () => {
    expect(await ask('DELETE', '/subjects/s?permanent=true')).toEqual(error(404, 40405));
    expect(await ask('DELETE', '/subjects/s')).toEqual({ status: 200, body: [1, 2] });
    expect(await ask('DELETE', '/subjects/s')).toEqual(error(404, 40404));
    expect(await ask('GET', '/subjects/s/versions')).toEqual(error(404, 40401));
    expect(await ask('GET', '/subjects/s/versions?deleted=true')).toEqual({ status: 200, body: [1, 2] });
    expect(await ask('GET', '/subjects/s/versions/1')).toEqual(error(404, 40401));
    expect((await ask('GET', '/subjects/s/versions/1?deleted=true')).status).toBe(200);
    expect((await ask('GET', '/schemas/ids/1')).status).toBe(200);
    expect((await ask('POST', '/subjects/s?deleted=true', { schema: EMPTY })).body).toMatchObject({ version: 1 });
    expect(await ask('DELETE', '/subjects/s?permanent=true')).toEqual({ status: 200, body: [1, 2] });
    expect(await ask('DELETE', '/subjects/s?permanent=true')).toEqual(error(404, 40401));
    expect(await ask('GET', '/schemas/ids/1')).toEqual(error(404, 40403));
  });

  test('of a version', async () => {
    expect(await ask('DELETE', '/subjects/s/versions/2?permanent=true')).toEqual(error(404, 40407));
    expect(await ask('DELETE', '/subjects/s/versions/2')).toEqual({ status: 200, body: 2 });
    expect(await ask('DELETE', '/subjects/s/versions/2')).toEqual(
      error(404, 40406, "Subject 's' Version 2 was soft deleted. Set permanent=true to delete permanently"),
    );
    expect(await ask('DELETE', '/subjects/s/versions/3')).toEqual(error(404, 40402, 'Version 3 not found.'));
    expect(await ask('DELETE', '/subjects/t/versions/3')).toEqual(error(404, 40401));
    expect(await ask('DELETE', '/subjects/s/versions/latest')).toEqual({ status: 200, body: 1 });
    expect(await ask('DELETE', '/subjects/s/versions/2?permanent=true')).toEqual({ status: 200, body: 2 });
  });

  test('a schema deleted softly gets a new version and keeps its id', async () => {
    await ask('DELETE', '/subjects/s');
    expect(await register('s', EMPTY)).toEqual({ id: 1 });
    expect((await ask('GET', '/subjects/s/versions/latest')).body).toMatchObject({ version: 3, id: 1 });
  });

  test('an id is never given to another schema', async () => {
    await ask('DELETE', '/subjects/s');
    await ask('DELETE', '/subjects/s?permanent=true');
    expect(await register('s', '"long"')).toEqual({ id: 3 });
  });

  test('settings of a deleted subject end with it', async () => {
    await ask('PUT', '/config/s', { compatibility: 'FULL' });
    await ask('DELETE', '/subjects/s');
    expect(await ask('GET', '/config/s')).toEqual(error(404, 40408));
  });
});

describe('levels', () => {
  test('global and of subjects', async () => {
    expect(await ask('GET', '/config')).toEqual({ status: 200, body: { compatibilityLevel: 'BACKWARD' } });
    expect(await ask('GET', '/config/s')).toEqual(error(404, 40408));
    expect((await ask('GET', '/config/s?defaultToGlobal=true')).body).toEqual({ compatibilityLevel: 'BACKWARD' });
    expect((await ask('PUT', '/config', { compatibility: 'none' })).body).toEqual({ compatibility: 'NONE' });
    expect((await ask('PUT', '/config/s', { compatibility: 'FULL' })).body).toEqual({ compatibility: 'FULL' });
    expect((await ask('GET', '/config/s')).body).toEqual({ compatibilityLevel: 'FULL' });
    expect((await ask('DELETE', '/config/s')).body).toEqual({ compatibilityLevel: 'FULL' });
    expect(await ask('DELETE', '/config/s')).toEqual(error(404, 40401));
    expect((await ask('DELETE', '/config')).body).toEqual({ compatibilityLevel: 'BACKWARD' });
    expect(await ask('PUT', '/config', { compatibility: 'SOME' })).toEqual(error(422, 42203));
  });

  test.each([
    ['NONE', record('S', { name: 'x', type: 'int' }), true],
    ['BACKWARD', WITHOUT_DEFAULT, false],
    ['BACKWARD', WITH_DEFAULT, true],
    ['FORWARD', WITHOUT_DEFAULT, true],
    ['FULL', WITHOUT_DEFAULT, false],
    ['FULL', WITH_DEFAULT, true],
  ])('%s decides about %s: %s', async (level, schema, fits) => {
    await register('s', EMPTY);
    await ask('PUT', '/config/s', { compatibility: level });
    const { body } = await ask('POST', '/compatibility/subjects/s/versions/latest', { schema });
    expect(body).toEqual({ is_compatible: fits });
    expect((await ask('POST', '/subjects/s/versions', { schema })).status).toBe(fits ? 200 : 409);
  });

  test('transitive levels look at all versions, the others at the newest', async () => {
    const rename = (type: string) => record('R', { name: 'a', type, default: type === 'string' ? '' : 0 });
    await register('s', rename('int'));
    await register('s', EMPTY);
    const path = '/compatibility/subjects/s/versions';
    expect((await ask('POST', path, { schema: rename('string') })).body).toEqual({ is_compatible: true });
    await ask('PUT', '/config/s', { compatibility: 'BACKWARD_TRANSITIVE' });
    expect((await ask('POST', `${path}?verbose=true`, { schema: rename('string') })).body).toEqual({
      is_compatible: false,
      messages: [
        "{errorType:'TYPE_MISMATCH', description:'The type (path '/fields/0/type') of a field in the new schema does not match with the old schema', additionalInfo:'reader type: STRING not compatible with writer type: INT'}",
        '{oldSchemaVersion: 1}',
        `{oldSchema: '${rename('int')}'}`,
        "{validateFields: 'false', compatibility: 'BACKWARD_TRANSITIVE'}",
      ],
    });
    expect((await ask('POST', `${path}/2?verbose=true`, { schema: rename('string') })).body).toEqual({
      is_compatible: true,
      messages: [],
    });
    expect((await ask('POST', `${path}/1`, { schema: rename('string') })).body).toEqual({ is_compatible: false });
    expect(await ask('POST', `${path}/7`, { schema: EMPTY })).toEqual(error(404, 40402));
    expect(await ask('POST', `${path}/0`, { schema: EMPTY })).toEqual(error(422, 42202));
    expect((await ask('POST', '/compatibility/subjects/new/versions/latest', { schema: EMPTY })).body).toEqual({
      is_compatible: true,
    });
  });

  test('409 says what does not fit', async () => {
    await register('s', EMPTY);
    expect(await register('s', WITHOUT_DEFAULT)).toEqual({
      error_code: 409,
      message: `Schema being registered is incompatible with an earlier schema for subject "s", details: [{errorType:'READER_FIELD_MISSING_DEFAULT_VALUE', description:'The field 'a' at path '/fields/0' in the new schema has no default value and is missing in the old schema', additionalInfo:'a'}, {oldSchemaVersion: 1}, {oldSchema: '${EMPTY}'}, {validateFields: 'false', compatibility: 'BACKWARD'}]`,
    });
  });
});

describe('modes', () => {
  test('READONLY refuses changes and returns what is there', async () => {
    await register('s', EMPTY);
    expect((await ask('GET', '/mode')).body).toEqual({ mode: 'READWRITE' });
    expect((await ask('PUT', '/mode', { mode: 'READONLY' })).body).toEqual({ mode: 'READONLY' });
    expect(await register('s', EMPTY)).toEqual({ id: 1 });
    expect(await register('s', WITH_DEFAULT)).toEqual({
      error_code: 42205,
      message: 'Subject s is in read-only mode',
    });
    expect(await ask('DELETE', '/subjects/s')).toEqual(error(422, 42205));
    expect(await ask('PUT', '/config', { compatibility: 'FULL' })).toEqual(error(422, 42205));
    expect((await ask('PUT', '/mode/s', { mode: 'READWRITE' })).body).toEqual({ mode: 'READWRITE' });
    expect(await register('s', WITH_DEFAULT)).toEqual({ id: 2 });
    await ask('PUT', '/mode', { mode: 'READONLY_OVERRIDE' });
    expect(await ask('DELETE', '/subjects/s')).toEqual(error(422, 42205));
    expect((await ask('DELETE', '/mode/s')).body).toEqual({ mode: 'READWRITE' });
    expect(await ask('GET', '/mode/s')).toEqual(error(404, 40409));
    expect(await ask('PUT', '/mode', { mode: 'FORWARD' })).toEqual(error(422, 42204));
  });

  test('IMPORT keeps ids and versions of another registry', async () => {
    const imported = { id: 40, version: 3 };
    expect(await register('s', EMPTY, imported)).toMatchObject({
      error_code: 42205,
      message: 'Subject s is not in import mode',
    });
    await ask('PUT', '/mode', { mode: 'IMPORT' });
    expect(await register('s', WITH_DEFAULT)).toMatchObject({ error_code: 42205 });
    expect(await register('s', WITHOUT_DEFAULT, imported)).toEqual({ id: 40 });
    expect(await register('s', EMPTY, { id: 7, version: 1 })).toEqual({ id: 7 });
    expect((await ask('GET', '/subjects/s/versions')).body).toEqual([1, 3]);
    expect(await register('t', '"string"', { id: 7 })).toMatchObject({ error_code: 42205 });
    await ask('PUT', '/mode', { mode: 'READWRITE' });
    expect(await register('t', '"string"')).toEqual({ id: 41 });
    expect(await ask('PUT', '/mode', { mode: 'IMPORT' })).toEqual(error(422, 42205));
    expect((await ask('PUT', '/mode?force=true', { mode: 'IMPORT' })).status).toBe(200);
  });
});

test('an id that an import gives again is compared by its new schema', async () => {
  const fits = async (schema: string) =>
    (await ask('POST', '/compatibility/subjects/s/versions/latest', { schema })).body;
  for (const schema of ['"int"', '"string"']) {
    await ask('PUT', '/mode?force=true', { mode: 'IMPORT' });
    expect(await register('s', schema, { id: 7, version: 1 })).toEqual({ id: 7 });
    expect(await fits('"bytes"')).toEqual({ is_compatible: schema === '"string"' });
    await ask('PUT', '/mode', { mode: 'READWRITE' });
    await ask('DELETE', '/subjects/s');
    await ask('DELETE', '/subjects/s?permanent=true');
  }
});

describe('requests that are refused', () => {
  test.each([
    ['GET', '/nothing', undefined, error(404, 404, 'HTTP 404 Not Found')],
    ['PUT', '/subjects', undefined, error(405, 405, 'HTTP 405 Method Not Allowed')],
    ['POST', '/subjects/s/versions', '{', error(400, 400)],
    ['POST', '/subjects/s/versions', '[]', error(400, 400)],
    ['POST', '/subjects/s/versions', {}, error(422, 42201, 'Empty schema')],
    ['POST', '/subjects/s/versions', { schema: '"string"', schemaType: 'XML' }, error(422, 42201)],
    ['POST', '/subjects/s/versions', { schema: '"string"', ruleSet: {} }, error(422, 42201)],
    ['POST', '/subjects/s/versions', { schema: `"${'x'.repeat(1024 * 1024)}"` }, error(413, 413)],
    ['POST', `/subjects/${'x'.repeat(1025)}/versions`, { schema: '"string"' }, error(422, 42208)],
    ['POST', '/subjects/a%0Ab/versions', { schema: '"string"' }, error(422, 42208)],
    ['GET', '/subjects/%zz/versions', undefined, error(404, 404)],
    ['GET', '/subjects/s/versions/1', undefined, error(404, 40401)],
    ['GET', '/subjects/s/versions/0', undefined, error(422, 42202)],
    ['GET', '/subjects/s/versions/one', undefined, error(422, 42202)],
  ])('%s %s is refused', async (method, path, body, expected) => {
    expect(await ask(method, path, body)).toEqual(expected);
  });

  test('a body of another type, as forms of browsers send them', async () => {
    const response = await fetch(`${registry.url}/config`, {
      method: 'PUT',
      body: new URLSearchParams({ compatibility: 'NONE' }),
    });
    expect(response.status).toBe(415);
  });

  test.each([
    ['a name that a page resolves to this machine', { host: 'evil.example:8081' }, 403],
    ['a page of another origin', { origin: 'http://evil.example' }, 403],
    ['a name of this machine', { host: 'localhost:8081' }, 200],
    ['a name of a container', { host: 'host.docker.internal' }, 200],
    ['an address', { host: '[::1]:8081' }, 200],
  ])('web pages do not reach it: %s', async (_, headers, status) => {
    const answered = await new Promise<number | undefined>((resolve, reject) => {
      get(`${registry.url}/subjects`, { headers }, (response) => resolve(response.resume().statusCode)).on(
        'error',
        reject,
      );
    });
    expect(answered).toBe(status);
  });

  test.each([
    ['too deep', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    ['too deep, of arrays', `${'{"type":"array","items":'.repeat(20_000)}"int"${'}'.repeat(20_000)}`],
    ['a long number', `{"type":"fixed","name":"F","size":${'9'.repeat(500_000)}}`],
    ['a name of a member of objects', '{"type":"__proto__"}'],
    ['the name of a method', '"constructor"'],
  ])('a hostile schema: %s', async (_, schema) => {
    expect(await ask('POST', '/subjects/s/versions', { schema })).toEqual(error(422, 42201));
  });

  test('recursive types whose comparison would take too long', async () => {
    // Cycles whose lengths have no common factor make every pair of their types.
    const cycle = (length: number): string => {
      let type = '"C0"';
      for (let i = length - 1; i >= 0; i--)
        type = `{"type":"record","name":"C${i}","fields":[{"name":"f","type":["null",${type}],"default":null}]}`;
      return type;
    };
    await register('s', cycle(60));
    expect(await register('s', cycle(61))).toMatchObject({ error_code: 42201 });
    expect((await ask('GET', '/subjects')).body).toEqual(['s']);
  });

  test('types in types whose defaults repeat', async () => {
    let type = '{"type":"record","name":"T0","fields":[{"name":"x","type":"int","default":1}]}';
    for (let i = 1; i < 60; i++)
      type = `{"type":"record","name":"T${i}","fields":[{"name":"a","type":${type},"default":{}},{"name":"b","type":"T${i - 1}","default":{}}]}`;
    expect(await register('s', type)).toEqual({ id: 1 });
    expect(
      await ask('POST', '/compatibility/subjects/s/versions', {
        schema: type.replace('"int"', '"string"').replace('"default":1}', '"default":"1"}'),
      }),
    ).toEqual({ status: 200, body: { is_compatible: false } });
  });
});

describe('the log', () => {
  test('a registry with the same log has the same state, and gives no id twice', async () => {
    const log = memoryLog();
    const first = await startSchemaRegistry({ port: 0, log });
    const before = asking(first.url);
    await before('POST', '/subjects/s/versions', { schema: EMPTY });
    await before('POST', '/subjects/t/versions', { schema: '"long"' });
    await before('PUT', '/config/s', { compatibility: 'FULL' });
    await before('PUT', '/mode/s', { mode: 'READONLY' });
    await before('DELETE', '/subjects/t');
    await before('DELETE', '/subjects/t?permanent=true');
    await first.close();
    const second = await startSchemaRegistry({ port: 0, log });
    const after = asking(second.url);
    expect((await after('GET', '/subjects/s/versions/1')).body).toEqual({
      subject: 's',
      version: 1,
      id: 1,
      schema: EMPTY,
    });
    expect((await after('GET', '/config/s')).body).toEqual({ compatibilityLevel: 'FULL' });
    expect((await after('GET', '/mode/s')).body).toEqual({ mode: 'READONLY' });
    expect((await after('POST', '/subjects/u/versions', { schema: '"int"' })).body).toEqual({ id: 3 });
    await second.close();
  });

  test('records are those of Confluent, and others are ignored', async () => {
    const records: [string, string | null][] = [
      [
        '{"keytype":"SCHEMA","subject":"s","version":1,"magic":1}',
        '{"subject":"s","version":1,"id":5,"md5":"x","schema":"\\"int\\"","deleted":false}',
      ],
      ['{"keytype":"CONFIG","subject":null,"magic":0}', '{"subject":null,"compatibilityLevel":"NONE"}'],
      ['{"keytype":"NOOP","magic":0}', null],
      ['{"keytype":"CONTEXT","tenant":"default","magic":0}', '{}'],
      ['not JSON', '{}'],
    ];
    const lines: string[] = [];
    const written: (readonly [string, string | null])[] = [];
    let listener: (key: string, value: string | null) => void;
    const { url, close } = await startSchemaRegistry({
      port: 0,
      report: (line) => lines.push(line),
      log: {
        start: async (given) => {
          listener = given;
          for (const entry of records) listener(...entry);
        },
        append: async (key, value) => {
          written.push([key, value]);
          listener(key, value);
        },
        close: async () => undefined,
      },
    });
    const there = asking(url);
    expect((await there('GET', '/schemas/ids/5')).body).toEqual({ schema: '"int"' });
    expect((await there('POST', '/subjects/s/versions', { schema: '"string"' })).body).toEqual({ id: 6 });
    expect(written).toEqual([
      [
        '{"keytype":"SCHEMA","subject":"s","version":2,"magic":1}',
        '{"subject":"s","version":2,"id":6,"schema":"\\"string\\"","deleted":false}',
      ],
    ]);
    expect(lines).toEqual([
      expect.stringContaining('NOOP'),
      expect.stringContaining('CONTEXT'),
      expect.stringContaining('not JSON'),
    ]);
    await close();
  });

  test('a record that cannot be stored is an error, and its id is not given again', async () => {
    let isAway = false;
    const memory = memoryLog();
    const { url, close } = await startSchemaRegistry({
      port: 0,
      log: {
        ...memory,
        append: async (key, value) => {
          if (isAway) throw new Error('the broker is away');
          await memory.append(key, value);
        },
      },
    });
    const there = asking(url);
    isAway = true;
    expect(await there('POST', '/subjects/s/versions', { schema: '"int"' })).toEqual(
      error(500, 50001, 'Error in the backend data store: the broker is away'),
    );
    isAway = false;
    expect((await there('POST', '/subjects/s/versions', { schema: '"long"' })).body).toEqual({ id: 2 });
    await close();
  });
});
