import { forwardedMark, isForwardedMark } from '../../../src/cluster/forwarding/forwarded-mark';

const SECRET = Buffer.from('secret');
const REQUEST = { method: 'PUT', path: '/connectors/a/stop', authorization: 'Basic YQ==' };
const NOW = 1_790_000_000_000;
const mark = forwardedMark(SECRET, REQUEST, NOW);

test('a mark is valid for its request, and for clocks that differ by minutes', () => {
  for (const now of [NOW, NOW - 299_000, NOW + 299_000]) expect(isForwardedMark(SECRET, REQUEST, mark, now)).toBe(true);
});

test.each([
  ['an old mark', SECRET, REQUEST, mark, NOW + 301_000],
  ['another key', Buffer.from('other'), REQUEST, mark, NOW],
  ['another method', SECRET, { ...REQUEST, method: 'DELETE' }, mark, NOW],
  ['another path', SECRET, { ...REQUEST, path: '/connectors/b/stop' }, mark, NOW],
  ['other credentials', SECRET, { ...REQUEST, authorization: null }, mark, NOW],
  ['another time', SECRET, REQUEST, mark.replace(/^\d/, '2'), NOW],
  ['no mark', SECRET, REQUEST, '', NOW],
  ['a malformed mark', SECRET, REQUEST, `${NOW}.${'z'.repeat(64)}`, NOW],
  ['a huge mark', SECRET, REQUEST, `${NOW}.${'a'.repeat(10_000)}`, NOW],
])('%s is invalid', (_title, secret, request, given, now) => {
  expect(isForwardedMark(secret, request, given, now)).toBe(false);
});
