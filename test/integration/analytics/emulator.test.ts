/** The emulator's protocol, with a client that uses no SDK. */
import { randomUUID } from 'node:crypto';
import { startAnalyticsEmulator, type AnalyticsEmulator } from '../../../dev/analytics-emulator';
import { waitFor } from '../../helpers/wait-for';
import { EmulatorClient, type Answer, type EmulatorResources } from './emulator-client';

let emulator: AnalyticsEmulator;
let client: EmulatorClient;
beforeAll(async () => {
  emulator = await startAnalyticsEmulator({ database: 'd' });
  client = new EmulatorClient(emulator);
});
afterAll(async () => {
  await emulator?.stop();
});

const post = async (path: string, csl: string, properties: object = {}): Promise<Answer> =>
  await client.post(path, csl, properties);
const command = async (text: string): Promise<Answer> => await client.command(text);
const query = async (text: string): Promise<unknown[][]> => await client.query(text);
const resources = async (): Promise<EmulatorResources> => await client.resources();
const upload = async (name: string, data: string | Buffer): Promise<string> => await client.upload(name, data);
const enqueue = async (message: object): Promise<void> => await client.enqueue(message);
const ingest = async (table: string, data: string, properties: Record<string, unknown>): Promise<string | null> =>
  await client.ingest(table, data, properties);

test('analytics-sink 60: a SAS that has expired when the blob is read', async () => {
  await command('.create table Late (a:string)');
  emulator.resources.sasLifetimeMs = -1_000;
  const { container } = await resources();
  const [base = '', sas = ''] = container.split('?');
  const refused = await fetch(`${base}/x?${sas}`, {
    method: 'PUT',
    headers: { 'x-ms-blob-type': 'BlockBlob', 'x-ms-version': '2021-08-06' },
    body: 'x',
  });
  expect(refused.status).toBe(403);
  emulator.resources.sasLifetimeMs = 3_600_000;
  const id = randomUUID();
  const { identity } = await resources();
  const url = await upload(id, 'x\n');
  await enqueue({
    Id: id,
    BlobPath: `${url.split('?')[0]}?${sas}`,
    DatabaseName: 'd',
    TableName: 'Late',
    AdditionalProperties: { authorizationContext: identity },
  });
  await emulator.ingestor.flush();
  const { rows } = await command(
    `.show ingestion failures | where IngestionSourcePath has '${id}' | project ErrorCode`,
  );
  expect(rows).toEqual([['Download_Forbidden']]);
});

