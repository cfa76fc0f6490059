/** Settings that only this file sink has. */
import { mkdtemp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decimalSchema, LogicalName, schema, structSchema, type SinkRecord } from '@millrace/sdk';
import { SinkTaskHarness } from '@millrace/sdk/testing';
import { fileStreamSink } from '../../../../connectors/file/src/sink/connector';
import { openTarget } from '../../../../connectors/file/src/sink/file-target';
import { jsonText } from '../../../../connectors/file/src/sink/json-text';
import { pathTemplate, templateProblem } from '../../../../connectors/file/src/sink/path-template';
import { Targets } from '../../../../connectors/file/src/sink/targets';
import { JsonConverter } from '../../../../src/converters/json/json-converter';

let folder: string;
let file: string;
const harnesses: SinkTaskHarness[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-file-options-'));
  file = join(folder, 'out.txt');
});
afterEach(async () => {
  for (const harness of harnesses.splice(0)) await harness.stop().catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
});

async function start(config: Record<string, string> = {}): Promise<SinkTaskHarness> {
  const assignment = ['a', 'b'].map((topic) => ({ topic, partition: 0 }));
  const harness = await SinkTaskHarness.start(fileStreamSink, { topics: 'a,b', file, ...config }, { assignment });
  harnesses.push(harness);
  return harness;
}
const written = async (name = file): Promise<string> => await readFile(name, 'utf8');
const files = async (): Promise<string[]> => (await readdir(folder)).sort();

test('analytics-sink 66: strings of two topics in order, appended after a restart', async () => {
  const first = await start();
  await first.put([
    { topic: 'a', value: 'one' },
    { topic: 'b', value: 'two' },
    { topic: 'a', value: 'three' },
  ]);
  await first.stop();
  const second = await start();
  await second.put([{ topic: 'b', value: 'four' }]);
  expect(await written()).toBe('one\ntwo\nthree\nfour\n');
});

const change = structSchema(
  [
    ['before', structSchema([['id', schema('INT32')]], { optional: true })],
    [
      'after',
      structSchema([
        ['id', schema('INT32')],
        ['price', decimalSchema(2)],
        ['name', schema('STRING', { optional: true, default: 'none' })],
        ['big', schema('INT64')],
        ['ratio', schema('FLOAT64')],
        ['whole', schema('FLOAT64')],
        ['share', schema('FLOAT32')],
        ['most', schema('FLOAT32')],
        ['born', schema('INT32', { name: LogicalName.DATE })],
        ['at', schema('INT64', { name: LogicalName.TIMESTAMP })],
        ['picture', schema('BYTES')],
        ['doc', schema('STRING', { name: 'io.debezium.data.Json' })],
      ]),
    ],
    ['op', schema('STRING')],
    ['ts_ms', schema('INT64')],
  ],
  { name: 'fulfillment.public.todos.Envelope' },
);
const event = {
  before: null,
  after: {
    id: 7,
    price: { unscaled: -12345678901234567890n, scale: 2 },
    name: null,
    big: 9007199254740993n,
    ratio: 0.1,
    whole: 2,
    share: Math.fround(0.1),
    most: Infinity,
    born: new Date('2024-02-29T00:00:00Z'),
    at: new Date('2024-02-29T12:34:56.789Z'),
    picture: Buffer.from([0, 255]),
    doc: '{"a":\n"b"}',
  },
  op: 'c',
  ts_ms: 1700000000000,
};

test('analytics-sink 69: file.format=json writes a change event as a line of JSON, as Connect’s converter does', async () => {
  const harness = await start({ 'file.format': 'json', 'file.tombstones': 'skip' });
  await harness.put([{ valueSchema: change, value: event }, { value: null }, { value: { a: [1, null, 'x'] } }]);
  const lines = (await written()).split('\n');
  expect(lines).toHaveLength(3);
  const converter = new JsonConverter();
  converter.configure({ 'schemas.enable': 'false', 'decimal.format': 'NUMERIC' });
  expect(lines[0]).toBe(String(converter.fromConnectData('t', change, event)));
  expect(lines.slice(1)).toEqual(['{"a":[1,null,"x"]}', '']);
});

test.each<[unknown, string]>([
  [null, 'null'],
  [NaN, '"NaN"'],
  [1e21, '1000000000000000000000'],
  [0.00001, '1.0E-5'],
  [new Map([['k', 1n]]), '{"k":1}'],
  [new Map([[1, true]]), '[[1,true]]'],
  [{ unscaled: 5n, scale: -2 }, '500'],
  [new Date(5), '5'],
])('analytics-sink 69: %p without a schema', (value, expected) => {
  expect(jsonText(null, value)).toBe(expected);
});

test('file.format=jsonenvelope includes the origin of a record', async () => {
  const harness = await start({ 'file.format': 'jsonenvelope', 'file.line.separator': '\\r\\n' });
  const headers = ['x', 'y'].map((value) => ({ key: 'h', schema: null, value }));
  await harness.put([{ topic: 'b', offset: 4, timestamp: 5, key: { id: 1 }, value: 'v', headers }]);
  expect(await written()).toBe(
    '{"topic":"b","partition":0,"offset":4,"timestamp":5,"key":{"id":1},"value":"v","headers":[{"key":"h","value":"x"},{"key":"h","value":"y"}]}\r\n',
  );
});

