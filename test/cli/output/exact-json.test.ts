import { exactJsonText, parseExactJson, yamlDocument } from '../../../packages/cli/src/output/answer';

test('integers keep all their digits', () => {
  const text = '{"a":[12345678901234567890,-9007199254740993,1.5,7,"12345678901234567890"],"__proto__":null}';
  const value = parseExactJson(text);
  expect(value).toMatchObject({ a: [12345678901234567890n, -9007199254740993n, 1.5, 7, '12345678901234567890'] });
  expect(exactJsonText(value).replaceAll(/\s/g, '')).toBe(text);
});

test.each(['', '{', '1 2', '['.repeat(2000)])('%j is refused', (text) => {
  expect(() => parseExactJson(text)).toThrow(SyntaxError);
});

test('a YAML document of a JSON text; one that is nested too deep stays JSON', () => {
  expect(yamlDocument('{"a":9007199254740993}')).toBe('---\na: 9007199254740993\n');
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
  expect(yamlDocument(deep)).toBe(`---\n${deep}\n`);
  expect(yamlDocument(`${'[{"a":'.repeat(400)}1${'}]'.repeat(400)}`)).toMatch(/^---\n- a:\n/);
});
