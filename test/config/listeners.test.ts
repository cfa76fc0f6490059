import { advertisedUrl, parseListener } from '../../src/config/listeners';

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