test('analytics-sink 70: the committed offset does not move while the disk is full', async () => {
  await symlink('/dev/full', file);
  const harness = await start();
  await expect(harness.put([{ topic: 'a', value: 'x' }])).rejects.toMatchObject({ code: 'FILE_SINK_FULL' });
  await harness.commit();
  expect(harness.committed(0)).toBeNull();
});

test('analytics-sink 71: rotation by size: no split line, no file above the limit, all files together contain the input', async () => {
  const lines = Array.from({ length: 5_000 }, (_, i) => `line ${i} žluť ${'x'.repeat((i * 7) % 90)}`);
  lines[2500] = 'y'.repeat(3_000);
  const harness = await start({ 'file.rotate.bytes': '2000' });
  for (let at = 0; at < lines.length; at += 500)
    await harness.put(lines.slice(at, at + 500).map((value) => ({ value })));
  const complete = (await files()).filter((name) => name !== 'out.txt.part');
  expect(complete.length).toBeGreaterThan(100);
  expect(complete.every((name) => /^out\.txt\.\d{8}T\d{9}Z$/.test(name))).toBe(true);
  const contents = await Promise.all(complete.map((name) => written(join(folder, name))));
  for (const text of contents) {
    expect(text.endsWith('\n')).toBe(true);
    expect(Buffer.byteLength(text) <= 2000 || text === `${lines[2500]}\n`).toBe(true);
  }
  expect(contents.join('') + (await written(`${file}.part`))).toBe(`${lines.join('\n')}\n`);
  await harness.stop();
  expect((await files()).filter((name) => name.endsWith('.part'))).toEqual([]);
});

test('analytics-sink 72: a file that a crash left partially written is terminated and continued; one without lines is removed', async () => {
  await writeFile(`${file}.part`, 'whole;to');
  const harness = await start({ 'file.rotate.bytes': '1000', 'file.line.separator': ';' });
  await harness.put([{ value: 'torn' }]);
  await harness.stop();
  const [name = ''] = await files();
  expect(await written(join(folder, name))).toBe('whole;to;torn;');
  await (await start({ 'file.rotate.bytes': '1000' })).stop();
  expect(await files()).toEqual([name]);
});

test('while the disk is full the last line may be partial, so the file is not published as complete', async () => {
  await symlink('/dev/full', `${file}.part`);
  const harness = await start({ 'file.rotate.bytes': '1000' });
  await expect(harness.put([{ value: 'x' }])).rejects.toThrow('the disk is full');
  await harness.stop();
  expect(await files()).toEqual(['out.txt.part']);
});

test('rotation by age: only files with lines, when their time is over; names increase and overwrite nothing', async () => {
  let now = Date.parse('2024-05-06T07:08:09.010Z');
  await writeFile(`${file}.20240506T070809110Z`, 'foreign\n');
  const options = {
    separator: Buffer.from('\n'),
    fsync: true,
    createDirs: false,
    root: null,
    rotateBytes: 0,
    rotateMs: 100,
  };
  const target = await openTarget(
    file,
    options,
    () => now,
    () => now,
  );
  now += 100;
  await target.tick(now);
  expect(await files()).toEqual(['out.txt.20240506T070809110Z', 'out.txt.part']);
  for (const line of ['a\n', 'b\n']) {
    await target.write(Buffer.from(line));
    await target.flush();
    await target.tick(now + 99 - 100);
    await target.rotate();
  }
  expect((await files()).slice(1)).toEqual(['out.txt.20240506T070809111Z', 'out.txt.20240506T070809112Z']);
  await target.write(Buffer.from('c\n'));
  await target.tick(now + 99);
  expect(await files()).toContain('out.txt.part');
  await target.tick(now + 100);
  expect(await files()).not.toContain('out.txt.part');
  await target.close(true);
});

test('rotation by age: a wall clock set back does not keep a file open', async () => {
  let timeOfDay = Date.parse('2024-05-06T07:08:09.010Z');
  const options = {
    separator: Buffer.from('\n'),
    fsync: true,
    createDirs: false,
    root: null,
    rotateBytes: 0,
    rotateMs: 100,
  };
  const target = await openTarget(
    file,
    options,
    () => timeOfDay,
    () => 1_000,
  );
  await target.write(Buffer.from('a\n'));
  timeOfDay -= 3_600_000;
  await target.tick(1_100);
  expect(await files()).toEqual(['out.txt.20240506T060809010Z']);
  await target.close(true);
});

