/** The official SDK against the emulator. What works for it is a valid test of the sink's own client. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type * as Data from 'azure-kusto-data';
import type * as Ingest from 'azure-kusto-ingest';
import avro from 'avsc';
import { startAnalyticsEmulator, type AnalyticsEmulator } from '../../../dev/analytics-emulator';

// The SDK has only ES modules.
let data: typeof Data;
let sdk: typeof Ingest;
let emulator: AnalyticsEmulator;
let client: Data.Client;
let folder: string;

beforeAll(async () => {
  data = await import('azure-kusto-data');
  sdk = await import('azure-kusto-ingest');
  emulator = await startAnalyticsEmulator();
  client = new data.Client(connection());
  folder = await mkdtemp(join(tmpdir(), 'millrace-analytics-'));
  await command('.create table T (a:string, b:int)');
  await command(
    `.create table T ingestion json mapping 'J' '[{"column":"a","path":"$.x"},{"column":"b","path":"$.y"}]'`,
  );
});
afterAll(async () => {
  client?.close();
  await emulator?.stop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  await command('.clear table T data');
});

function connection(): Data.KustoConnectionStringBuilder {
  return new data.KustoConnectionStringBuilder(emulator.url);
}
async function command(text: string): Promise<unknown[][]> {
  const { primaryResults } = await client.executeMgmt('demo', text);
  return [...(primaryResults[0]?.rows() ?? [])].map((row) => [...row.values()]);
}
async function query(text: string): Promise<unknown[][]> {
  const { primaryResults } = await client.executeQuery('demo', text);
  return [...(primaryResults[0]?.rows() ?? [])].map((row) => [...row.values()]);
}
function properties(format: Ingest.DataFormat, mapping?: string, table = 'T'): Ingest.IngestionProperties {
  return new sdk.IngestionProperties({
    database: 'demo',
    table,
    format,
    ...(mapping !== undefined && { ingestionMappingReference: mapping }),
  });
}
async function ingest(name: string, content: string | Buffer, given: Ingest.IngestionProperties): Promise<void> {
  const path = join(folder, name);
  await writeFile(path, content);
  const ingestion = new sdk.IngestClient(connection(), given);
  await ingestion.ingestFromFile(path);
  ingestion.close();
  await emulator.ingestor.flush();
}

test.each([
  ['csv', 'csv', 'x,1\ny,2\n', undefined],
  ['csv.gz', 'csv', gzipSync('x,1\ny,2\n'), undefined],
  ['json', 'multijson', '{"x":"x","y":1}\n{"x":"y",\n"y":2}', 'J'],
])('analytics-sink 58: a queued %s file', async (extension, format, content, mapping) => {
  await ingest(`data.${extension}`, content, properties(format as Ingest.DataFormat, mapping));
  expect(await query('T | order by b asc')).toEqual([
    ['x', 1],
    ['y', 2],
  ]);
});

test('analytics-sink 58: a queued Avro file; big integers stay exact', async () => {
  await command('.create-merge table A (a:string, n:long)');
  const type = avro.Type.forSchema({
    type: 'record',
    name: 'r',
    fields: [
      { name: 'a', type: ['null', 'string'] },
      { name: 'n', type: 'long' },
    ],
  });
  const path = join(folder, 'data.avro');
  const encoder = new avro.streams.BlockEncoder(type);
  encoder.write({ a: 'x', n: 9007199254740990 });
  encoder.end({ a: null, n: 5 });
  await writeFile(path, encoder);
  const ingestion = new sdk.IngestClient(connection(), properties(sdk.DataFormat.AVRO, undefined, 'A'));
  await ingestion.ingestFromFile(path);
  ingestion.close();
  await emulator.ingestor.flush();
  expect(await query('A | order by n asc')).toEqual([
    ['', 5],
    ['x', 9007199254740990],
  ]);
});

test('analytics-sink 58: streaming, and managed streaming', async () => {
  await command('.alter table T policy streamingingestion enable');
  const streaming = new sdk.StreamingIngestClient(connection(), properties(sdk.DataFormat.CSV));
  await streaming.ingestFromStream(Readable.from(['x,1\n']), properties(sdk.DataFormat.CSV));
  streaming.close();
  const managed = new sdk.ManagedStreamingIngestClient(connection(), connection(), properties(sdk.DataFormat.CSV));
  await managed.ingestFromStream(
    new sdk.StreamDescriptor(Readable.from([Buffer.from('y,2\n')])),
    properties(sdk.DataFormat.CSV),
  );
  managed.close();
  await emulator.ingestor.flush();
  expect(await query('T | order by b asc')).toEqual([
    ['x', 1],
    ['y', 2],
  ]);
});

test('analytics-sink 53: a failure is listed, and its report can be peeked', async () => {
  const path = join(folder, `${randomUUID()}.csv`);
  await writeFile(path, 'x,1\n');
  const ingestion = new sdk.IngestClient(connection(), properties(sdk.DataFormat.CSV, undefined, 'Nowhere'));
  await ingestion.ingestFromFile(path);
  ingestion.close();
  await emulator.ingestor.flush();
  const failures = await command(
    `.show ingestion failures | where Table == 'Nowhere' | where IngestionSourcePath has '${path.slice(-16, -4)}'`,
  );
  expect(failures).toHaveLength(1);
  expect(failures[0]).toContain('BadRequest_TableNotExist');
  const { peekedMessageItems } = await emulator.resources.failed.peekMessages({ numberOfMessages: 1 });
  expect(JSON.parse(Buffer.from(peekedMessageItems[0]?.messageText ?? '', 'base64').toString())).toMatchObject({
    Table: 'Nowhere',
    ErrorCode: 'BadRequest_TableNotExist',
    FailureStatus: 'Permanent',
  });
});

test('analytics-sink 65: queries through the SDK', async () => {
  await command(`.ingest inline into table T <|\nit's,1\ny,2\nz,`);
  expect(await query('T | count')).toEqual([[3]]);
  expect(await query('T | where b == 2 | project a')).toEqual([['y']]);
  expect(await query(`T | where a has "it's" or isnull(b) | order by a asc | take 5`)).toEqual([
    ["it's", 1],
    ['z', null],
  ]);
  expect(await query('T | summarize count() by a | where count_ > 1 | count')).toEqual([[0]]);
  expect(await query(`print x='text', 5`)).toEqual([['text', 5]]);
  await expect(query('T | where nothing == 1')).rejects.toThrow();
  await expect(query('T | evaluate bag_unpack(a)')).rejects.toThrow();
});