describe('analytics-sink 61: mappings and values', () => {
  const old = '[{"Name":"t","datatype":"datetime","Ordinal":1},{"Name":"n","Ordinal":"0"}]';
  const current =
    '[{"Column":"t","DataType":"datetime","Properties":{"Ordinal":"1"}},{"column":"n","Properties":{"ordinal":0}}]';

  beforeAll(async () => {
    await command('.create table M (n:int, t:datetime, c:string)');
    expect((await command(`.create table M ingestion csv mapping 'old' '${old}'`)).status).toBe(200);
    expect((await command(`.create table M ingestion csv mapping "new" @'${current}'`)).status).toBe(200);
  });
  beforeEach(async () => {
    await command('.clear table M data');
  });

  test.each(['old', 'new'])('the %s spelling', async (mapping) => {
    expect(
      await ingest('M', '7,2007-01-01 00:00:00.1234567\nseven,\n', {
        format: 'csv',
        ingestionMappingReference: mapping,
      }),
    ).toBe(null);
    expect(await query('M | order by n asc')).toEqual([
      [null, null, ''],
      [7, '2007-01-01T00:00:00.1234567Z', ''],
    ]);
  });

  test('rows of different lengths', async () => {
    expect(await ingest('M', '1,2007-01-01\n2\n', { format: 'csv', ingestionMappingReference: 'old' })).toBe(
      'Stream_WrongNumberOfFields',
    );
    expect(await query('M | count')).toEqual([[0]]);
  });

  test.each([
    ['an open quote', '1,"x\n', { format: 'csv' }, 'Stream_ClosingQuoteMissing'],
    ['nothing', '\n', { format: 'csv' }, 'BadRequest_NoRecordsOrWrongFormat'],
    [
      'an unknown mapping',
      '1\n',
      { format: 'csv', ingestionMappingReference: 'x' },
      'BadRequest_MappingReferenceWasNotFound',
    ],
    [
      'two mappings',
      '1\n',
      { format: 'csv', ingestionMappingReference: 'old', ingestionMapping: old },
      'BadRequest_DuplicateMapping',
    ],
    ['no Avro', 'abc', { format: 'avro' }, 'BadRequest_InvalidBlob'],
    ['an unknown format', 'abc', { format: 'xyz' }, 'BadRequest_FormatNotSupported'],
    [
      'a foreign identity token',
      '1\n',
      { format: 'csv', authorizationContext: 'x' },
      'BadRequest_InvalidKustoIdentityToken',
    ],
  ])('%s fails with its code', async (_, data, properties, code) => {
    expect(await ingest('M', data, properties)).toBe(code);
  });

  test('every type', async () => {
    await command(
      '.create table Every (b:bool, i:int, l:long, r:real, d:decimal, s:string, t:datetime, p:timespan, g:guid, o:dynamic)',
    );
    const full =
      'true,-5,9007199254740991,1.5,12.50,"a ""b""\nc",2007-09-29T08:11:00Z,1.02:03:04.5,74be27de-1e4e-49d9-b579-fe0b331d3642,"{""x"":[1]}"';
    const bad = 'maybe,1.5,x,y,z,,never,soon,short,plain';
    expect(await ingest('Every', `${full}\n${bad}\n`, { format: 'csv' })).toBe(null);
    expect(await query('Every | order by i desc')).toEqual([
      [
        true,
        -5,
        9007199254740991,
        1.5,
        '12.5',
        'a "b"\nc',
        '2007-09-29T08:11:00.0000000Z',
        '1.02:03:04.5000000',
        '74be27de-1e4e-49d9-b579-fe0b331d3642',
        { x: [1] },
      ],
      [null, null, null, null, null, '', null, null, null, 'plain'],
    ]);
  });

  test('paths, constants and transforms of JSON mappings', async () => {
    await command('.create table J (a:string, t:datetime, whole:dynamic, c:string, from:string, missing:int)');
    const mapping = [
      { column: 'a', Properties: { Path: "$['a b'].list[1]" } },
      { column: 't', Properties: { Path: '$.t', Transform: 'DateTimeFromUnixMilliseconds' } },
      { column: 'whole', Properties: { Path: '$' } },
      { column: 'c', Properties: { ConstValue: 'constant' } },
      { column: 'from', Properties: { Transform: 'SourceLocation' } },
      { column: 'missing', Properties: { Path: '$.nowhere' } },
    ];
    expect(
      await ingest('J', '{"a b":{"list":[0,"one"]},"t":1191053460123}', {
        format: 'multijson',
        ingestionMapping: JSON.stringify(mapping),
      }),
    ).toBe(null);
    expect(await query('J')).toEqual([
      [
        'one',
        '2007-09-29T08:11:00.1230000Z',
        { 'a b': { list: [0, 'one'] }, t: 1191053460123 },
        'constant',
        expect.stringMatching(/^http:\/\/127\.0\.0\.1:.*\.data$/),
        null,
      ],
    ]);
  });
});

test('analytics-sink 62: one bad record fails a multijson file, json skips it', async () => {
  await command('.create table Bad (a:int)');
  const data = '{"a":1}\n{"a":\n{"a":3}\n';
  expect(await ingest('Bad', data, { format: 'multijson' })).toBe('BadRequest_InvalidBlob');
  expect(await query('Bad | count')).toEqual([[0]]);
  expect(await ingest('Bad', data, { format: 'json' })).toBe(null);
  expect(await query('Bad | order by a asc')).toEqual([[1], [3]]);
});

