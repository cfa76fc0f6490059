import { tlsFailure } from '../../../packages/kafka-client/src/network/tls-failure';

const said = (cause: object, withIdentity = false): string | undefined =>
  tlsFailure(Object.assign(new Error('unspecified'), cause), 'kafka', 9093, withIdentity)?.message;

test('kafka-client 3: a TLS error becomes one sentence that names the setting', () => {
  expect(said({ code: 'ECONNREFUSED' })).toBeUndefined();
  expect(said({ code: 5 })).toBeUndefined();
  expect(said({ code: 'CERT_HAS_EXPIRED', message: 'certificate has expired' })).toBe(
    'TLS with Kafka broker kafka:9093 failed: certificate has expired (CERT_HAS_EXPIRED)',
  );
  expect(said({ code: 'SELF_SIGNED_CERT_IN_CHAIN', message: 'self-signed certificate in certificate chain' })).toBe(
    'TLS with Kafka broker kafka:9093 failed: self-signed certificate in certificate chain (SELF_SIGNED_CERT_IN_CHAIN); ' +
      'ssl.truststore.location or ssl.truststore.certificates must contain the authority that signed it',
  );
  const altName = { code: 'ERR_TLS_CERT_ALTNAME_INVALID', message: 'Hostname/IP does not match' };
  expect(said({ ...altName, cert: { subjectaltname: 'DNS:a, DNS:b' } })).toContain(
    'is for DNS:a, DNS:b, not for kafka (',
  );
  expect(said({ ...altName, cert: { subject: { CN: 'c' } } })).toContain('is for c, not for kafka (');
  expect(said({ code: 'ERR_SSL_WRONG_VERSION_NUMBER', message: '80:error:…\n', reason: 'wrong version number' })).toBe(
    'TLS with Kafka broker kafka:9093 failed: wrong version number (ERR_SSL_WRONG_VERSION_NUMBER); check that security.protocol is right for this port',
  );
});

test('kafka-client 3: a TLS alert of the broker is another error than a failure of the client', () => {
  const alert = (reason: string) => ({ code: 'ERR_SSL_ALERT', message: `80:error:…:${reason}:…\n`, reason });
  expect(said(alert('sslv3 alert bad certificate'))).toMatch(
    /returned 'sslv3 alert bad certificate' .*; the broker requires a client/,
  );
  expect(said(alert('tlsv1 alert unknown ca'), true)).toMatch(/; the broker does not accept the client certificate/);
  expect(said(alert('tlsv1 alert protocol version'))).toMatch(
    /returned 'tlsv1 alert protocol version' \(ERR_SSL_ALERT\)$/,
  );
});
