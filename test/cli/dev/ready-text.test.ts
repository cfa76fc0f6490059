import { firstStep, type ReadyFacts, readyText } from '../../../src/cli/verbs/dev/ready-text';
import { paintOf } from '../../../packages/cli/src/output/colours';
import { shellQuote } from '../../../packages/cli/src/output/shell-quote';

const URL = 'http://127.0.0.1:8083';
const plain = paintOf({ stdout: { write: () => undefined }, env: {} });
const facts: ReadyFacts = {
  rest: URL,
  kafka: '127.0.0.1:9092',
  postgres: null,
  data: '/home/ann/.millrace',
  next: [firstStep(URL, [], '/home/ann/.millrace/hello.txt')],
};

test('one line says where everything is, and a command can be copied', () => {
  expect(readyText(facts, 'text', plain)).toBe(
    'Millrace is ready: REST http://127.0.0.1:8083, Kafka 127.0.0.1:9092, data /home/ann/.millrace\n' +
      "  Try it: curl -X PUT -H 'Content-Type: application/json' http://127.0.0.1:8083/connectors/hello/config" +
      ` -d '{"connector.class":"FileStreamSource","file":"/home/ann/.millrace/hello.txt","topic":"hello"}'\n`,
  );
  const seeded = { ...facts, postgres: 'postgres://postgres@127.0.0.1:15432/postgres', data: null, next: [] };
  expect(readyText(seeded, 'text', plain)).toBe(
    'Millrace is ready: REST http://127.0.0.1:8083, Kafka 127.0.0.1:9092, PostgreSQL postgres://postgres@127.0.0.1:15432/postgres\n',
  );
});

test('colors only on a terminal, and not inside of commands', () => {
  const painted = readyText(facts, 'text', paintOf({ stdout: { write: () => undefined, isTTY: true }, env: {} }));
  expect(painted).toContain('\u001b[32mMillrace is ready:\u001b[0m REST');
  expect(painted.split('curl')[1]).not.toContain('\u001b');
});

test('JSON: one document, as the log has it', () => {
  const text = readyText(facts, 'json', plain, new Date(0));
  expect(text.endsWith('}\n')).toBe(true);
  expect(JSON.parse(text)).toEqual({
    time: '1970-01-01T00:00:00.000Z',
    level: 'info',
    name: 'millrace.dev',
    message: 'Millrace is ready',
    rest: URL,
    kafka: '127.0.0.1:9092',
    data: '/home/ann/.millrace',
    next: { 'Try it': expect.stringContaining('curl -X PUT') },
  });
});

test.each([
  ['hello is registered', ['a', 'hello'], '/f', `curl ${URL}/connectors/a/status`],
  ['others are', ['a b'], null, `curl ${URL}/connectors/a%20b/status`],
  ['a name with a quote', [`it's`], null, `curl '${URL}/connectors/it'\\''s/status'`],
  ['a cluster, and no connector', [], null, `curl ${URL}/connector-plugins`],
])('the request fits what exists: %s', (_, connectors, file, command) => {
  expect(firstStep(URL, connectors, file).command).toBe(command);
});

test('on Windows, whose shells quote JSON differently, no command with JSON is shown', () => {
  const command = (connectors: string[]): string => firstStep(URL, connectors, '/f', 'win32').command;
  expect(command([])).toBe(`curl ${URL}/connector-plugins`);
  expect(command(['hello'])).toBe(`curl ${URL}/connectors/hello/status`);
  expect(command(['hello', 'b'])).toBe(`curl ${URL}/connectors/hello/status`);
  expect(firstStep(URL, ['a b'], null, 'win32').command).toBe(`curl ${URL}/connector-plugins`);
});

test('a command that no quoting makes safe is not shown', () => {
  const next = [{ purpose: 'Evil', command: `tail ${shellQuote('$(calc)', 'win32')}` }, facts.next[0]!];
  const text = readyText({ ...facts, next }, 'text', plain);
  expect(text).not.toContain('Evil');
  expect(text).toContain('Try it');
});
