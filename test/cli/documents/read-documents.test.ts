import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { readDocuments, type DocumentSources } from '../../../packages/cli/src/documents/read-documents';
import { FakeIo } from '../fake-io';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'millrace-documents-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const FILE_SOURCE = { 'connector.class': 'FileStreamSource', topic: 't' };

function put(name: string, content: unknown): string {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return name;
}

async function read(sources: DocumentSources, env = {}, stdin?: string): Promise<unknown> {
  return await readDocuments(
    sources,
    new FakeIo(folder, env, stdin === undefined ? undefined : Readable.from([stdin])),
  );
}
/** What is wrong with the text. */
async function problem(name: string, content: unknown, env = {}): Promise<string> {
  const error = await read({ paths: [put(name, content)] }, env).catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ code: 'CLI_DOCUMENT_INVALID' });
  return (error as Error).message;
}

test.each<[string, unknown]>([
  ['a.json', { name: 'a', config: FILE_SOURCE }],
  ['a.json', { name: 'a', ...FILE_SOURCE }],
  ['a.json', { config: { name: 'a', ...FILE_SOURCE } }],
  ['a.json', { $schema: './a.schema.json', name: 'a', config: FILE_SOURCE }],
  ['a.json', { $schema: './a.schema.json', name: 'a', ...FILE_SOURCE }],
  ['a.json', { name: 'a', config: { name: 'a', ...FILE_SOURCE }, tasks: [], type: 'source' }],
  [
    'a.json',
    '\uFEFF{\n\t"name": "a",\n\t"config": {\n\t\t"connector.class": "FileStreamSource",\n\t\t"topic": "t"\n\t}\n}\n',
  ],
  ['a.yaml', 'name: a\nconfig:\n  connector.class: FileStreamSource\n  topic: t\n'],
  ['a.YML', '---\nname: a\nconnector.class: FileStreamSource\ntopic: t\n---\n'],
  ['a.properties', 'name=a\nconnector.class=FileStreamSource\ntopic = t\n'],
  ['a.json', [{ name: 'a', ...FILE_SOURCE }]],
  ['a.json', { apiVersion: 'v1', kind: 'List', items: [{ name: 'a', config: FILE_SOURCE }] }],
])('%s %j', async (name, content) => {
  expect(await read({ paths: [put(name, content)] })).toEqual([
    { name: 'a', config: { name: 'a', ...FILE_SOURCE }, place: expect.stringMatching(/^a\./) },
  ]);
});

test.each([
  ['JSON', '{"name":"a","connector.class":"X"}'],
  ['YAML', '# a=b\nname: a\nconnector.class: X'],
  ['properties', '# a: b\nname=a\nconnector.class=X'],
])('standard input: %s', async (_, text) => {
  expect(await read({ paths: ['-'] }, {}, text)).toEqual([
    { name: 'a', config: { name: 'a', 'connector.class': 'X' }, place: 'standard input' },
  ]);
});

test('values keep their text', async () => {
  const config = `{"name": "a", "connector.class": "X", "a": 1.10, "b": true, "c": 12345678901234567890, "d": 1e3, "e": "\\u00fc\\/\\n", "f": ""}`;
  expect(await read({ paths: [put('a.json', config)] })).toMatchObject([
    { config: { a: '1.10', b: 'true', c: '12345678901234567890', d: '1e3', e: 'ü/\n', f: '' } },
  ]);
});

test('several documents in a file, with anchors and merge keys', async () => {
  const text = `
- &defaults
  name: a
  connector.class: X
- <<: *defaults
  name: b
---
name: c
config: { connector.class: X }
labels: { team: "\${TEAM}", tier: 1 }
initial_state: paused
`;
  expect(await read({ paths: [put('a.yaml', text)] }, { TEAM: 'x' })).toEqual([
    { name: 'a', config: { name: 'a', 'connector.class': 'X' }, place: 'a.yaml, document 1, item 1' },
    { name: 'b', config: { name: 'b', 'connector.class': 'X' }, place: 'a.yaml, document 1, item 2' },
    {
      name: 'c',
      config: { name: 'c', 'connector.class': 'X', 'millrace.label.team': 'x', 'millrace.label.tier': '1' },
      initialState: 'PAUSED',
      place: 'a.yaml, document 2',
    },
  ]);
});

