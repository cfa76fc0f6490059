import { findStringProblem } from '../../packages/texts/src/json-parser';
import { quote } from '../../src/json/quote';

test.each([
  ['plain', '"plain"'],
  ['"\\/\b\t\n\f\r', '"\\"\\\\/\\b\\t\\n\\f\\r"'],
  ['\u0000\u001f\u007f', '"\\u0000\\u001F\u007f"'],
  ['ä😀\ud800', '"ä\\uD83D\\uDE00\\uD800"'],
  ['x'.repeat(100), `"${'x'.repeat(100)}"`],
  [`${'x'.repeat(100)}"`, `"${'x'.repeat(100)}\\""`],
])('connect-runtime §1.3: %j is quoted as by Jackson', (text, quoted) => {
  expect(quote(text)).toBe(quoted);
  expect(JSON.parse(quoted)).toBe(text);
});

test.each([
  ['"never ends', 'end', 11],
  ['"\\"', 'end', 3],
  ['"a\tb"', 'control character', 2],
  ['"a\\xb"', 'escape', 3],
  ['"a\\', 'escape', 3],
  ['"a\\u12g4"', 'hex digits', 4],
])('the first problem of the string %j', (text, kind, at) => {
  expect(findStringProblem(text, 1)).toEqual({ kind, at });
});
