import { hiderOf } from '../../../src/config/providers/hide-resolved';

const given = { a: '${file:/s:pw}', b: 'plain text', c: '${env:PORT}', d: '${env:NONE}', e: null };

test.each([
  ['wrong: "s3cret\\"$&" for b', 'wrong: "${file:/s:pw}" for b'],
  ['s3cret"$& and s3cret"$&', '${file:/s:pw} and ${file:/s:pw}'],
  ['plain text, 80, ${env:NONE}, null', 'plain text, ${env:PORT}, ${env:NONE}, null'],
  ['8080 is another port', '8080 is another port'],
])('connect-rest 141: %s', (text, expected) => {
  const resolved = { a: ' s3cret"$& ', b: 'plain text', c: '80', d: '${env:NONE}', e: null };
  expect(hiderOf(given, resolved)(text)).toBe(expected);
});
