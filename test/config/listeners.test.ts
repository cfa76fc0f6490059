import { advertisedUrl, isHostName, parseListener, servedListeners } from '../../src/config/listeners';

const none = { advertisedHost: null, advertisedPort: null, advertisedListener: null } as const;
const detect = () => '10.0.0.7';

describe('advertised URL (connect-rest 5.2)', () => {
  test.each<[string, Parameters<typeof advertisedUrl>[0], string[], string]>([
    [
      'settings first',
      { ...none, advertisedHost: 'w1', advertisedPort: 80 },
      ['http://127.0.0.1:8083'],
      'http://w1:80/',
    ],
    ['the listener’s host and port', none, ['http://127.0.0.1:18083'], 'http://127.0.0.1:18083/'],
    ['detected when bound to all interfaces', none, ['http://:8083'], 'http://10.0.0.7:8083/'],
    ['detected for 0.0.0.0', none, ['http://0.0.0.0:8083'], 'http://10.0.0.7:8083/'],
    ['http before https', none, ['https://a:1', 'http://b:2'], 'http://b:2/'],
    ['https alone', none, ['https://a:1'], 'https://a:1/'],
    ['chosen listener', { ...none, advertisedListener: 'https' }, ['http://b:2', 'https://a:1'], 'https://a:1/'],
    ['IPv6 in brackets', none, ['http://[::1]:8083'], 'http://[::1]:8083/'],
  ])('%s', (_, settings, listeners, url) => {
    expect(advertisedUrl(settings, listeners.map(parseListener), detect)).toBe(url);
  });
});

describe('connect-rest 149: which listener serves the admin routes', () => {
  const plan = (listeners: string[], admin: string[] | null): string[] =>
    servedListeners(listeners.map(parseListener), admin && admin.map(parseListener)).map(
      ({ port, serves }) => `${port} ${serves.join('+')}`,
    );
  test.each<[string, string[], string[] | null, string[]]>([
    ['not set: all', ['http://:1', 'http://:2'], null, ['1 connect+admin', '2 connect+admin']],
    ['empty: none', ['http://:1'], [], ['1 connect']],
    ['others: those', ['http://:1'], ['http://:2'], ['1 connect', '2 admin']],
    ['one of them: that one', ['http://:1', 'http://:2'], ['http://:2'], ['1 connect', '2 connect+admin']],
    ['any free port is another one', ['http://:0'], ['http://:0'], ['0 connect', '0 admin']],
    ['another protocol is another one', ['http://:1'], ['https://:2'], ['1 connect', '2 admin']],
  ])('%s', (_, listeners, admin, expected) => {
    expect(plan(listeners, admin)).toEqual(expected);
  });
});

test.each([
  ['w1.example', true],
  ['10.0.0.5', true],
  ['::1', true],
  ['w_1', true],
  ['a b', false],
  ['http://a', false],
  ['a:80', false],
  ['a/b', false],
  ['user@a', false],
])('host name %s: %s', (text, good) => {
  expect(isHostName(text)).toBe(good);
});
