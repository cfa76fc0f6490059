import { firstSteps, type ReadyFacts, readyText } from '../../../src/cli/verbs/dev/ready-text';
import { paintOf } from '../../../packages/cli/src/output/colours';
import { shellQuote } from '../../../packages/cli/src/output/shell-quote';

const URL = 'http://127.0.0.1:8083';
const plain = paintOf({ stdout: { write: () => undefined }, env: {} });
const commands = { millrace: 'npx millrace', dataOption: '' };
const facts: ReadyFacts = {
  console: `${URL}/ui`,
  rest: URL,
  kafka: '127.0.0.1:9092',
  registry: null,
  postgres: null,
  data: '/home/ann/.millrace',
  next: firstSteps(URL, [], '/home/ann/.millrace/hello.txt', commands),
};

test('one line says where everything is, the console first, and commands can be copied', () => {
  expect(readyText(facts, 'text', plain)).toBe(
    'Millrace is ready: console http://127.0.0.1:8083/ui, REST http://127.0.0.1:8083, Kafka 127.0.0.1:9092, data /home/ann/.millrace\n' +
      "  Try it:         curl -X PUT -H 'Content-Type: application/json' http://127.0.0.1:8083/connectors/hello/config" +
      ` -d '{"connector.class":"FileStreamSource","file":"/home/ann/.millrace/hello.txt","topic":"hello"}'\n` +
      '  Read the topic: npx millrace consume hello\n',
  );
  const seeded = {
    ...facts,
    console: null,
    postgres: 'postgres://postgres@127.0.0.1:15432/postgres',
    data: null,
    next: [],
  };
  expect(readyText(seeded, 'text', plain)).toBe(
    'Millrace is ready: REST http://127.0.0.1:8083, Kafka 127.0.0.1:9092, PostgreSQL postgres://postgres@127.0.0.1:15432/postgres\n',
  );
});

test('a schema registry is followed by the settings of Avro', () => {
  const registry = 'http://127.0.0.1:8081';
  const settings = {
    'value.converter': 'io.confluent.connect.avro.AvroConverter',
    'value.converter.schema.registry.url': registry,
  };
  expect(readyText({ ...facts, registry, data: null, next: [] }, 'text', plain)).toBe(
    'Millrace is ready: console http://127.0.0.1:8083/ui, REST http://127.0.0.1:8083, Kafka 127.0.0.1:9092, schema registry http://127.0.0.1:8081\n' +
      '  Avro: value.converter=io.confluent.connect.avro.AvroConverter\n' +
      '  Avro: value.converter.schema.registry.url=http://127.0.0.1:8081\n',
  );
  expect(JSON.parse(readyText({ ...facts, registry }, 'json', plain))).toMatchObject({ registry, settings });
});

test('colors only on a terminal, and not inside of commands', () => {
  const painted = readyText(facts, 'text', paintOf({ stdout: { write: () => undefined, isTTY: true }, env: {} }));
  expect(painted).toContain('\u001b[32mMillrace is ready:\u001b[0m console');
  expect(/curl.*/.exec(painted)?.[0]).not.toContain('\u001b');
});

test('JSON: one document, as the log has it', () => {
  const text = readyText(facts, 'json', plain, new Date(0));
  expect(text.endsWith('}\n')).toBe(true);
  expect(JSON.parse(text)).toEqual({
    time: '1970-01-01T00:00:00.000Z',
    level: 'info',
    name: 'millrace.dev',
    message: 'Millrace is ready',
    console: `${URL}/ui`,
    rest: URL,
    kafka: '127.0.0.1:9092',
    data: '/home/ann/.millrace',
    next: { 'Try it': expect.stringContaining('curl -X PUT'), 'Read the topic': 'npx millrace consume hello' },
  });
});

const written = { name: 'a', topics: ['t 1', 'u'] };
const silent = { name: "it's", topics: [] };
test.each([
  ['nothing, on a cluster', [], null, [`curl ${URL}/connector-plugins`]],
  ['a connector without records', [silent], '/f', [`curl '${URL}/connectors/it'\\''s/status'`]],
  [
    'a connector with records, which goes first',
    [silent, written],
    '/f',
    [`curl ${URL}/connectors/a/status`, `npx millrace consume 't 1'`],
  ],
  ['a cluster, whose settings the command needs', [written], null, [`curl ${URL}/connectors/a/status`]],
])('the commands fit what exists: %s', (_, connectors, file, expected) => {
  expect(firstSteps(URL, connectors, file, commands).map(({ command }) => command)).toEqual(expected);
});

test('another data folder is passed on', () => {
  const steps = firstSteps(URL, [], '/f', { ...commands, dataOption: ' --data-dir d' });
  expect(steps.at(-1)?.command).toBe('npx millrace consume hello --data-dir d');
});

test('on Windows, whose shells quote JSON differently, no command with JSON is shown', () => {
  const shown = (connectors: Parameters<typeof firstSteps>[1]): string[] =>
    firstSteps(URL, connectors, '/f', commands, 'win32').map(({ command }) => command);
  expect(shown([])).toEqual([`curl ${URL}/connector-plugins`]);
  expect(shown([{ name: 'hello', topics: [] }])).toEqual([`curl ${URL}/connectors/hello/status`]);
  expect(shown([{ name: 'a b', topics: ['b'] }])).toEqual([`curl ${URL}/connector-plugins`, 'npx millrace consume b']);
});

test('a command that no quoting makes safe is not shown', () => {
  const next = [{ purpose: 'Evil', command: `tail ${shellQuote('$(calc)', 'win32')}` }, facts.next[0]!];
  const text = readyText({ ...facts, next }, 'text', plain);
  expect(text).not.toContain('Evil');
  expect(text).toContain('Try it');
});
