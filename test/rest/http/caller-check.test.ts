import { parseAllowedHosts } from '../../../src/config/allowed-hosts';
import { parseOrigins } from '../../../src/config/cors';
import { callerCheck, type CallerCheck } from '../../../src/rest/http/caller-check';
import type { RestError } from '../../../src/rest/http/rest-error';

interface Setup {
  readonly boundTo?: string;
  readonly hosts?: string;
  readonly origins?: string;
}

const check = ({ boundTo = '127.0.0.1', hosts = '', origins = '' }: Setup = {}): CallerCheck => {
  const allows = parseOrigins(origins);
  return callerCheck({
    allowed: parseAllowedHosts(hosts.split(',')),
    cors: allows && { allows },
    ownNames: ['listener.test', 'Advertised.test', '::1', '', null],
    boundTo: () => boundTo,
  });
};

/** 200, or the status of the rejection. */
function status(checked: CallerCheck, headers: Record<string, string>, method = 'GET'): number {
  try {
    checked({ method, headers });
    return 200;
  } catch (error) {
    return (error as RestError).status;
  }
}

test.each([
  ['localhost', 200],
  ['LOCALHOST:1', 200],
  ['localhost.:8083', 200],
  ['a.localhost', 200],
  ['127.0.0.1:8083', 200],
  ['127.9.9.9', 200],
  ['[::1]:8083', 200],
  ['[::ffff:127.0.0.1]', 200],
  // An address, unlike a name, cannot be rebound.
  ['192.168.1.5:8083', 200],
  ['[2001:db8::1]', 200],
  ['host.docker.internal:8083', 200],
  ['evil.docker.internal', 403],
  ['listener.test:8083', 200],
  ['advertised.test', 200],
  ['evil.test', 403],
  ['evil.test:8083', 403],
  ['localhost.evil.test', 403],
  ['evillocalhost', 403],
  ['127.0.0.1.evil.test', 403],
  ['1.evil', 403],
  ['~', 403],
])('on a loopback listener, the host %s is answered with %i, whatever the request', (host, expected) => {
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST']) expect(status(check(), { host }, method)).toBe(expected);
});

test.each(['::1', '::ffff:127.0.0.1', '127.0.1.1'])('%s is a loopback address', (boundTo) => {
  expect(status(check({ boundTo }), { host: 'evil.test' })).toBe(403);
});

test.each(['0.0.0.0', '::', '10.0.0.7', 'fe80::1'])(
  'a listener on %s checks nothing until hosts are configured',
  (boundTo) => {
    const changing = { host: 'any.test', origin: 'http://evil.test' };
    expect(status(check({ boundTo }), changing, 'POST')).toBe(200);
    const strict = check({ boundTo, hosts: 'connect.test,*.in.test,[2001:db8::1]' });
    expect(status(strict, { host: 'any.test' })).toBe(403);
    for (const host of ['CONNECT.test:8083', 'a.b.in.test', 'localhost', '10.0.0.7', 'advertised.test'])
      expect(status(strict, { host })).toBe(200);
    for (const host of ['in.test', 'xin.test', 'connect.test.evil.test']) expect(status(strict, { host })).toBe(403);
  },
);

test('a star disables the checks', () => {
  const changing = { host: 'any.test', origin: 'http://evil.test', 'sec-fetch-site': 'cross-site' };
  expect(status(check({ hosts: 'a.test,*' }), changing, 'DELETE')).toBe(200);
});

test('HTTP/1.0 without Host is answered', () => expect(status(check(), {}, 'POST')).toBe(200));

test.each([
  ['http://evil.test', 403],
  ['https://evil.test:8083', 403],
  ['null', 403],
  ['', 403],
  ['file://', 403],
  ['http://192.168.1.5', 403],
  ['http://localhost.evil.test', 403],
  ['http://localhost:3000', 200],
  ['http://[::1]:3000', 200],
  ['http://advertised.test', 200],
  ['https://ui.test', 200],
  ['https://page.cors.test', 200],
])(
  'a request of a page of %j that changes something is answered with %i, a read is never rejected',
  (origin, expected) => {
    const checked = check({ hosts: 'ui.test', origins: 'https://page.cors.test' });
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect(status(checked, { host: 'localhost:8083', origin }, method)).toBe(expected);
    for (const method of ['GET', 'HEAD', 'OPTIONS'])
      expect(status(checked, { host: 'localhost:8083', origin }, method)).toBe(200);
  },
);

test('a page of the same origin may change things, behind a proxy with TLS, too', () => {
  const at = (host: string, origin: string): number =>
    status(check({ boundTo: '10.0.0.7', hosts: 'ui.test' }), { host, origin }, 'POST');
  expect(at('10.0.0.7:8083', 'http://10.0.0.7:8083')).toBe(200);
  expect(at('10.0.0.7', 'https://10.0.0.7')).toBe(200);
  expect(at('10.0.0.7:443', 'https://10.0.0.7')).toBe(200);
  expect(at('10.0.0.7:8083', 'http://10.0.0.7:9090')).toBe(403);
  expect(at('10.0.0.7:8083', 'http://10.0.0.8:8083')).toBe(403);
});

test('a cross-site request without an origin changes nothing', () => {
  const from = (site: string): number => status(check(), { host: 'localhost', 'sec-fetch-site': site }, 'POST');
  expect(['cross-site', 'same-origin', 'same-site', 'none'].map(from)).toEqual([403, 200, 200, 200]);
});

test('rejections name the value and the setting', () => {
  const message = (headers: Record<string, string>): string => {
    try {
      check()({ method: 'POST', headers });
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };
  expect(message({ host: 'evil.test:1' })).toBe(
    "The host 'evil.test:1' is not a name of this worker; add it to rest.allowed.hosts",
  );
  expect(message({ host: 'localhost', origin: 'null' })).toBe(
    "Pages of 'null' must not send this request; to allow them, set rest.allowed.hosts or access.control.allow.origin",
  );
});

test.each(['http://a.test', 'a.test:8083', 'a/b', '*.', 'a.*.test', '*a.test', 'a b'])(
  '%j is not a valid entry of the setting',
  (entry) => {
    expect(() => parseAllowedHosts([entry])).toThrow(`'${entry}' is not a host name; omit protocol and port`);
  },
);
