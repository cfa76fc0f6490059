import http from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net, { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConnectionSettings } from '../../../packages/kafka-client/src/network/client-config';
import { KafkaConnection } from '../../../packages/kafka-client/src/network/kafkajs-connection';
import { createWire } from '../../../packages/kafka-client/src/network/network-client';
import { metadataRequest } from '../../../packages/kafka-client/src/protocol/metadata';
import type { Wire } from '../../../packages/kafka-client/src/wire';
import { encryptedKey, makeIdentity, makePkcs12, type Identity } from '../certificates';
import {
  fakeBroker,
  oauthServer,
  plainServer,
  scramServer,
  type FakeBroker,
  type FakeBrokerOptions,
} from './fake-broker';

const SASL_AUTHENTICATE = 36;
const METADATA = 3;
const open: { close(): Promise<unknown> }[] = [];
const broker = async (options: FakeBrokerOptions = {}): Promise<FakeBroker> => {
  const made = await fakeBroker(options);
  open.push(made);
  return made;
};
const wireTo = (to: FakeBroker, config: Record<string, string> = {}, tokenUrls?: ReadonlySet<string>): Wire => {
  const made = createWire({ 'bootstrap.servers': to.server, 'client.id': 'test', ...config }, { tokenUrls });
  open.push(made);
  return made;
};
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

