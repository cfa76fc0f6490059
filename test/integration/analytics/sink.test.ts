/** The sink's task against the emulator: files, offsets and failures as analytics-sink §3, §4 and §10 say. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { schema, structSchema } from '@millrace/sdk';
import { SinkTaskHarness } from '@millrace/sdk/testing';
import { analyticsSink } from '@millrace/connector-analytics';
import { startAnalyticsEmulator, type AnalyticsEmulator } from '../../../connectors/analytics/emulator';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

let emulator: AnalyticsEmulator;
let folder: string;
let table: string;
const harnesses: SinkTaskHarness[] = [];

beforeAll(async () => {
  emulator = await startAnalyticsEmulator({
    database: 'd',
    application: { tenant: 'tenant', id: 'app', secret: 'canary-8271' },
  });
});
afterAll(async () => {
  await emulator?.stop();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-analytics-'));
  table = uniqueName('T');
  await command(`.create table ${table} (a:string, b:int)`);
  await command(`.create table ${table} ingestion csv mapping 'M' '[{"Name":"a","Ordinal":0},{"Name":"b","Ordinal":1}]'`);
  await command(
    `.create table ${table} ingestion json mapping 'J' '[{"column":"a","path":"$.a"},{"column":"b","path":"$.b"}]'`,
  );
});
afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.stop();
  emulator.faults.clear();
  emulator.ingestor.isPaused = false;
  await rm(folder, { recursive: true, force: true });
});

async function post(path: string, csl: string, options: object = {}): Promise<unknown[][]> {
  const response = await fetch(emulator.url + path, {
    method: 'POST',
    headers: { Authorization: `Bearer ${emulator.tokens.issue()}` },
    body: JSON.stringify({ db: 'd', csl, properties: { Options: options } }),
  });
  const body = (await response.json()) as { Tables?: { Rows: unknown[][] }[]; error?: { message: string } };
  if (!body.Tables) throw new Error(body.error?.message);
  return body.Tables[0]?.Rows ?? [];
}
const sql = async (text: string): Promise<unknown[][]> => await post('/v1/rest/query', text, { query_language: 'sql' });
const command = async (text: string): Promise<unknown[][]> => await post('/v1/rest/mgmt', text);
const rows = async (): Promise<unknown[][]> => {
  await emulator.ingestor.flush();
  return await post('/v1/rest/query', `${table} | order by b asc`);
};

function config(overrides: Record<string, string> = {}, entry: Record<string, string> = {}): Record<string, string> {
  const mapping = { topic: 't', db: 'd', table, format: 'csv', mapping: 'M', ...entry };
  return {
    name: 'storms',
    topics: 't',
    'analytics.url': emulator.url,
    'idp.auth.authority': 'tenant',
    'idp.auth.appid': 'app',
    'idp.auth.appkey': 'canary-8271',
    'analytics.tables.topics.mapping': JSON.stringify([mapping]).replaceAll('"', "'"),
    'flush.size.bytes': '100',
    'flush.interval.ms': '60000',
    'tempdir.path': folder,
    'errors.retry.backoff.time.ms': '50',
    ...overrides,
  };
}

async function start(
  overrides: Record<string, string> = {},
  entry: Record<string, string> = {},
): Promise<SinkTaskHarness> {
  const harness = await SinkTaskHarness.start(analyticsSink, config(overrides, entry));
  harnesses.push(harness);
  return harness;
}

/** Puts nothing, as the worker does while there is nothing, until the offset is committed. */
async function committed(harness: SinkTaskHarness, offset: number, partition = 0): Promise<void> {
  await waitFor(`offset ${offset} to be committed`, async () => {
    await harness.put([]);
    await harness.commit();
    return harness.committed(partition) === offset;
  });
}

const line = (text: string, length: number): string => `${text},1`.padEnd(length - 1, '0');

test('analytics-sink 20, 30, 38: rows of text arrive; files are private and gone afterwards', async () => {
  const harness = await start({ 'flush.interval.ms': '100' });
  await harness.put([{ value: 'x,1' }, { value: 'Žluťoučký 🐎 конь,2' }]);
  const [name = ''] = await readdir(folder);
  expect((await stat(join(folder, name))).mode & 0o777).toBe(0o700);
  const [file = ''] = (await readdir(join(folder, name))).filter((entry) => entry.startsWith('kafka_'));
  expect(file).toBe('kafka_t_0_0.csv.gz.part');
  expect((await stat(join(folder, name, file))).mode & 0o777).toBe(0o600);
  await committed(harness, 2);
  expect(await rows()).toEqual([
    ['x', 1],
    ['Žluťoučký 🐎 конь', 2],
  ]);
  expect(await readdir(join(folder, name))).toEqual(['lock']);
  await harness.stop();
  harnesses.length = 0;
  expect(await readdir(folder)).toEqual([]);
});

test('analytics-sink 32, 34: a file is cut when it reaches the size, and is named by its offsets', async () => {
  const harness = await start({ 'flush.size.bytes': '1000', 'analytics.max.inflight.files': '100' });
  await harness.put(Array.from({ length: 1000 }, (_, i) => ({ value: line(String(i), 50) })));
  await committed(harness, 1000);
  expect(await rows()).toHaveLength(1000);
  expect(await sql(`SELECT row_count FROM __emulator.ingestions WHERE tbl = '${table}'`)).toEqual(Array.from({ length: 50 }, () => [20]));
});

test('analytics-sink 21: a structure becomes a JSON row', async () => {
  const harness = await start({ 'flush.interval.ms': '100' }, { format: 'json', mapping: 'J' });
  const row = structSchema([
    ['a', schema('STRING')],
    ['b', schema('INT32')],
  ]);
  await harness.put(Array.from({ length: 5 }, (_, b) => ({ valueSchema: row, value: { a: 'a'.repeat(20), b } })));
  await committed(harness, 5);
  expect(await rows()).toEqual([0, 1, 2, 3, 4].map((b) => ['a'.repeat(20), b]));
});
