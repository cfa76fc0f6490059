/** connect-rest §5.2: HTTPS listeners with Java's keys, as clients use them. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import { forwardRequest } from '../../../src/cluster/forwarding/forwarding';
import { parseAllowedHosts } from '../../../src/config/allowed-hosts';
import { parseListener } from '../../../src/config/listeners';
import { createConfigValidator } from '../../../src/config/validation/connector-validator';
import { parseJaasFile } from '../../../packages/kafka-client/src/security/jaas';
import { readTlsOptions } from '../../../packages/kafka-client/src/security/ssl-config';
import { LogLevels } from '../../../src/logging/log-levels';
import { silentLogger } from '../../../src/logging/logger';
import { forwardingTls } from '../../../src/rest/http/https';
import { createRestServer, type RestServer } from '../../../src/rest/server';
import { waitFor } from '../../helpers/wait-for';
import { encryptedKey, makeIdentity, makePkcs12 } from '../../kafka/certificates';
import { fakeRegistry, fakeWorkerConfig, SRC } from '../../helpers/fake-plugins';
import { FakeHerder } from '../fake-worker';

const folder = mkdtempSync(join(tmpdir(), 'millrace-https-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, content: string | Buffer): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const server = makeIdentity('worker', null, '127.0.0.1');
const client = makeIdentity('client', null);
const stranger = makeIdentity('stranger', null, '127.0.0.1');

const PEM = {
  'listeners.https.ssl.keystore.certificate.chain': server.cert,
  'listeners.https.ssl.keystore.key': server.key,
};
const registry = fakeRegistry();
const validator = createConfigValidator({ registry, config: fakeWorkerConfig() });
let open: RestServer[] = [];
let warnings: string[] = [];
afterEach(async () => {
  warnings = [];
  await Promise.all(open.map((rest) => rest.close()));
  open = [];
});

function build(raw: Record<string, string>, admin: string[] | null = null): RestServer {
  const rest = createRestServer({
    herder: new FakeHerder(validator, registry),
    registry,
    validator,
    config: {
      raw,
      listeners: ['https://127.0.0.1:0'].map(parseListener),
      adminListeners: admin && admin.map(parseListener),
      cors: null,
      responseHeaders: [],
      allowedHosts: parseAllowedHosts([]),
      advertisedHost: null,
      restAuth: { basic: null, bearer: null, roles: null, openPaths: [] },
      restConnectionsMax: 500,
      restBodies: { maxBytes: 1024 * 1024, inFlightBytes: 1024 * 1024 },
      consoleEnabled: false,
      consoleDocsUrl: null,
      groupId: 'connect-cluster',
      topicTrackingEnable: true,
    },
    readTls: readTlsOptions,
    readJaas: parseJaasFile,
    levels: new LogLevels(),
    logger: { ...silentLogger, warn: (message) => void warnings.push(message) },
    version: '4.3.1',
    commit: 'unknown',
    millraceVersion: '0.0.0',
  });
  open.push(rest);
  return rest;
}
async function ports(raw: Record<string, string>, admin: string[] | null = null): Promise<number[]> {
  return (await build(raw, admin).listen()).map(({ port }) => port);
}
async function get(port: number, tls: ConnectionOptions, path = '/'): Promise<number> {
  return await new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, agent: false, ...tls }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', reject);
    })
      .on('error', reject)
      .end();
  });
}
const trusting = { ca: server.cert };

test('PEM inline, a PEM file with an encrypted key, and a PKCS12 store', async () => {
  const variants: Record<string, string>[] = [
    PEM,
    {
      'listeners.https.ssl.keystore.location': file('server.pem', `${encryptedKey(server, 'pw')}${server.cert}`),
      'listeners.https.ssl.key.password': 'pw',
    },
    {
      'listeners.https.ssl.keystore.location': file('server.p12', makePkcs12(server, 'pw', true)),
      'listeners.https.ssl.keystore.password': 'pw',
    },
    // Without keys of their own, HTTPS listeners use the worker's.
    { 'ssl.keystore.certificate.chain': server.cert, 'ssl.keystore.key': server.key },
  ];
  for (const raw of variants) {
    const [port = 0] = await ports(raw);
    expect(await get(port, trusting)).toBe(200);
    await expect(get(port, {})).rejects.toThrow(/self-signed certificate/);
  }
});

test('ssl.client.auth: none, requested, required', async () => {
  const trust = { ...PEM, 'listeners.https.ssl.truststore.certificates': client.cert };
  const withCert = { ...trusting, cert: client.cert, key: client.key };
  const withWrongCert = { ...trusting, cert: stranger.cert, key: stranger.key };
  const [none = 0] = await ports(trust);
  expect(await get(none, withWrongCert)).toBe(200);
  const [requested = 0] = await ports({ ...trust, 'listeners.https.ssl.client.auth': 'requested' });
  expect([await get(requested, trusting), await get(requested, withCert)]).toEqual([200, 200]);
  await expect(get(requested, withWrongCert)).rejects.toThrow();
  const [required = 0] = await ports({ ...trust, 'listeners.https.ssl.client.auth': 'required' });
  expect(await get(required, withCert)).toBe(200);
  await expect(get(required, trusting)).rejects.toThrow();
  await expect(get(required, withWrongCert)).rejects.toThrow();
});

test.each([
  ['requested', stranger, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['required', stranger, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['required', null, 'none was sent'],
])('a client certificate that is %s but not trusted is in the log', async (auth, sent, reason) => {
  const trust = { ...PEM, 'listeners.https.ssl.truststore.certificates': client.cert };
  const [port = 0] = await ports({ ...trust, 'listeners.https.ssl.client.auth': auth });
  await expect(get(port, { ...trusting, ...(sent && { cert: sent.cert, key: sent.key }) })).rejects.toThrow();
  await waitFor('the warning', () => warnings.length > 0);
  expect(warnings).toEqual([
    `REST: failed login from 127.0.0.1: the client certificate is rejected (${reason}) (REST_LOGIN_FAILED)`,
  ]);
});

test('protocols and cipher suites by their names in Java', async () => {
  const [port = 0] = await ports({
    ...PEM,
    'listeners.https.ssl.enabled.protocols': 'TLSv1.2',
    'listeners.https.ssl.cipher.suites': 'TLS_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256',
  });
  const only = { ...trusting, maxVersion: 'TLSv1.2' } as const;
  expect(await get(port, { ...only, ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' })).toBe(200);
  await expect(get(port, { ...only, ciphers: 'ECDHE-RSA-AES256-GCM-SHA384' })).rejects.toThrow();
  await expect(get(port, { ...trusting, minVersion: 'TLSv1.3' })).rejects.toThrow();
});

test('admin listeners have settings of their own', async () => {
  const [main = 0, admin = 0] = await ports(
    {
      ...PEM,
      'admin.listeners.https.ssl.keystore.certificate.chain': stranger.cert,
      'admin.listeners.https.ssl.keystore.key': stranger.key,
    },
    ['https://127.0.0.1:0'],
  );
  expect(await get(main, trusting, '/connectors')).toBe(200);
  expect(await get(admin, { ca: stranger.cert }, '/admin/loggers')).toBe(200);
  await expect(get(admin, trusting, '/admin/loggers')).rejects.toThrow(/self-signed certificate/);
});

test('forwarded requests use the same settings', async () => {
  const trust = { 'listeners.https.ssl.truststore.certificates': server.cert };
  const [port = 0] = await ports(PEM);
  const request = {
    url: `https://127.0.0.1:${port}/`,
    method: 'POST',
    path: '/connectors',
    body: JSON.stringify({ name: 'a', config: SRC }),
    forward: true,
  } as const;
  const tls = forwardingTls({ raw: trust, listeners: [] }, readTlsOptions);
  expect((await forwardRequest(request, tls)).status).toBe(201);
  await expect(forwardRequest(request)).rejects.toMatchObject({
    status: 500,
    message: expect.stringMatching(/self-signed/) as string,
  });
  // Kafka's own settings stay unread if no listener has TLS.
  expect(forwardingTls({ raw: { 'ssl.keystore.location': '/nowhere' }, listeners: [] }, readTlsOptions)).toEqual({});
});

test.each<[string, Record<string, string>, RegExp]>([
  [
    'no certificate',
    {},
    /^Worker setting "listeners\.https\.ssl\.keystore\.location" is required: listeners has an https listener, which needs a certificate and its key \(PKCS12 or PEM\)\.$/,
  ],
  [
    'a prefixed key hides all others',
    {
      'ssl.keystore.certificate.chain': server.cert,
      'ssl.keystore.key': server.key,
      'listeners.https.ssl.protocol': 'TLS',
    },
    /^Worker setting "listeners\.https\.ssl\.keystore\.location" is required/,
  ],
  [
    'no such file',
    { 'listeners.https.ssl.keystore.location': '/nowhere.p12' },
    /^Worker setting "listeners\.https\.ssl\.keystore\.location" names a file that cannot be read: ENOENT/,
  ],
  [
    'wrong password',
    {
      'listeners.https.ssl.keystore.location': file('locked.p12', makePkcs12(server, 'right', true)),
      'listeners.https.ssl.keystore.password': 'wrong-canary',
    },
    /^Worker setting "listeners\.https\.ssl\.keystore\.location" cannot be opened with ssl\.keystore\.password \((?!.*canary)/,
  ],
  [
    'a key of another certificate',
    { ...PEM, 'listeners.https.ssl.keystore.key': client.key },
    /^Worker setting "listeners\.https\.ssl\.keystore\.key" cannot be used with its certificate chain/,
  ],
  [
    'client authentication nobody knows',
    { ...PEM, 'listeners.https.ssl.client.auth': 'maybe' },
    /^Worker setting "listeners\.https\.ssl\.client\.auth" is invalid: String must be one of: none, requested, required\.$/,
  ],
  [
    'client certificates that any public authority may have signed',
    { ...PEM, 'listeners.https.ssl.client.auth': 'required' },
    /^Worker setting "listeners\.https\.ssl\.client\.auth" is required, but there is no truststore for client certificates: /,
  ],
  [
    'an empty trust store setting',
    { ...PEM, 'listeners.https.ssl.truststore.location': '' },
    /^Worker setting "listeners\.https\.ssl\.truststore\.location" is empty\.$/,
  ],
  [
    'a check of names nobody knows',
    { ...PEM, 'listeners.https.ssl.endpoint.identification.algorithm': 'none' },
    /^Worker setting "listeners\.https\.ssl\.endpoint\.identification\.algorithm" must be https, or empty to disable host name/,
  ],
  [
    'a protocol nobody knows',
    { ...PEM, 'listeners.https.ssl.protocol': 'PLAIN' },
    /^Worker setting "listeners\.https\.ssl\.protocol" must be one of TLS, /,
  ],
  [
    'a cipher suite nobody knows',
    { ...PEM, 'listeners.https.ssl.cipher.suites': 'TLS_RSA_WITH_RC4_128_MD5' },
    /^Worker setting "listeners\.https\.ssl\.cipher\.suites" names TLS_RSA_WITH_RC4_128_MD5, which is not available\.$/,
  ],
  [
    'a Java class',
    { ...PEM, 'listeners.https.ssl.engine.factory.class': 'com.example.Engine' },
    /^Worker setting "listeners\.https\.ssl\.engine\.factory\.class" is not supported: /,
  ],
])('rejected before anything is opened: %s', (_name, raw, message) => {
  expect(() => build(raw)).toThrow(message);
});
