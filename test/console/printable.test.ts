import { linkable, printable, printableLines } from '../../packages/console/src/parts/printable';

test.each([
  ['plain, Ünïcödé, 名前, \u{1F468}\u200D\u{1F469}', 'plain, Ünïcödé, 名前, \u{1F468}\u200D\u{1F469}'],
  ['<b>&amp;</b>', '<b>&amp;</b>'],
  ['a\u0000b\u0007', 'a\\u0000b\\u0007'],
  ['line\nfeed\ttab\r', 'line\\nfeed\\ttab\\r'],
  ['abc\u202Egnp.exe', 'abc\\u202Egnp.exe'],
  ['\u2066x\u2069', '\\u2066x\\u2069'],
  ['zero\u200Bwidth\uFEFF', 'zero\\u200Bwidth\\uFEFF'],
  ['\uD800 alone', '\\uD800 alone'],
  ['tag \u{E0041}', 'tag \\u{E0041}'],
])('invisible characters become escapes: %j', (text, shown) => {
  expect(printable(text)).toBe(shown);
});

test('lines of a trace remain', () => {
  expect(printableLines('a\r\n\tat b\u001B[31m\rc')).toBe('a\n\tat b\\u001B[31m\\rc');
});

test.each([
  ['https://example.com/a', 'https://example.com/a'],
  ['http://example.com', 'http://example.com/'],
  ['javascript:alert(1)', null],
  [' javascript:alert(1)', null],
  ['data:text/html,x', null],
  ['//example.com', null],
  ['nonsense', null],
])('only addresses of the web are links: %s', (url, address) => {
  expect(linkable(url)).toBe(address);
});
