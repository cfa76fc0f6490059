import { parseAllowedHosts } from '../../../src/config/allowed-hosts';
import {
  openListenersWarning,
  plainCredentialsWarning,
  uncheckedHostsWarning,
  type BoundListener,
} from '../../../src/rest/auth/open-listeners';

const listener = (host: string, address: string, requiresCertificate = false): BoundListener => ({
  url: `http://${host}:8083`,
  host,
  address,
  requiresCertificate,
});

test('listeners on this machine and those that require a certificate are no reason to warn', () => {
  const safe = [
    listener('127.0.0.1', '127.0.0.1'),
    listener('localhost', '::1'),
    listener('127.0.0.53', '127.0.0.53'),
    listener('10.0.0.1', '10.0.0.1', true),
  ];
  expect(openListenersWarning(safe)).toBeNull();
});

test('one sentence names all others, and the settings that protect them', () => {
  const warning = openListenersWarning([
    listener('127.0.0.1', '127.0.0.1'),
    listener('', '::'),
    listener('0.0.0.0', '0.0.0.0'),
    listener('10.0.0.1', '10.0.0.1'),
  ]);
  expect(warning).toMatch(
    /^The REST API is open to the network without authentication \(http:\/\/:8083, http:\/\/0.0.0.0:8083, http:\/\/10.0.0.1:8083\)/,
  );
  for (const key of ['rest.extension.classes', 'rest.auth.jwks.url', 'listeners.https.ssl.client.auth'])
    expect(warning).toContain(key);
});

test('a network listener without rest.allowed.hosts is a warning, with authentication, too', () => {
  const none = parseAllowedHosts([]);
  for (const [host, address] of [
    ['', '::'],
    ['0.0.0.0', '0.0.0.0'],
    ['::', '::'],
    ['10.0.0.1', '10.0.0.1'],
    ['connect.test', 'fe80::1'],
  ] as const) {
    expect(uncheckedHostsWarning([listener('127.0.0.1', '127.0.0.1'), listener(host, address, true)], none)).toBe(
      `Web pages may send requests to the REST API from a browser on the network (http://${host}:8083), because ` +
        'rest.allowed.hosts is not set: set it to the names by which clients address this worker, for example ' +
        'localhost,connect.example (REST_HOSTS_UNCHECKED)',
    );
  }
  expect(uncheckedHostsWarning([listener('127.0.0.1', '127.0.0.1'), listener('localhost', '::1')], none)).toBeNull();
  for (const hosts of ['localhost', 'connect.test', '*'])
    expect(uncheckedHostsWarning([listener('', '::')], parseAllowedHosts([hosts]))).toBeNull();
});

test('credentials over plain HTTP on the network are a warning, over HTTPS or on this machine not', () => {
  const https = { ...listener('0.0.0.0', '0.0.0.0'), url: 'https://0.0.0.0:8443' };
  expect(plainCredentialsWarning([listener('', '::'), listener('127.0.0.1', '127.0.0.1'), https])).toBe(
    'Clients send their passwords and tokens to the REST API unencrypted (http://:8083): use https:// in listeners, or ' +
      'listen on 127.0.0.1 behind a proxy that encrypts (REST_CREDENTIALS_UNENCRYPTED)',
  );
  expect(plainCredentialsWarning([listener('localhost', '::1'), https])).toBeNull();
});
