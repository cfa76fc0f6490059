/** What VS Code shows, by its own language server. */
import {
  ClientCapabilities,
  getLanguageService,
  TextDocument,
  type CompletionItem,
  type Diagnostic,
} from 'vscode-json-languageservice';
import { FILE_SINK, POSTGRES, VALID, validator } from './schema-fixtures';

const uriOf = (plugin: string): string => `http://localhost:8083/connector-plugins/${plugin}/schema`;

class Editor {
  private readonly service = getLanguageService({ clientCapabilities: ClientCapabilities.LATEST });

  constructor(plugin: string, schema: object) {
    this.service.configure({
      schemas: [{ uri: uriOf(plugin), fileMatch: ['*.json'], schema: structuredClone(schema) }],
    });
  }

  /** Messages with the text that they underline. */
  async problems(text: string): Promise<readonly (readonly [text: string, message: string])[]> {
    const document = TextDocument.create('file:///a.json', 'json', 1, text);
    const found: Diagnostic[] = await this.service.doValidation(document, this.service.parseJSONDocument(document));
    return found.map(({ range, message }) => [document.getText(range), String(message)]);
  }

  /** What is offered at the mark `|`. */
  async offered(marked: string): Promise<readonly CompletionItem[]> {
    const offset = marked.indexOf('|');
    const document = TextDocument.create('file:///a.json', 'json', 1, marked.replace('|', ''));
    const list = await this.service.doComplete(
      document,
      document.positionAt(offset),
      this.service.parseJSONDocument(document),
    );
    return list?.items ?? [];
  }

  async hover(marked: string): Promise<string> {
    const document = TextDocument.create('file:///a.json', 'json', 1, marked.replace('|', ''));
    const position = document.positionAt(marked.indexOf('|'));
    return JSON.stringify(await this.service.doHover(document, position, this.service.parseJSONDocument(document)));
  }
}

const editorOf = async (plugin: string): Promise<Editor> => new Editor(plugin, await validator.schema(plugin));
const labels = (items: readonly CompletionItem[]): string[] => items.map(({ label }) => label);
const registration = (className: string, changes: object): string => {
  const { name, config } = VALID[className]!;
  return JSON.stringify({ name, config: { ...config, ...changes } });
};

test('a valid document has no problems', async () => {
  for (const plugin of [FILE_SINK, POSTGRES]) {
    const editor = await editorOf(plugin);
    expect(await editor.problems(registration(plugin, {}))).toEqual([]);
    expect(await editor.problems(JSON.stringify(VALID[plugin]!.config))).toEqual([]);
  }
});

test('an empty document is completed with the parts of a registration document and with config keys', async () => {
  const offered = labels(await (await editorOf(FILE_SINK)).offered('{|}'));
  expect(offered).toEqual(expect.arrayContaining(['config', 'connector.class', 'topics', 'name']));
});

test('keys of a config are completed, with their documentation and default, and without outdated names', async () => {
  const editor = await editorOf(POSTGRES);
  const items = await editor.offered('{"name": "a", "config": {|}}');
  expect(labels(items)).toEqual(
    expect.arrayContaining(['connector.class', 'snapshot.mode', 'tasks.max', 'transforms']),
  );
  expect(labels(items)).not.toContain('table.whitelist');
  expect(labels(items)).not.toContain('initial_state');
  expect(items.find(({ label }) => label === 'slot.name')).toMatchObject({
    documentation: 'Name of the replication slot; each connector needs its own.',
    insertText: '"slot.name": "${1:debezium}"',
  });
});

test('values are completed', async () => {
  const editor = await editorOf(POSTGRES);
  const values = labels(await editor.offered('{"name": "a", "config": {"snapshot.mode": |}}'));
  expect(values).toEqual(expect.arrayContaining(['"initial"', '"no_data"', '"when_needed"']));
  expect(labels(await editor.offered('{"config": {"connector.class": |}}'))).toContain(`"${POSTGRES}"`);
  expect(labels(await editor.offered('{"config": {"value.converter": |}}'))).toContain(
    '"org.apache.kafka.connect.json.JsonConverter"',
  );
  expect(labels(await editor.offered('{"config": {"transforms.unwrap.type": |}}'))).toContain(
    '"io.debezium.transforms.ExtractNewRecordState"',
  );
  expect(labels(await editor.offered('{"name": "a", "config": {}, "initial_state": |}'))).toContain('"STOPPED"');
});

test('keys of the converter that the config names are completed', async () => {
  const editor = await editorOf(FILE_SINK);
  const of = async (converter: string): Promise<string[]> =>
    labels(await editor.offered(`{"config": {"value.converter": "${converter}", |}}`));
  expect(await of('JsonConverter')).toContain('value.converter.schemas.enable');
  expect(await of('StringConverter')).not.toContain('value.converter.schemas.enable');
});

test('problems are shown where they are, and say what is expected', async () => {
  const editor = await editorOf(POSTGRES);
  const problems = await editor.problems(
    registration(POSTGRES, { 'tasks.max': 'two', 'tombstones.on.delete': 'maybe', 'snapshot.mode': 'sometimes' }),
  );
  expect(problems).toEqual([
    ['"two"', 'Expected an integer from -2147483648 to 2147483647.'],
    ['"maybe"', 'Expected true or false.'],
    ['"sometimes"', expect.stringContaining('"no_data"')],
  ]);
});

test('a missing key is named', async () => {
  const editor = await editorOf(POSTGRES);
  const problems = await editor.problems(registration(POSTGRES, { 'topic.prefix': undefined }));
  expect(problems.map(([, message]) => message)).toEqual(['Missing property "topic.prefix".']);
});

test('an outdated name is marked with the current one', async () => {
  const editor = await editorOf(POSTGRES);
  const problems = await editor.problems(registration(POSTGRES, { 'table.whitelist': 'public.todos' }));
  expect(problems).toEqual([['"table.whitelist":"public.todos"', 'Use table.include.list.']]);
});

test('the documentation of a key is shown', async () => {
  expect(await (await editorOf(FILE_SINK)).hover('{"config": {"file.fs|ync": true}}')).toContain('fdatasync');
});