test('a KafkaConnector of Strimzi', async () => {
  const file = put(
    'a.yaml',
    `apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaConnector
metadata: { name: orders, labels: { strimzi.io/cluster: c } }
spec:
  class: FileStreamSink
  tasksMax: 2
  version: 4.3.1
  autoRestart: { enabled: true }
  state: stopped
  config: { topics: orders, file: "\${strimzidir:/a:b}" }
---
apiVersion: kafka.strimzi.io/v1
kind: KafkaConnector
metadata: { name: other }
spec: { class: FileStreamSink, pause: true, config: { topics: t } }
`,
  );
  const [orders, other] = (await read({ paths: [file] })) as unknown[];
  expect(orders).toMatchObject({
    name: 'orders',
    initialState: 'STOPPED',
    config: {
      name: 'orders',
      'connector.class': 'FileStreamSink',
      'tasks.max': '2',
      'connector.plugin.version': '4.3.1',
      topics: 'orders',
      file: '${strimzidir:/a:b}',
    },
  });
  expect(other).toMatchObject({ name: 'other', initialState: 'PAUSED' });
});

test('the answer of GET /connectors?expand=info, as it is', async () => {
  const info = (name: string) => ({ info: { name, config: { ...FILE_SOURCE, name }, tasks: [], type: 'source' } });
  const file = put('all.json', { a: info('a'), b: { ...info('b'), status: { name: 'b' } } });
  expect(await read({ paths: [file] })).toMatchObject([{ name: 'a' }, { name: 'b', place: 'all.json, item 2' }]);
});

test('a flat config without a name has that of its file, if the command allows it', async () => {
  const file = put('orders.json', FILE_SOURCE);
  expect(await read({ paths: [file], isNameOptional: true })).toMatchObject([{ name: 'orders' }]);
  expect(await problem('orders.json', FILE_SOURCE)).toContain('has no "name"');
});

test('a folder: its documents in order, subfolders only with -R', async () => {
  for (const name of ['b.json', 'a.yaml', '.hidden.json', 'notes.txt', 'sub/c.properties'])
    put(name, name.endsWith('properties') ? 'name=c\nconnector.class=X' : { name, 'connector.class': 'X' });
  const names = async (isRecursive: boolean): Promise<unknown> =>
    ((await read({ paths: ['.'], isRecursive })) as { name: string }[]).map(({ name }) => name);
  expect(await names(false)).toEqual(['a.yaml', 'b.json']);
  expect(await names(true)).toEqual(['a.yaml', 'b.json', 'c']);
  mkdirSync(join(folder, 'empty'));
  await expect(read({ paths: ['empty'] })).rejects.toThrow(
    'empty: there is no JSON, YAML or properties file in it; -R',
  );
  await expect(read({ paths: ['gone'] })).rejects.toThrow(/^gone: it cannot be read: ENOENT/);
});

test('variables of the environment in values and names', async () => {
  const config = { 'connector.class': 'X', a: '${A}-${B:-b}', b: '${file:/x:A}${env:A}${topic}$${A}', c: '${C:-}' };
  expect(await read({ paths: [put('a.json', { name: 'n-${A}', config })] }, { A: '1${B}', C: '' })).toMatchObject([
    { name: 'n-1${B}', config: { a: '1${B}-b', b: '${file:/x:A}${env:A}${topic}${A}', c: '' } },
  ]);
  expect(await problem('a.json', { name: 'n', config: { ...FILE_SOURCE, k: '${NOT_SET}' } })).toBe(
    'a.json: "k": the environment variable NOT_SET is not set. Set it, write ${NOT_SET:-default}, or $${NOT_SET} for the text itself.',
  );
});

