import { formatRoute, parseRoute } from '../../packages/console/src/parts/routes';

test('the start page is the list of connectors', () => {
  for (const hash of ['', '#', '#/']) expect(parseRoute(hash)).toEqual({ page: 'overview', query: {} });
});

test.each(['orders', 'a/b', '..', 'a b?c#d', '50%', '[x];y=1', '名前', '\u{1F600}'])(
  'a name survives the address: %s',
  (name) => {
    expect(parseRoute(formatRoute({ page: 'connector', name }))).toEqual({ page: 'connector', name, query: {} });
  },
);

test('half of a surrogate pair in a name does not throw', () => {
  expect(formatRoute({ page: 'connector', name: 'a\uD800b' })).toBe('#/connectors/a%EF%BF%BDb');
});

test('a query survives the address, without its empty values', () => {
  const query = { q: 'a&b=c d', state: 'failed' };
  expect(parseRoute(formatRoute({ page: 'overview', query: { ...query, sort: '' } }))).toEqual({
    page: 'overview',
    query,
  });
});

test.each(['#/nope', '#/connectors', '#/connectors/', '#/connectors/%E0%A4%A', '#/__proto__', '#/workers/x'])(
  'an unknown address is no page: %s',
  (hash) => expect(parseRoute(hash).page).toBe('unknown'),
);

test('each page has an address', () => {
  for (const page of ['overview', 'create', 'plugins', 'workers', 'loggers', 'changes'] as const)
    expect(parseRoute(formatRoute({ page }))).toEqual({ page, query: {} });
});
