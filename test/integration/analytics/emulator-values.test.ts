/** Values in the emulator's responses, to the last digit, and what it loads. */
import { crc32, deflateRawSync } from 'node:zlib';
import { startAnalyticsEmulator, type AnalyticsEmulator } from '../../../dev/analytics-emulator';
import { EmulatorClient } from './emulator-client';

let emulator: AnalyticsEmulator;
let client: EmulatorClient;
beforeAll(async () => {
  emulator = await startAnalyticsEmulator({ database: 'd' });
  client = new EmulatorClient(emulator);
});
afterAll(async () => {
  await emulator?.stop();
});

describe('longs beyond 2^53', () => {
  const wide = ['9007199254740993', '-9223372036854775808', '9223372036854775807'];

  beforeAll(async () => {
    await client.command('.create table Wide (l:long, o:dynamic)');
    const rows = wide.map((long) => `${long},"{""n"":[${long}]}"\n`).join('');
    expect(await client.ingest('Wide', rows, { format: 'csv' })).toBe(null);
  });

  test.each(['/v1/rest/query', '/v2/rest/query'])('are exact in the answers to %s', async (path) => {
    const { text } = await client.post(path, 'Wide');
    for (const long of wide) expect(text).toContain(`[${long},{"n":[${long}]}]`);
  });

  test('are exact in the answers to SQL', async () => {
    const sql = { Options: { query_language: 'sql' } };
    const { text } = await client.post('/v1/rest/query', 'SELECT 9007199254740993 AS l', sql);
    expect(text).toContain('"Rows":[[9007199254740993]]');
  });

  test('are compared exactly', async () => {
    expect(await client.query('Wide | where l == 9007199254740992 | count')).toEqual([[0]]);
    expect(await client.query('Wide | where l == 9007199254740993 | count')).toEqual([[1]]);
  });

  test('are exact in a JSON array, too', async () => {
    await client.command('.create table Listed (l:long)');
    expect(await client.ingest('Listed', '[{"l":9007199254740993}]', { format: 'multijson' })).toBe(null);
    expect((await client.post('/v1/rest/query', 'Listed')).text).toContain('"Rows":[[9007199254740993]]');
  });
});

test.each([
  ['count()', 'count_'],
  ['n=count()', 'n'],
  ['n = count()', 'n'],
  ['count() by a', 'count_'],
  ['n=count() by a', 'n'],
  ["['n']=count()by a", 'n'],
])('summarize %s', async (text, name) => {
  await client.command('.create-merge table Sums (a:string)');
  await client.command('.clear table Sums data');
  expect(await client.ingest('Sums', 'x\nx\n', { format: 'csv' })).toBe(null);
  const answer = await client.post('/v1/rest/query', `Sums|summarize ${text}`);
  expect(answer).toMatchObject({ status: 200, rows: [text.includes('by') ? ['x', 2] : [2]] });
  expect(answer.text).toContain(`"ColumnName":"${name}"`);
});

/** A ZIP archive. */
function zip(files: Readonly<Record<string, string>>, method: 0 | 8 = 8): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, text] of Object.entries(files)) {
    const data = method === 8 ? deflateRawSync(text) : Buffer.from(text);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(crc32(text), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(Buffer.byteLength(text), 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, Buffer.from(name), data]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    directory.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000'), common, rest, Buffer.from(name)]));
    parts.push(local);
    at += local.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(entries.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...parts, entries, Buffer.from('PK\u0005\u0006'), end]);
}

describe('a ZIP archive', () => {
  beforeAll(async () => {
    await client.command('.create table Zipped (a:string, b:int)');
  });
  beforeEach(async () => {
    await client.command('.clear table Zipped data');
  });

  test.each([8, 0] as const)('is loaded by its contents (method %s)', async (method) => {
    const data = zip({ 'rows.csv': 'a,b\nx,1\n' }, method);
    expect(await client.ingest('Zipped', data, { format: 'csv', ignoreFirstRecord: true }, '.csv.zip')).toBe(null);
    expect(await client.query('Zipped')).toEqual([['x', 1]]);
  });

  test('with several files gives the rows of all, or of those that zipPattern matches', async () => {
    const data = zip({ 'one.csv': 'x,1', 'two.csv': 'y,2', 'read.me': 'z,3' });
    expect(await client.ingest('Zipped', data, { format: 'csv' }, '.zip')).toBe(null);
    expect(await client.query('Zipped | order by b asc')).toEqual([
      ['x', 1],
      ['y', 2],
      ['z', 3],
    ]);
    await client.command('.clear table Zipped data');
    expect(await client.ingest('Zipped', data, { format: 'csv', zipPattern: '.*\\.csv' }, '.zip')).toBe(null);
    expect(await client.query('Zipped | count')).toEqual([[2]]);
  });

  test('that is truncated is rejected', async () => {
    const data = zip({ 'rows.csv': 'x,1\n' });
    expect(await client.ingest('Zipped', data.subarray(0, 40), { format: 'csv' }, '.zip')).toBe(
      'BadRequest_InvalidBlob',
    );
  });
});
