import { boundedText } from '../../packages/texts/src/bounded-text';
import { HiddenValues } from '../../packages/texts/src/hidden-values';
import { printableLine } from '../../src/logging/printable-line';
import { addProvidedValue } from '../../packages/texts/src/provided-values';
import { redact } from '../../packages/texts/src/redact';
import { cpuMs } from '../helpers/cpu-time';

function hiding(...values: string[]): HiddenValues {
  const hidden = new HiddenValues();
  for (const value of values) hidden.add(value, '${p}');
  return hidden;
}

test.each([
  ['as it is, in any case', ' S3cret"$& ', 'a s3CRET"$& b', 'a ${p} b'],
  ['escaped for JSON', 'a"b\\c\nd', '{"x":"a\\"b\\\\c\\nd"}', '{"x":"${p}"}'],
  ['escaped for a URL', 'p@ss/word', 'http://h?x=p%40ss%2Fword', 'http://h?x=${p}'],
  ['a part of a list', 'first, second,no', 'no second: [first, second]', 'no ${p}: [${p}, ${p}]'],
  ['a line of several', 'BEGIN\r\nMIIEvQIBADAN\nEND', 'no MIIEvQIBADAN here', 'no ${p} here'],
  ['a number as it was read', '+00123456', 'port 123456.0', 'port ${p}.0'],
  ['a big number in Java’s way', '123450000', 'size 1.2345E8', 'size ${p}'],
  ['inside a longer word', 'canary7', 'connect-canary7X', 'connect-${p}X'],
  [
    'an ordinary word alone',
    'Postgres',
    'postgres: io.debezium.postgresql (as postgres)',
    '${p}: io.debezium.postgresql (as ${p})',
  ],
  ['the longest of several', 'canary,canarybird', 'canarybird', '${p}'],
  [
    'a word with digits of a longer text',
    `SELECT f('s3cret_pass', "t")`,
    'near "s3cret_pass" of SELECT',
    'near "${p}" of SELECT',
  ],
  ['flags hide nothing', 'true', 'true or false', 'true or false'],
  ['short ones are left', 'pw1', 'pw1', 'pw1'],
])('%s', (_, value, text, shown) => {
  expect(hiding(value).hide(text)).toBe(shown);
});

test('short values are hidden as words when requested', () => {
  expect(hiding('80', 'é', 'a+').hide('port 80 of 8080, 80: é, né, a+b a+', { words: true })).toBe(
    'port ${p} of 8080, ${p}: ${p}, né, a+b ${p}',
  );
});

test('a value across the truncation point is hidden completely', () => {
  addProvidedValue('the-very-secret-value', '${p}', 'c');
  const text = `before the-very-secret-value ${'x'.repeat(100)}`;
  for (let limit = 1; limit < 60; limit++)
    expect([limit, boundedText(text, limit, { owners: 'c' })]).toEqual([
      limit,
      expect.not.stringMatching(/the-|very|secret|value/),
    ]);
});

test('a thread that gets the values hides them, too', () => {
  const other = new HiddenValues();
  other.addSnapshot(hiding('canary,Other').snapshot());
  expect(other.hide('CANARY other')).toBe('${p} ${p}');
});

test('with too many values the least recently used are dropped', () => {
  const hidden = new HiddenValues();
  for (let i = 0; i < 21_000; i++) {
    hidden.add(`value-${i}-`, '${p}');
    hidden.add('value-0-', '${p}');
  }
  expect(hidden.hide('value-0- value-1- value-20999-')).toBe('${p} value-1- ${p}');
  expect(hidden.snapshot()).toHaveLength(20_000);
});

test('among values with a common prefix the longest match is found', () => {
  const hidden = new HiddenValues();
  for (const [at, text] of ['x7__', 'x7__b', 'x7__bc', 'x7__bd', 'x7_z'].entries()) hidden.add(text, `<${at}>`);
  expect(hidden.hide('x7__bcx7__be x7__bd x7__z x7__ x7_z x7_y')).toBe('<2><1>e <3> <0>z <0> <4> x7_y');
});

test('many values with a common prefix are matched in linear time, and removed values cost nothing', () => {
  const hidden = new HiddenValues();
  for (let length = 4; length < 2_000; length++) hidden.add(`${'a'.repeat(length)}7`, '${p}');
  // Each would match except for its end.
  expect(cpuMs(() => hidden.hide('a'.repeat(30_000)))).toBeLessThan(5_000);
  for (let i = 0; i < 20_000; i++) hidden.add(`value-${i}-`, '${p}');
  expect(hidden.hide(`${'a'.repeat(1_500)}7`)).toBe(`${'a'.repeat(1_500)}7`);
});

test('digits of a value inside another number hide nothing', () => {
  addProvidedValue('6543', '${env:PORT}', 'c');
  const shown = redact({ port: 6543, offset: 1_700_006_543_000 }, 'c');
  expect(shown).toEqual({ port: '${env:PORT}', offset: 1_700_006_543_000 });
});

test('log lines contain none of them: messages, names, numbers, stacks', () => {
  addProvidedValue('canary7', '${file:/f:c}', 'c');
  addProvidedValue('54321', '${file:/f:port}', 'c');
  const error = Object.assign(new Error('no canary7', { cause: new Error('CANARY7') }), { code: 'canary7' });
  const line = printableLine('canary7', {
    connector: 'c',
    canary7: ['xcanary7'],
    port: 54321,
    'canary7.password': 1,
    error,
  });
  expect(JSON.stringify(line)).not.toMatch(/canary|54321/i);
  expect(line.message).toBe('${file:/f:c}');
  expect(line.fields).toMatchObject({ port: '${file:/f:port}' });
});