describe('kafka-client 3: SASL', () => {
  const login = (module: string, options: string): string =>
    `org.apache.kafka.common.security.${module} required ${options};`;
  const plain = (password: string): Record<string, string> => ({
    'security.protocol': 'SASL_PLAINTEXT',
    'sasl.mechanism': 'PLAIN',
    'sasl.jaas.config': login('plain.PlainLoginModule', `username="alice" password="${password}"`),
  });
  const scram = (size: 256 | 512, password: string): Record<string, string> => ({
    'security.protocol': 'SASL_PLAINTEXT',
    'sasl.mechanism': `SCRAM-SHA-${size}`,
    'sasl.jaas.config': login('scram.ScramLoginModule', `username="alice" password="${password}"`),
  });
  /** Longer than a session of 1 ms. */
  const sessionEnd = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));
  const oauth = (options: string): Record<string, string> => ({
    'security.protocol': 'SASL_PLAINTEXT',
    'sasl.mechanism': 'OAUTHBEARER',
    'sasl.jaas.config': login('oauthbearer.OAuthBearerLoginModule', options),
  });

  test('PLAIN, SCRAM-SHA-256 and SCRAM-SHA-512 authenticate with the right password', async () => {
    const it = await broker({
      sasl: {
        PLAIN: plainServer('alice', 'se"cret'),
        'SCRAM-SHA-256': scramServer('sha256', 'alice', 'secret'),
        'SCRAM-SHA-512': scramServer('sha512', 'alice', 'secret'),
      },
    });
    for (const config of [plain('se\\"cret'), scram(256, 'secret'), scram(512, 'secret')]) {
      expect(await wireTo(it, config).clusterId()).toBe('fake-cluster');
    }
  });

  test('a wrong password is one clear error, not retried, without the password', async () => {
    const it = await broker({
      sasl: { PLAIN: plainServer('alice', 'right'), 'SCRAM-SHA-256': scramServer('sha256', 'alice', 'right') },
    });
    for (const config of [plain('wr0ng'), scram(256, 'wr0ng')]) {
      const failing = wireTo(it, config).connect();
      await expect(failing).rejects.toMatchObject({ code: 'SASL_AUTHENTICATION_FAILED', retriable: false });
      await failing.catch((error: Error) => expect(error.message).not.toContain('wr0ng'));
    }
    expect(it.received.filter((key) => key === METADATA)).toEqual([]);
  });

  test('a mechanism the broker lacks is named as the reason', async () => {
    const it = await broker({ sasl: { PLAIN: plainServer('alice', 'x') } });
    await expect(wireTo(it, scram(512, 'x')).connect()).rejects.toMatchObject({ code: 'UNSUPPORTED_SASL_MECHANISM' });
  });

  test('OAUTHBEARER with an unsecured token and extensions; a refusal carries the reason', async () => {
    const seen: string[] = [];
    const it = await broker({
      sasl: {
        OAUTHBEARER: oauthServer((token, message) => {
          seen.push(message);
          const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { sub: string };
          return claims.sub === 'alice';
        }),
      },
    });
    const good = oauth('unsecuredLoginStringClaim_sub="alice" unsecuredLoginExtension_pool="a"');
    expect(await wireTo(it, good).clusterId()).toBe('fake-cluster');
    expect(seen[0]?.split('\u0001')).toEqual(['n,,', expect.stringMatching(/^auth=Bearer ./), 'pool=a', '', '']);
    await expect(wireTo(it, oauth('unsecuredLoginStringClaim_sub="mallory"')).connect()).rejects.toMatchObject({
      code: 'SASL_AUTHENTICATION_FAILED',
      message: expect.stringContaining('invalid_token') as unknown,
    });
  });

  test('OAUTHBEARER with client credentials: one token serves several connections', async () => {
    const asked: string[] = [];
    const idp = http.createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        asked.push(`${Buffer.from((request.headers.authorization ?? '').slice(6), 'base64').toString()} ${body}`);
        const known = asked.at(-1)?.startsWith('me:it is secret ') === true;
        response.writeHead(known ? 200 : 401, { 'content-type': 'application/json' });
        response.end(JSON.stringify(known ? { access_token: 'token-1', expires_in: 60 } : { error: 'invalid_client' }));
      });
    });
    await new Promise<void>((resolve) => idp.listen(0, '127.0.0.1', resolve));
    open.push({ close: () => new Promise((resolve) => idp.close(resolve)) });
    const url = `http://127.0.0.1:${(idp.address() as AddressInfo).port}/token`;
    const it = await broker({ sasl: { OAUTHBEARER: oauthServer((token) => token === 'token-1') } });
    const config = (secret: string): Record<string, string> => ({
      ...oauth(`clientId="me" clientSecret="${secret}" scope="kafka"`),
      'sasl.oauthbearer.token.endpoint.url': url,
    });
    const allowed = new Set([url]);
    const wire = wireTo(it, config('it is secret'), allowed);
    await wire.connect();
    await wire.send(1, metadataRequest(8, [], false), 'another');
    expect(asked).toEqual(['me:it is secret grant_type=client_credentials&scope=kafka']);
    const refused = wireTo(it, config('n0t it'), allowed).connect();
    await expect(refused).rejects.toMatchObject({
      code: 'SASL_AUTHENTICATION_FAILED',
      message: expect.stringMatching(/token: .*HTTP status 401 \(invalid_client\)/) as unknown,
    });
    await refused.catch((error: Error) => expect(error.message).not.toContain('n0t it'));
    const before = asked.length;
    expect(() => wireTo(it, config('it is secret'))).toThrow(/'sasl.oauthbearer.token.endpoint.url'.*allowed\.urls'/);
    expect(() => wireTo(it, config('it is secret'), new Set([`${url}/`]))).toThrow(/restrictions/);
    expect(asked).toHaveLength(before);
  });

  test('an expiring session is re-authenticated before the next request', async () => {
    const it = await broker({ sasl: { PLAIN: plainServer('alice', 'x') }, sessionLifetimeMs: 1 });
    const wire = wireTo(it, plain('x'));
    await wire.connect();
    const before = it.received.filter((key) => key === SASL_AUTHENTICATE).length;
    await sessionEnd();
    await Promise.all([1, 2, 3].map(() => wire.send(1, metadataRequest(8, [], false))));
    expect(it.received.filter((key) => key === SASL_AUTHENTICATE).length).toBeGreaterThan(before);
  });

  test('a session of seconds is not re-authenticated with every request', async () => {
    const it = await broker({ sasl: { PLAIN: plainServer('alice', 'x') }, sessionLifetimeMs: 9_000 });
    const wire = wireTo(it, plain('x'));
    await wire.connect();
    for (let i = 0; i < 3; i++) await wire.send(1, metadataRequest(8, [], false));
    expect(it.received.filter((key) => key === SASL_AUTHENTICATE)).toHaveLength(1);
  });

  test('a broker that does not answer when a session is renewed loses the connection', async () => {
    const options: FakeBrokerOptions = { sasl: { PLAIN: plainServer('alice', 'x') }, sessionLifetimeMs: 1 };
    const wire = wireTo(await broker(options), { ...plain('x'), 'request.timeout.ms': '1000' });
    await wire.connect();
    options.silentFor = SASL_AUTHENTICATE;
    await sessionEnd();
    await expect(wire.send(1, metadataRequest(8, [], false))).rejects.toMatchObject({
      code: 'CONNECTION_FAILED',
      retriable: true,
      message: expect.stringContaining('was not authenticated within 1000 ms') as unknown,
    });
  });
});