test('file.template: a file per topic, partition, task and hour of the record; directories are created on demand', async () => {
  const template = join(folder, 'deep', '${topic}-${partition}-${task}-${timestamp:yyyyMMddHH}.txt');
  const harness = await start({ file: template, 'file.template': 'true', 'file.create.dirs': 'true' });
  const timestamp = Date.parse('2024-05-06T07:08:09Z');
  await harness.put([
    { topic: 'a', value: '1', timestamp },
    { topic: 'b', value: '2', timestamp: timestamp + 3_600_000 },
    { topic: 'a', value: '3', timestamp },
    { topic: 'a', value: '4', timestamp: null },
  ]);
  const deep = join(folder, 'deep');
  expect((await readdir(deep)).sort()).toEqual([
    'a-0-0-2024050607.txt',
    'a-0-0-no-timestamp.txt',
    'b-0-0-2024050608.txt',
  ]);
  expect(await written(join(deep, 'a-0-0-2024050607.txt'))).toBe('1\n3\n');
});

test('a missing directory of a template fails the first put with the path, and the task stays FAILED', async () => {
  const harness = await start({ file: join(folder, '${topic}', 'x'), 'file.template': 'true' });
  const failure = { code: 'FILE_SINK_OPEN', message: expect.stringContaining(join(folder, 'a')) };
  await expect(harness.put([{ topic: 'a', value: 'x' }])).rejects.toMatchObject(failure);
  await expect(harness.put([])).rejects.toMatchObject(failure);
});

test('a value never selects another directory', () => {
  const path = pathTemplate('/data/${topic}/${timestamp:yyyy-MM-dd_HH.mm.ss}');
  const at = { partition: 0, timestamp: 0 };
  expect(path({ ...at, topic: '../etc/passwd' } as SinkRecord, 0)).toBe('/data/.._etc_passwd/1970-01-01_00.00.00');
  expect(path({ ...at, topic: '..' } as SinkRecord, 0)).toBe('/data/_/1970-01-01_00.00.00');
});

test.each(['${key}', '${timestamp}', '${timestamp:hh}', '${timestamp:yyyy/MM}', '${}'])('%s is rejected', (part) => {
  expect(templateProblem(`/x/${part}`)).toContain(`Unknown placeholder ${part}`);
});

test('files of revoked partitions are complete before another task continues them', async () => {
  const config = { file: join(folder, '${topic}'), 'file.template': 'true', 'file.rotate.bytes': '1000' };
  const harness = await start(config);
  await harness.put([{ topic: 'a', value: 'x' }]);
  expect(await files()).toEqual(['a.part']);
  await harness.task.close?.([{ topic: 'a', partition: 0 }]);
  expect((await files()).map((name) => name.replace(/\d/g, '0'))).toEqual(['a.00000000T000000000Z']);
});

test('the number of open files is limited: the least recently used one is closed', async () => {
  const closed: string[] = [];
  const make = async (name: string) => ({ name, close: async () => void closed.push(name) }) as never;
  const targets = new Targets(make, 2);
  for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await targets.get(name);
  expect(closed).toEqual(['b', 'c']);
  await targets.close(true);
  expect(closed).toEqual(['b', 'c', 'a', 'b']);
});

test.each<[string, Record<string, string>, string[]]>([
  ['a template without a file', { 'file.template': 'true' }, ['file.template requires a file']],
  ['rotation without a file', { 'file.rotate.ms': '5', 'file.rotate.bytes': '5' }, ['bytes requires', 'ms requires']],
  ['an unknown placeholder', { file: '${x}', 'file.template': 'true' }, ['Unknown placeholder ${x}']],
  ['a placeholder without template', { file: '${x}' }, []],
  [
    'several tasks that rotate',
    { file: 'f', 'file.rotate.ms': '5', 'tasks.max': '2' },
    ['cannot rotate the same file'],
  ],
  [
    'several tasks that rotate different files',
    { file: '${topic}-${partition}', 'file.template': 'true', 'file.rotate.ms': '5', 'tasks.max': '2' },
    [],
  ],
])('validation of %s', async (_, config, messages) => {
  const problems = (await fileStreamSink.validate?.(config, {})) ?? [];
  expect(problems.map(({ message }) => message)).toEqual(messages.map((part) => expect.stringContaining(part)));
});

test.each<[string, string, string | null]>([
  ['file.format', 'xml', 'String must be one of: string, json, jsonenvelope'],
  ['file.tombstones', 'drop', 'String must be one of: print, skip'],
  ['file.rotate.bytes', '-1', 'Value must be at least 0'],
  ['file.line.separator', '', 'String must be non-empty'],
  ['file.line.separator', '\r\n', null],
])('validation of %s=%j', (name, value, message) => {
  const key = fileStreamSink.config.find((candidate) => candidate.name === name);
  expect(key?.validator?.(value.trim(), { [name]: value }) ?? null).toBe(message);
});

test('without file.fsync, flush does not wait for the disk', async () => {
  await mkdir(join(folder, 'd'));
  const harness = await start({ file: join(folder, 'd', 'f') });
  await harness.put([{ topic: 'a', value: 'x' }]);
  const inside = harness.task as unknown as { target: { file: { handle: { datasync(): Promise<void> } } } };
  inside.target.file.handle.datasync = () => Promise.reject(new Error('must not be called'));
  await harness.commit();
  expect(harness.committed(0)).toBe(1);
});
