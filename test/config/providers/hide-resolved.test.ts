import { hideResolved } from '../../../src/config/providers/hide-resolved';

const given = { a: '${file:/s:pw}', b: 'plain text', c: '${env:PORT}', d: '${env:NONE}', e: null };

test.each([
  ['wrong: "s3cret\\"$&" for b', 'wrong: "${file:/s:pw}" for b'],
  ['s3cret"$& and s3cret"$&', '${file:/s:pw} and ${file:/s:pw}'],
  ['plain text, 80, ${env:NONE}, null', 'plain text, 80, ${env:NONE}, null'],
])('connect-rest 141: %s', (text, expected) => {
  const resolved = { a: ' s3cret"$& ', b: 'plain text', c: '80', d: '${env:NONE}', e: null };
  expect(hideResolved(text, given, resolved)).toBe(expected);
});