describe('kafka-client 3: TLS', () => {
  let folder: string;
  let ca: Identity;
  let server: Identity;
  let client: Identity;
  const file = (name: string, content: string | Buffer): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-tls-'));
    ca = makeIdentity('Test CA', null);
    server = makeIdentity('broker', ca, 'broker.example');
    client = makeIdentity('client', ca);
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const secure = (more: FakeBrokerOptions['tls'] = {}) =>
    broker({ tls: { key: server.key, cert: server.cert, ...more } });
  const ssl = (config: Record<string, string>): Record<string, string> => ({
    'security.protocol': 'SSL',
    'ssl.endpoint.identification.algorithm': '',
    ...config,
  });

  test('trust from inline PEM (also on one line), a PEM file and a PKCS12 store', async () => {
    const it = await secure();
    const inline = ca.cert.replace(/\r?\n/g, ' ');
    const trusts: Record<string, string>[] = [
      { 'ssl.truststore.type': 'PEM', 'ssl.truststore.certificates': ca.cert },
      { 'ssl.truststore.type': 'PEM', 'ssl.truststore.certificates': inline },
      { 'ssl.truststore.location': file('ca.pem', `a comment\n${ca.cert}`) },
      {
        'ssl.truststore.type': 'PKCS12',
        'ssl.truststore.location': file('ca.p12', makePkcs12(ca, 'store-pw', false)),
        'ssl.truststore.password': 'store-pw',
      },
    ];
    for (const trust of trusts) expect(await wireTo(it, ssl(trust)).clusterId()).toBe('fake-cluster');
  });

  test('an unknown authority and a wrong host name are refused, with the reason', async () => {
    const it = await secure();
    await expect(wireTo(it, ssl({})).connect()).rejects.toMatchObject({
      code: 'SSL_HANDSHAKE_FAILED',
      retriable: false,
      message: expect.stringMatching(/TLS with Kafka broker 127\.0\.0\.1:\d+ failed: .*certificate/) as unknown,
    });
    const checked = { 'security.protocol': 'SSL', 'ssl.truststore.certificates': ca.cert };
    await expect(wireTo(it, checked).connect()).rejects.toMatchObject({
      code: 'SSL_HANDSHAKE_FAILED',
      message: expect.stringContaining('ERR_TLS_CERT_ALTNAME_INVALID') as unknown,
    });
  });

  test('client certificates from inline PEM with an encrypted key, a PEM file and a PKCS12 store', async () => {
    const it = await secure({ requestCert: true, rejectUnauthorized: true, ca: ca.cert });
    const trust = { 'ssl.truststore.certificates': ca.cert };
    const identities: Record<string, string>[] = [
      {
        'ssl.keystore.certificate.chain': client.cert,
        'ssl.keystore.key': encryptedKey(client, 'key-pw').replace(/\r?\n/g, ' '),
        'ssl.key.password': 'key-pw',
      },
      { 'ssl.keystore.location': file('client.pem', client.key + client.cert) },
      {
        'ssl.keystore.location': file('client.p12', makePkcs12(client, 'store-pw', true)),
        'ssl.keystore.password': 'store-pw',
      },
    ];
    for (const identity of identities) {
      expect(await wireTo(it, ssl({ ...trust, ...identity })).clusterId()).toBe('fake-cluster');
    }
    await expect(wireTo(it, ssl(trust)).connect()).rejects.toMatchObject({
      message: expect.stringMatching(/127\.0\.0\.1/) as unknown,
    });
  });

  test('stores and keys that cannot be used name their setting, never a password', () => {
    const jks = file('store.jks', Buffer.from('feedfeed00000002', 'hex'));
    const cases: [Record<string, string>, RegExp][] = [
      [{ 'ssl.truststore.location': jks }, /'ssl\.truststore\.location' names a JKS store.*keytool/],
      [{ 'ssl.keystore.location': jks }, /'ssl\.keystore\.location' names a JKS store/],
      [
        { 'ssl.truststore.location': '/does/not/exist' },
        /'ssl\.truststore\.location' names a file that cannot be read/,
      ],
      [{ 'ssl.truststore.location': file('junk', 'junk') }, /neither PEM nor PKCS12/],
      [{ 'ssl.truststore.certificates': 'nothing' }, /'ssl\.truststore\.certificates' contains no certificate/],
      [
        {
          'ssl.truststore.location': file('t.p12', makePkcs12(ca, 'right', false)),
          'ssl.truststore.password': 'wr0ng',
        },
        /'ssl\.truststore\.password' does not open/,
      ],
      [
        { 'ssl.keystore.location': file('k.p12', makePkcs12(client, 'right', true)), 'ssl.keystore.password': 'wr0ng' },
        /'ssl\.keystore\.location' cannot be opened/,
      ],
      [{ 'ssl.keystore.key': client.key }, /'ssl\.keystore\.certificate\.chain' is missing/],
      [
        {
          'ssl.keystore.certificate.chain': client.cert,
          'ssl.keystore.key': encryptedKey(client, 'right'),
          'ssl.key.password': 'wr0ng',
        },
        /'ssl\.keystore\.key' cannot be used/,
      ],
      [{ 'ssl.enabled.protocols': 'SSLv3' }, /'ssl\.enabled\.protocols'/],
    ];
    for (const [config, message] of cases) {
      const read = (): unknown => readConnectionSettings({ 'bootstrap.servers': 'a:1', ...ssl(config) });
      expect(read).toThrow(message);
      expect(read).toThrow(expect.objectContaining({ code: 'INVALID_CLIENT_CONFIG' }) as Error);
      expect(read).not.toThrow(/wr0ng/);
    }
  });

  test('TLS to a plain port and plaintext to a TLS port: the error names the mismatch', async () => {
    const silent = await broker();
    const patience = { 'socket.connection.setup.timeout.ms': '500' };
    await expect(wireTo(silent, { ...ssl({}), ...patience }).connect()).rejects.toMatchObject({
      message: expect.stringContaining(silent.server) as unknown,
    });
    const tlsOnly = await secure();
    await expect(wireTo(tlsOnly).connect()).rejects.toMatchObject({ code: 'CONNECTION_FAILED' });
  });
});

describe('requests that are not answered', () => {
  test('time out, and close the connection', async () => {
    const it = await broker({ silentFor: METADATA });
    const wire = wireTo(it, { 'request.timeout.ms': '5000', 'socket.connection.setup.timeout.ms': '5000' });
    await expect(wire.connect()).rejects.toMatchObject({
      code: 'CONNECTION_FAILED',
      retriable: true,
      message: expect.stringContaining('did not respond to Metadata within 5000 ms') as unknown,
    });
  });
});

test('a broker that announces 2 MiB as its answer to ApiVersions is refused', async () => {
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      const head = Buffer.alloc(4);
      head.writeInt32BE(2 * 2 ** 20);
      socket.write(head);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => new Promise((resolve) => server.close(resolve)) });
  const { port } = server.address() as AddressInfo;
  const settings = readConnectionSettings({ 'bootstrap.servers': `127.0.0.1:${port}` });
  await expect(new KafkaConnection({ host: '127.0.0.1', port }, settings).open()).rejects.toMatchObject({
    code: 'CONNECTION_FAILED',
    message: expect.stringContaining('(a message of 2097152 bytes was announced)') as unknown,
  });
});
