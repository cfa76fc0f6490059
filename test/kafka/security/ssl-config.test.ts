/** `ssl.*` of Kafka clients: what is not understood is refused, and never replaced by something weaker. */
import { readConnectionSettings } from '../../../packages/kafka-client/src/network/client-config';

const read = (config: Record<string, string>) =>
  readConnectionSettings({ 'bootstrap.servers': 'k:9093', 'security.protocol': 'SSL', ...config }).tls;

test.each<[string, string, RegExp]>([
  [
    'ssl.endpoint.identification.algorithm',
    'none',
    /must be https, or empty to disable host name verification, not 'none'$/,
  ],
  ['ssl.protocol', 'TLSv9', /must be one of TLS, TLSv1, .*, not 'TLSv9'$/],
  ['ssl.enabled.protocols', 'TLSv1.2,SSLv3', /must list TLSv1, .*, not 'SSLv3'$/],
  ['ssl.cipher.suites', 'TLS_NULL', /names TLS_NULL, which is not available$/],
  ['ssl.cipher.suites', 'TLS_EMPTY_RENEGOTIATION_INFO_SCSV', /names no suite: TLS_EMPTY_\w+ is a signal$/],
  ['ssl.engine.factory.class', 'com.example.Pinned', /is not supported: it names a Java class/],
  ['ssl.truststore.location', '', /is empty$/],
  ['ssl.truststore.certificates', ' ', /is empty$/],
  ['ssl.truststore.certificates', 'no PEM', /contains no certificate$/],
])('%s=%s', (key, value, message) => {
  expect(() => read({ [key]: value })).toThrow(expect.objectContaining({ code: 'INVALID_CLIENT_CONFIG' }) as Error);
  expect(() => read({ [key]: value })).toThrow(new RegExp(`^Kafka client setting '${key}' ${message.source}`));
});

test('names are checked unless the setting is there and empty', () => {
  for (const algorithm of ['https', 'HTTPS']) {
    expect(read({ 'ssl.endpoint.identification.algorithm': algorithm })).not.toHaveProperty('checkServerIdentity');
  }
  expect(read({})).not.toHaveProperty('checkServerIdentity');
  expect(read({ 'ssl.endpoint.identification.algorithm': '' })).toHaveProperty('checkServerIdentity');
});

test('cipher suites by their names in Java', () => {
  expect(read({ 'ssl.cipher.suites': 'TLS_AES_256_GCM_SHA384, TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256' })).toMatchObject({
    ciphers: 'TLS_AES_256_GCM_SHA384:ECDHE-RSA-AES128-GCM-SHA256',
  });
});

test("the signal at the end of Java's default list is no suite", () => {
  const suites = 'TLS_AES_256_GCM_SHA384,TLS_EMPTY_RENEGOTIATION_INFO_SCSV';
  expect(read({ 'ssl.cipher.suites': suites })).toMatchObject({ ciphers: 'TLS_AES_256_GCM_SHA384' });
});

test.each(['TLSv1.2', 'tlsv1.2', 'tls', 'DEFAULT'])('ssl.protocol=%s, in capitals or not', (protocol) => {
  expect(read({ 'ssl.protocol': protocol })).toEqual(read({}));
});