test.each<[string, unknown, string | RegExp]>([
  ['a.json', '{"name": "a",', /^a\.json: .* at line 1, column \d+\.$/],
  ['a.yaml', 'a: 1\na: 2', 'a.yaml: The key "a" occurs twice, the second time at line 2.'],
  ['a.yaml', '', 'a.yaml: there is no connector in it.'],
  ['a.yaml', 'just a text', /a connector is a mapping with "name"/],
  ['a.json', { config: FILE_SOURCE }, 'a.json: the connector has no "name".'],
  ['a.json', { name: 'a', topic: 't' }, 'a.json: connector "a" has no "connector.class".'],
  [
    'a.json',
    { name: 'a', config: { ...FILE_SOURCE, name: 'b' } },
    /its name is "a", but the "name" in its config is "b"/,
  ],
  ['a.json', { name: 'a', config: FILE_SOURCE, initialState: 'PAUSED' }, /"initialState" is unknown/],
  ['a.json', { name: 'a', config: FILE_SOURCE, initial_state: 'AWAY' }, /must be one of RUNNING, PAUSED, STOPPED/],
  ['a.json', { name: 'a', ...FILE_SOURCE, x: null }, '"x" has no value; remove the key, or write ""'],
  ['a.json', { name: 'a', ...FILE_SOURCE, x: [1] }, '"x" must be a text, not a list'],
  ['a.json', { name: 'a', config: FILE_SOURCE, labels: { 'a b': 1 } }, /"a b" is not the name of a label/],
  ['a.json', { name: 'a\n', config: { ...FILE_SOURCE, name: 'a' }, labels: 1 }, '"labels" must be a mapping'],
  ['a.properties', 'name=\\u12', /^a\.properties: line 1: Malformed/],
  ['a.json', 'x'.repeat(1024 * 1024 + 1), 'a.json: it is larger than 1048576 bytes.'],
  ['a.yaml', '? '.repeat(100_000), 'Keys that begin with "? " are not supported at line 1'],
  ['a.json', '[{'.repeat(100_000), 'Values are nested more than 10 deep at line 1'],
  ['a.yaml', '- '.repeat(100_000), 'Values are nested more than 10 deep at line 1'],
  [
    'a.yaml',
    Array.from({ length: 1000 }, (_, i) => `${' '.repeat(i)}a:\n`).join(''),
    'The indentation is wider than 200 columns at line 202',
  ],
  ['a.yaml', '&a '.repeat(1000), 'There are more than 100 anchors'],
  ['a.yaml', `- &a [x]\n${'- *a\n'.repeat(1000)}`, /alias/],
  ['a.yaml', '&a [*a]', /^a\.yaml, item 1: /],
])('an invalid document is named with the reason: case %#', async (name, content, expected) => {
  const message = await problem(name, content);
  if (typeof expected === 'string') expect(message).toContain(expected);
  else expect(message).toMatch(expected);
});

test('all problems at once; the same name in two files', async () => {
  put('a.json', { name: 'x', config: FILE_SOURCE });
  put('b.yaml', [{ name: 'x', ...FILE_SOURCE }, { name: 'y' }]);
  const error = (await read({ paths: ['a.json', 'b.yaml'] }).catch((thrown: Error) => thrown)) as Error;
  expect(error.message.split('\n')).toEqual([
    '2 problems in connector documents:',
    '  b.yaml, item 2: connector "y" has no "connector.class".',
    '  b.yaml, item 1: there is a connector "x" in a.json, too.',
  ]);
});

test('a device without an end is bounded', async () => {
  const error = await read({ paths: ['/dev/zero'] }).catch((thrown: Error) => thrown);
  expect((error as Error).message).toBe('/dev/zero: it is larger than 1048576 bytes.');
});