test('analytics-sink 63: repeated creates', async () => {
  const table = '.create table Twice (a:string)';
  expect((await command(table)).status).toBe(200);
  expect((await command(table)).status).toBe(200);
  const mapping = (how: string): string => `.${how} table Twice ingestion csv mapping 'm' '[{"Name":"a","Ordinal":0}]'`;
  expect((await command(mapping('create'))).status).toBe(200);
  expect(await command(mapping('create'))).toMatchObject({ status: 400, code: 'BadRequest_EntityNameAlreadyExists' });
  expect((await command(mapping('create-or-alter'))).status).toBe(200);
  expect(await command(`.create table Twice ingestion csv mapping 'n' '[{"Name":"z","Ordinal":0}]'`)).toMatchObject({
    code: 'BadRequest_InconsistentMapping',
  });
  expect((await command(`.show table Twice ingestion csv mapping 'm'`)).rows[0]?.slice(0, 2)).toEqual(['m', 'Csv']);
  expect((await command(`.drop table Twice ingestion csv mapping 'm'`)).status).toBe(200);
  expect(await command(`.show table Twice ingestion csv mapping 'm'`)).toMatchObject({
    code: 'BadRequest_MappingReferenceWasNotFound',
  });
});

test('analytics-sink 64: the Java SDK requests the same resources with another command', async () => {
  const types = async (text: string): Promise<unknown[]> => (await command(text)).rows.map(([type]) => type);
  const shown = await types('.show ingestion resources');
  expect(shown).toContain('TempStorage');
  expect(shown).toEqual(await types('.get ingestion resources'));
});

test('analytics-sink 64: a message with the names and texts of the Java SDK', async () => {
  await command('.create table Java (a:string)');
  const { identity } = await resources();
  const id = randomUUID();
  await enqueue({
    id,
    blobPath: await upload(id, 'x\ny\n'),
    rawDataSize: '4',
    databaseName: 'D',
    tableName: 'Java',
    flushImmediately: 'true',
    retainBlobOnSuccess: 'false',
    additionalProperties: { authorizationContext: identity, format: 'csv', ignoreFirstRecord: 'true' },
  });
  await emulator.ingestor.flush();
  expect(await query('Java')).toEqual([['y']]);
});

test('queued ingestion by REST: the outcome of each blob', async () => {
  await command('.create table Rest (a:int)');
  const begin = async (blobs: object[]): Promise<Response> =>
    await fetch(`${emulator.url}/v1/rest/ingestion/queued/d/Rest`, {
      method: 'POST',
      body: JSON.stringify({ blobs, properties: { format: 'csv', enableTracking: true, skipBatching: true } }),
    });
  const [good, bad] = [randomUUID(), randomUUID()];
  const response = await begin([
    { url: await upload(good, '1\n'), sourceId: good, rawSize: 2 },
    { url: `${(await upload(bad, '1\n')).replace(bad, 'gone')}`, sourceId: bad, rawSize: 2 },
  ]);
  const { ingestionOperationId } = (await response.json()) as { ingestionOperationId: string };
  await emulator.ingestor.flush();
  const status = await fetch(
    `${emulator.url}/v1/rest/ingestion/queued/d/Rest/${ingestionOperationId}?details=true`,
  ).then(async (answer) => (await answer.json()) as object);
  expect(status).toMatchObject({
    status: { Succeeded: 1, Failed: 1, InProgress: 0 },
    details: [
      { sourceId: good, status: 'Succeeded' },
      { sourceId: bad, status: 'Failed', errorCode: 'Download_SourceNotFound' },
    ],
  });
  expect((await begin([])).status).toBe(400);
});

