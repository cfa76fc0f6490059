/** Tasks of connect-file's jar in a JVM, without a worker. */
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ConfiguredPlugin,
  isProcessingFailure,
  type ProcessedSinkRecord,
  type ProcessingTask,
  type RecordProcessing,
  type SinkConnector,
  type SinkRecord,
  type SinkTaskContext,
  type SourceConnector,
  type SourceRecord,
  type SourceTask,
  type SourceTaskContext,
} from '@millrace/sdk';
import { builtJavaHost } from '../../../dev/services/java-host';
import { pluginPath } from '../../../dev/services/plugin-jars';
import type { JavaPlugin } from '../../../packages/java-host/src/java-plugin';
import { JvmSupervisor } from '../../../packages/java-host/src/jvm/jvm-supervisor';
import { loadJavaPlugin } from '../../../packages/java-host/src/load-java-plugin';
import { formatTrace } from '../../../src/tasks/trace';
import { MemoryLog, SETTINGS } from '../jvm/fake-jvms';
import { contextOf } from '../plugins/task-parts';

const SOURCE = 'org.apache.kafka.connect.file.FileStreamSourceConnector';
const SINK = 'org.apache.kafka.connect.file.FileStreamSinkConnector';
const TRANSFORMS = 'org.apache.kafka.connect.transforms';

let supervisor: JvmSupervisor;
let unit: Pick<JavaPlugin, 'location' | 'classPath' | 'version'>;
let folder: string;
let log: MemoryLog;
const running: { release?(): void }[] = [];

beforeAll(async () => {
  await builtJavaHost();
  const location = join(await pluginPath('file'), 'file');
  const jars = readdirSync(location).filter((name) => name.endsWith('.jar'));
  unit = { location, classPath: jars.map((name) => join(location, name)), version: '4.3.1' };
  log = new MemoryLog();
  supervisor = new JvmSupervisor({ settings: SETTINGS, log });
}, 300_000);
afterAll(async () => await supervisor.close());
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'java-tasks-'))));
afterEach(() => {
  for (const task of running.splice(0)) task.release?.();
  rmSync(folder, { recursive: true });
});

const STRINGS: ConfiguredPlugin = { name: 'org.apache.kafka.connect.storage.StringConverter', settings: {} };
const JSON_VALUES: ConfiguredPlugin = {
  name: 'org.apache.kafka.connect.json.JsonConverter',
  settings: { 'schemas.enable': 'false', 'converter.type': 'value' },
};

function processingOf(steps: readonly ConfiguredPlugin[] = [], value = JSON_VALUES): RecordProcessing {
  return {
    steps: steps.map((transformation, i) => ({ alias: `s${i}`, transformation, predicate: null, negate: false })),
    key: STRINGS,
    value,
    header: { name: 'org.apache.kafka.connect.storage.SimpleHeaderConverter', settings: {} },
  };
}

async function sourceOf(
  config: Readonly<Record<string, string>>,
  processing: RecordProcessing,
  stored: SourceRecord['sourceOffset'] = null,
) {
  const connector = (await loadJavaPlugin(
    { ...unit, type: 'source', class: SOURCE },
    supervisor.jvms,
  )) as SourceConnector;
  const task = connector.createTask();
  running.push(task);
  const of: ProcessingTask = { connector: 'c', task: 0, config, connectorConfig: config };
  const taken = await task.takeProcessing?.(processing, of);
  const offsets = { offset: async () => stored, offsets: async (list: readonly unknown[]) => list.map(() => stored) };
  const given = contextOf<SourceTaskContext>({ offsets });
  await task.start(config, given.context);
  return { task, taken, ...given };
}

/** Until it has polled so many. */
async function poll(task: SourceTask, count: number): Promise<SourceRecord[]> {
  const records: SourceRecord[] = [];
  while (records.length < count) records.push(...((await task.poll()) ?? []));
  return records;
}

test('a source task reads lines, converts them in its JVM, and goes on from its offset', async () => {
  const file = join(folder, 'in.txt');
  writeFileSync(file, 'one\ntwo\n');
  const config = { file, topic: 'lines' };
  const hoist = { name: `${TRANSFORMS}.HoistField$Value`, settings: { field: 'line' } };
  const first = await sourceOf(config, processingOf([hoist]));
  expect(first.taken).toEqual({ steps: 1, converters: true });
  const records = await poll(first.task, 2);
  expect(records.map(({ value }) => String(value))).toEqual(['{"line":"one"}', '{"line":"two"}']);
  expect(records[1]).toMatchObject({
    topic: 'lines',
    key: null,
    sourcePartition: { filename: file },
    sourceOffset: { position: 8 },
  });
  appendFileSync(file, 'three\n');
  first.abort();
  expect(await first.task.poll()).toBeNull();
  await first.task.stop();
  first.task.release?.();
  const second = await sourceOf(config, processingOf([hoist]), { position: 4 });
  expect((await poll(second.task, 2)).map(({ value }) => String(value))).toEqual([
    '{"line":"two"}',
    '{"line":"three"}',
  ]);
}, 60_000);

