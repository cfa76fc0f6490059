import { openListenersWarning, type BoundListener } from '../../../src/rest/auth/open-listeners';

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