test('unsupported requests are rejected by name', async () => {
  expect(await command('.alter cluster policy caching')).toMatchObject({ status: 400, code: 'General_BadRequest' });
  expect(await command(".create table T ('x)")).toMatchObject({ status: 400 });
  expect(await post('/v1/rest/query', 'Nowhere | count')).toMatchObject({ code: 'BadRequest_TableNotExist' });
  const sql = { Options: { query_language: 'sql' } };
  expect((await post('/v1/rest/query', 'SELECT 1 + 1', sql)).rows).toEqual([[2]]);
  expect((await post('/v1/rest/query', 'DROP SCHEMA __emulator CASCADE', sql)).status).toBe(400);
  expect((await post('/v1/rest/query', 'SELECT 1; DROP SCHEMA __emulator', sql)).status).toBe(400);
});

test('a tag is loaded once, a blob of one batch too', async () => {
  await command('.create table Once (a:string)');
  const tagged = { format: 'csv', tags: '["ingest-by:one"]', ingestIfNotExists: '["one"]' };
  expect(await ingest('Once', 'x\n', tagged)).toBe(null);
  expect(await ingest('Once', 'x\n', tagged)).toBe(null);
  expect(await query('Once | count')).toEqual([[1]]);
});

test('a flush waits for messages that are being read from a queue', async () => {
  await command('.create table Taken (a:string)');
  const id = randomUUID();
  const { identity } = await resources();
  const message = {
    Id: id,
    BlobPath: await upload(id, 'x\n'),
    DatabaseName: 'd',
    TableName: 'Taken',
    AdditionalProperties: { authorizationContext: identity, format: 'csv' },
  };
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let holding = false;
  const hooks = emulator.resources.queues.map((queue) => {
    const receive = queue.receiveMessages.bind(queue);
    return jest.spyOn(queue, 'receiveMessages').mockImplementation(async (...options) => {
      const answer = await receive(...options);
      if (answer.receivedMessageItems.length > 0) {
        holding = true;
        await released;
      }
      return answer;
    });
  });
  try {
    await enqueue(message);
    await waitFor('the message to be taken', () => holding);
    const flushed = emulator.ingestor.flush().then(async () => await query('Taken'));
    // Longer than a flush with empty queues takes.
    for (let round = 0; round < 3; round++)
      for (const queue of emulator.resources.queues) await queue.receiveMessages({ numberOfMessages: 1 });
    release();
    expect(await flushed).toEqual([['x']]);
  } finally {
    release();
    for (const hook of hooks) hook.mockRestore();
  }
});

describe('with a login', () => {
  let guarded: AnalyticsEmulator;
  const application = { tenant: 'tenant', id: 'app', secret: 'canary-secret' };
  beforeAll(async () => {
    guarded = await startAnalyticsEmulator({ application });
  });
  afterAll(async () => {
    await guarded?.stop();
  });
  const login = async (tenant: string, id: string, secret: string): Promise<Response> =>
    await fetch(`${guarded.url}/${tenant}/oauth2/v2.0/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: id,
        client_secret: secret,
        scope: 'x/.default',
      }),
    });
  const version = async (token?: string): Promise<number> =>
    (
      await fetch(`${guarded.url}/v1/rest/mgmt`, {
        method: 'POST',
        headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
        body: JSON.stringify({ db: 'demo', csl: '.show version' }),
      })
    ).status;

  test('only a valid token is accepted', async () => {
    expect(await version()).toBe(401);
    expect(await version('token-made-up')).toBe(401);
    const { access_token: token } = (await (await login('tenant', 'app', 'canary-secret')).json()) as {
      access_token: string;
    };
    expect(await version(token)).toBe(200);
    expect((await login('tenant', 'app', 'wrong')).status).toBe(401);
    expect((await login('tenant', 'other', 'canary-secret')).status).toBe(400);
    expect((await login('elsewhere', 'app', 'canary-secret')).status).toBe(400);
  });

  test('faults occur as often as configured', async () => {
    guarded.faults.add({ target: 'token', status: 503, times: 1 });
    expect((await login('tenant', 'app', 'canary-secret')).status).toBe(503);
    expect((await login('tenant', 'app', 'canary-secret')).status).toBe(200);
  });
});
