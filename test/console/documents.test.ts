/** Documents that are pasted into the console. */
import { execFileSync } from 'node:child_process';
import { curlCommand } from '../../packages/console/src/documents/curl-command';
import { JsonNumber, parseJson, TextError, writeJson } from '../../packages/console/src/documents/json-text';
import { parseConfig, parseDocument } from '../../packages/console/src/documents/parse-document';

function refusal(text: string): string {
  try {
    parseDocument(text);
  } catch (error) {
    if (error instanceof TextError) return error.message;
    throw error;
  }
  throw new Error('The document was read');
}

const CONFIG = { 'connector.class': 'FileStreamSource', topic: 't' };

test('a registration document, a bare config and lines are read alike', () => {
  const expected = { name: 'a', config: CONFIG, initialState: 'RUNNING' };
  expect(parseDocument(JSON.stringify({ name: 'a', config: CONFIG }))).toEqual(expected);
  expect(parseDocument(JSON.stringify({ name: ' a ', config: { ...CONFIG, name: 'a' } }))).toEqual(expected);
  expect(parseDocument(JSON.stringify({ ...CONFIG, name: 'a' }))).toEqual(expected);
  expect(parseDocument('# a file\nname=a\r\nconnector.class = FileStreamSource\ntopic: t\n')).toEqual(expected);
  expect(parseDocument(`\uFEFF  {"items": [${JSON.stringify({ name: 'a', config: CONFIG })}]}`)).toEqual(expected);
});

test('the response of GET /connectors/{name} can be pasted', () => {
  const answer = { name: 'a', config: { ...CONFIG, name: 'a' }, tasks: [{ connector: 'a', task: 0 }], type: 'source' };
  expect(parseDocument(JSON.stringify(answer))).toEqual({ name: 'a', config: CONFIG, initialState: 'RUNNING' });
});

test('labels become keys, and the initial state is read in any case', () => {
  const text = JSON.stringify({ name: 'a', config: CONFIG, labels: { team: 'x' }, initial_state: 'stopped' });
  expect(parseDocument(text)).toEqual({
    name: 'a',
    config: { ...CONFIG, 'millrace.label.team': 'x' },
    initialState: 'STOPPED',
  });
});

test('numbers and booleans become their texts, without a loss of digits', () => {
  expect(parseConfig('{"a": 1.50, "b": true, "c": 12345678901234567890, "d": 1e3}')).toEqual({
    a: '1.50',
    b: 'true',
    c: '12345678901234567890',
    d: '1e3',
  });
});

test('hostile keys are keys', () => {
  const config = parseConfig('{"__proto__": "x", "constructor": "y"}');
  expect(Object.entries(config)).toEqual([
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ]);
});

test('properties: continued lines, escapes, separators in values', () => {
  const text = 'connector.class=A\nlist=a,\\\n   b\nurl=jdbc:x://h?a=b\nkey\\ with\\=signs=v\\u0041\\t!\nempty=\n';
  expect(parseDocument(text).config).toEqual({
    'connector.class': 'A',
    list: 'a,b',
    url: 'jdbc:x://h?a=b',
    'key with=signs': 'vA\t!',
    empty: '',
  });
});

test('errors name the line and the column', () => {
  expect(refusal('{\n  "name": "a",\n  "config": {"a" "b"}\n}')).toBe(
    'Line 3, column 18: A colon is expected after the key "a".',
  );
  expect(refusal('{"name": "a",}')).toBe('Line 1, column 14: A key in double quotes is expected here.');
  expect(refusal('{"name": "a')).toBe('Line 1, column 10: The text that begins here has no closing quote.');
  expect(refusal('{"a": "x\ny"}')).toBe(
    'Line 1, column 9: A line break or control character in a text must be escaped, as \\n.',
  );
  expect(refusal('{"a": "\\x"}')).toBe('Line 1, column 8: This is not an escape of JSON.');
  expect(refusal('{"a": tru}')).toBe('Line 1, column 7: A value is expected here.');
  expect(refusal('{"a": 1')).toBe('Line 1, column 8: A comma or } is expected here.');
  expect(refusal('{"a":')).toBe('Line 1, column 6: The text ends too early.');
  expect(refusal('{"a": 1} x')).toBe('Line 1, column 10: There is text after the end of the value.');
  expect(refusal('{"a": "1",\n "a": "2"}')).toBe('Line 2, column 2: The key "a" occurs twice.');
  expect(refusal('a=1\n\nnonsense\n')).toBe('Line 3, column 1: A line "key=value" is expected here.');
  expect(refusal('a=1\na=2')).toBe('Line 2, column 1: The key "a" occurs twice.');
  expect(refusal('a=1\n b=\\u00')).toBe(
    'Line 2, column 2: An escape \\uXXXX in this line has no four hexadecimal digits.',
  );
});

test('documents that are not one connector are refused with the reason', () => {
  expect(refusal(' \n ')).toBe('Line 1, column 1: The document is empty.');
  expect(refusal('[]')).toContain('There are 0 connectors');
  expect(refusal('[{}, {}]')).toContain('There are 2 connectors: paste one');
  expect(refusal('["a"]')).toContain('A connector is an object');
  expect(refusal('{"name": "a", "config": {"topic": "t"}}')).toContain('no "connector.class"');
  expect(refusal('{"name": "a", "config": ["x"]}')).toBe('Line 1, column 15: "config" must be an object.');
  expect(refusal('{"name": "a", "config": {"topic": null}}')).toContain('"topic" has no value');
  expect(refusal('{"name": "a", "config": {"topic": ["x"]}}')).toContain('"topic" must be a text');
  expect(refusal('{"name": "a", "topic": "t", "config": {}}')).toContain('"topic" is unknown beside "config"');
  expect(refusal('{"name": "a", "config": {"name": "b"}}')).toContain('"name" in the config is "b"');
  expect(refusal('{"name": "a", "config": {}, "initial_state": "asleep"}')).toContain('must be one of RUNNING');
  expect(refusal('name: a\nconfig:\n  topic: t\n')).toContain('YAML is not read here');
});

test('size and depth are bounded', () => {
  expect(refusal(`{"a": "${'x'.repeat(1024 * 1024)}"}`)).toContain('longer than 1048576 characters');
  expect(refusal('['.repeat(100_000))).toContain('nested more than 10 deep');
  expect(refusal('{"a":'.repeat(100_000))).toContain('nested more than 10 deep');
});

test('JSON is written as it was read', () => {
  const text = '{"a":[1,2.50,{"b":null}],"c":{},"d":[],"e":12345678901234567890,"f":"\\"x"}';
  expect(writeJson(parseJson(text), 0)).toBe(text);
  expect(writeJson(parseJson('{"a":[1,{}]}'))).toBe('{\n  "a": [\n    1,\n    {}\n  ]\n}');
  expect(parseJson('-0.5e10')).toEqual(new JsonNumber('-0.5e10'));
});

test('the command quotes for a POSIX shell', () => {
  const command = curlCommand('POST', 'http://h/connectors', '{"a": "it\'s $HOME `x`"}');
  const printed = execFileSync('sh', ['-c', command.replace(/^curl/, 'printf "%s\\n"')]).toString();
  expect(printed.split('\n').slice(0, -1)).toEqual([
    ...['-X', 'POST', 'http://h/connectors', '-H', 'Content-Type: application/json', '--data'],
    '{"a": "it\'s $HOME `x`"}',
  ]);
});