test('a record that a transformation rejects has Java’s class and stack, and can be tried again', async () => {
  const file = join(folder, 'in.txt');
  writeFileSync(file, 'one\n');
  const cast = { name: `${TRANSFORMS}.Cast$Value`, settings: { spec: 'int32' } };
  const { task } = await sourceOf({ file, topic: 'lines' }, processingOf([cast]));
  const [record] = (await poll(task, 1)) as unknown as { outcome: unknown }[];
  const failure = record?.outcome;
  if (!isProcessingFailure(failure)) throw new Error('it has not failed');
  expect(failure).toMatchObject({ stage: 'TRANSFORMATION', className: `${TRANSFORMS}.Cast$Value` });
  const trace = formatTrace(failure.error, 'c');
  expect(trace).toMatch(/^org\.apache\.kafka\.connect\.errors\.DataException: .*one/);
  expect(trace).toMatch(/^\tat org\.apache\.kafka\.connect\.transforms\.Cast\./m);
  const again: unknown = await failure.retry();
  expect(isProcessingFailure((again as { outcome: unknown }).outcome)).toBe(true);
}, 60_000);

test('what a converter of Node.js is to do comes as data', async () => {
  const file = join(folder, 'in.txt');
  writeFileSync(file, 'one\n');
  const value = { name: 'io.confluent.connect.avro.AvroConverter', settings: {} };
  const { task, taken } = await sourceOf({ file, topic: 'lines' }, processingOf([], value));
  expect(taken).toEqual({ steps: 0, converters: false });
  expect(await poll(task, 1)).toMatchObject([
    { valueSchema: { type: 'STRING' }, value: 'one', keySchema: null, key: null },
  ]);
}, 60_000);

test('settings that a transformation rejects fail it for good, as in Java', async () => {
  const cast = { name: `${TRANSFORMS}.Cast$Value`, settings: { spec: 'nothing' } };
  await expect(sourceOf({ file: join(folder, 'x'), topic: 't' }, processingOf([cast]))).rejects.toMatchObject({
    javaClass: 'org.apache.kafka.connect.errors.ConnectException',
    cause: { javaClass: 'org.apache.kafka.common.config.ConfigException' },
    restartable: false,
  });
}, 60_000);

function consumed(offset: number, value: string | null): SinkRecord {
  const at = { topic: 'lines', partition: 0, offset };
  return {
    ...at,
    originalTopic: 'lines',
    originalPartition: 0,
    originalOffset: offset,
    keySchema: null,
    key: null,
    valueSchema: null,
    value: value === null ? null : Buffer.from(value),
    timestamp: 5,
    timestampType: 'CreateTime',
    headers: [],
  };
}

test('a sink task converts, puts and flushes', async () => {
  const file = join(folder, 'out.txt');
  const connector = (await loadJavaPlugin({ ...unit, type: 'sink', class: SINK }, supervisor.jvms)) as SinkConnector;
  const task = connector.createTask();
  running.push(task);
  const config = { file, topics: 'lines' };
  const extract = { name: `${TRANSFORMS}.ExtractField$Value`, settings: { field: 'line' } };
  const of: ProcessingTask = { connector: 's', task: 0, config, connectorConfig: config };
  expect(await task.takeProcessing?.(processingOf([extract]), of)).toEqual({ steps: 1, converters: true });
  await task.start(config, contextOf<SinkTaskContext>({}).context);
  const partitions = [{ topic: 'lines', partition: 0 }];
  await task.open?.(partitions);
  const records = [consumed(0, '{"line":"one"}'), consumed(1, 'no json'), consumed(2, '{"line":"three"}')];
  const results = (await task.process?.(records)) as ProcessedSinkRecord[];
  expect(results[0]).toBe(records[0]);
  expect(results[1]).toMatchObject({
    stage: 'VALUE_CONVERTER',
    className: 'org.apache.kafka.connect.json.JsonConverter',
    error: { javaClass: 'org.apache.kafka.connect.errors.DataException' },
  });
  await task.put([records[0], records[2]] as SinkRecord[]);
  const offsets = [{ topic: 'lines', partition: 0, offset: 3 }];
  expect(await task.preCommit?.(offsets)).toEqual(offsets);
  expect(readFileSync(file, 'utf8')).toBe('one\nthree\n');
  await task.close?.(partitions);
  await task.stop();
}, 60_000);
