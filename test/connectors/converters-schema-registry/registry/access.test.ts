/** How the client reaches a registry: credentials, tokens, TLS and proxies, on real sockets. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { isConfigError } from '@millrace/sdk';
import { openRegistry } from '../../../../connectors/converters-schema-registry/src/registry/open-registry';
import { makeIdentity, makePkcs12 } from '../../../kafka/certificates';
import { SmallRegistry, type Answering } from '../small-registry';

const SCHEMA = { schema: '{}' };
const servers: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

async function start(...args: Parameters<typeof SmallRegistry.start>): Promise<SmallRegistry> {
  const server = await SmallRegistry.start(...args);
  servers.push(server);
  return server;
}

const read = (config: Record<string, string>, id = 1) => openRegistry(config).client.byKey(id);

describe('credentials', () => {
  let registry: SmallRegistry;
  beforeEach(async () => {
    registry = await start(() => ({ body: SCHEMA }));
  });
  const sent = async (config: Record<string, string>) => {
    await read({ 'schema.registry.url': registry.url, ...config });
    const { authorization } = registry.asked.at(-1)!.headers;
    const [scheme, value = ''] = (authorization ?? '').split(' ');
    return scheme === 'Basic' ? Buffer.from(value, 'base64').toString() : authorization;
  };

  test('of the address', async () => {
    const url = registry.url.replace('//', '//al%3Aice:s%40crét@');
    expect(await sent({ 'schema.registry.url': url })).toBe('al:ice:s@crét');
    expect(await sent({ 'schema.registry.url': url, 'basic.auth.credentials.source': 'URL' })).toBe('al:ice:s@crét');
  });

  test('of basic.auth.user.info, only if they are its source; with the prefix, a setting comes first', async () => {
    expect(await sent({ 'basic.auth.user.info': 'a:b' })).toBeUndefined();
    const source = { 'basic.auth.credentials.source': 'USER_INFO' };
    expect(await sent({ ...source, 'basic.auth.user.info': 'a:b:c' })).toBe('a:b:c');
    const both = { 'basic.auth.user.info': 'a:b', 'schema.registry.basic.auth.user.info': 'c:d' };
    expect(await sent({ ...source, ...both })).toBe('c:d');
    expect(await sent({ 'schema.registry.basic.auth.credentials.source': 'user_info', ...both })).toBe('c:d');
  });

  test('of the login module of a Kafka client', async () => {
    const jaas =
      'org.apache.kafka.common.security.plain.PlainLoginModule required username="al ice" password="a\\"b:c";';
    const source = { 'basic.auth.credentials.source': 'SASL_INHERIT', 'sasl.jaas.config': jaas };
    expect(await sent(source)).toBe('al ice:a"b:c');
  });

  test('a static token, with the headers of Confluent Cloud', async () => {
    const config = {
      'bearer.auth.credentials.source': 'STATIC_TOKEN',
      'bearer.auth.token': 'abc.def',
      'bearer.auth.logical.cluster': 'lsrc-1',
      'bearer.auth.identity.pool.id': 'pool-1',
    };
    expect(await sent(config)).toBe('Bearer abc.def');
    expect(registry.asked.at(-1)!.headers).toMatchObject({
      'target-sr-cluster': 'lsrc-1',
      'confluent-identity-pool-id': 'pool-1',
    });
  });
});

describe('tokens of an authorization server', () => {
  let issued: number;
  let lifetime: number;
  let issuing: Answering;
  let issuer: SmallRegistry;
  let registry: SmallRegistry;
  const tokens = () => registry.asked.map(({ headers }) => headers.authorization);
  beforeEach(async () => {
    issued = 0;
    lifetime = 3600;
    issuing = () => ({ body: { access_token: `token-${++issued}`, token_type: 'Bearer', expires_in: lifetime } });
    issuer = await start((...args) => issuing(...args));
    registry = await start(() => ({ body: SCHEMA }));
  });
  const config = () => ({
    'schema.registry.url': registry.url,
    'bearer.auth.credentials.source': 'OAUTHBEARER',
    'bearer.auth.issuer.endpoint.url': `${issuer.url}/token`,
    'bearer.auth.client.id': 'me',
    'bearer.auth.client.secret': 'ge:heim%',
    'bearer.auth.scope': 'registry:read registry:write',
  });

  test('one serves many requests, and those at once', async () => {
    await Promise.all([read(config(), 1), read(config(), 2)]);
    await read(config(), 3);
    expect(tokens()).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-1']);
    const [asked] = issuer.asked;
    expect(issuer.requests).toEqual(['POST /token']);
    expect(asked?.body).toBe('grant_type=client_credentials&scope=registry%3Aread+registry%3Awrite');
    const basic = Buffer.from(String(asked?.headers.authorization).split(' ')[1]!, 'base64').toString();
    expect(basic.split(':').map(decodeURIComponent)).toEqual(['me', 'ge:heim%']);
  });

  test('is replaced before it expires', async () => {
    lifetime = 400;
    await read(config(), 1);
    const now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(now + 150_000);
    try {
      await read(config(), 2);
      clock.mockReturnValue(now + 201_000);
      await read(config(), 3);
    } finally {
      clock.mockRestore();
    }
    expect(tokens()).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
  });

  test('that the registry no longer accepts is replaced once', async () => {
    registry.answering = ({ headers }) =>
      headers.authorization === 'Bearer token-2' ? { body: SCHEMA } : { status: 401, body: '' };
    await expect(read(config())).resolves.toMatchObject({ text: '{}' });
    registry.answering = () => ({ status: 401, body: '' });
    await expect(read(config(), 2)).rejects.toMatchObject({ code: 'REGISTRY_DENIED' });
    expect(tokens()).toEqual(['Bearer token-1', 'Bearer token-2', 'Bearer token-2', 'Bearer token-3']);
  });

  test('the server refuses the client', async () => {
    issuing = () => ({ status: 401, body: { error: 'invalid_client\n\u001b[2J' } });
    const error: Error = await read(config()).catch((failure) => failure);
    expect(error).toMatchObject({ code: 'REGISTRY_DENIED', place: { url: `${issuer.url}/token` } });
    expect(isConfigError(error)).toBe(true);
    expect(error.message).toMatch(/^[\x20-\x7e]*invalid_client[\x20-\x7e]*$/);
    expect(error.message).not.toContain('heim');
    expect(registry.requests).toEqual([]);
  });

  test.each<[string, ReturnType<Answering>]>([
    ['is away', 'reset'],
    ['fails', { status: 500, body: '' }],
  ])('the server %s: the task waits', async (_, reply) => {
    issuing = () => reply;
    await expect(read(config())).rejects.toMatchObject({ code: 'REGISTRY_UNREACHABLE', retriable: true });
  });

  test.each<[string, ReturnType<Answering>]>([
    ['a page', { body: '<html>' }],
    ['no token', { body: {} }],
    ['a token that would begin another header', { body: { access_token: 'a\r\nx: y' } }],
    ['a redirect', { status: 302, headers: { location: '/' }, body: '' }],
  ])('%s is a refusal', async (_, reply) => {
    issuing = () => reply;
    await expect(read(config())).rejects.toMatchObject({ code: 'REGISTRY_DENIED' });
  });
});

describe('TLS', () => {
  const authority = makeIdentity('authority', null);
  const server = makeIdentity('server', authority, '127.0.0.1');
  const stranger = makeIdentity('stranger', authority, 'elsewhere.example');
  const client = makeIdentity('client', authority);
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-registry-tls-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, content: string | Buffer): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const secure = async ({ key, cert }: { key: string; cert: string }, options: ServerOptions = {}) => {
    const registry = await start(
      () => ({ body: SCHEMA }),
      (listener) => createHttpsServer({ key, cert, ...options }, listener),
    );
    return { registry, url: registry.url.replace('http:', 'https:') };
  };
  const trust = { 'schema.registry.ssl.truststore.certificates': authority.cert };

  test('certificates that are trusted: in PEM, a file, or PKCS12', async () => {
    const { url } = await secure(server);
    const location = 'schema.registry.ssl.truststore.location';
    await expect(read({ 'schema.registry.url': url, ...trust })).resolves.toMatchObject({ text: '{}' });
    const pem = { [location]: file('trust.pem', authority.cert) };
    await expect(read({ 'schema.registry.url': url, ...pem })).resolves.toMatchObject({ text: '{}' });
    const store = file('trust.p12', makePkcs12(authority, 'geheim', false));
    const pkcs12 = { [location]: store, 'schema.registry.ssl.truststore.password': 'geheim' };
    await expect(
      read({ 'schema.registry.url': url, ...pkcs12, 'schema.registry.ssl.truststore.type': 'JKS' }),
    ).resolves.toMatchObject({ text: '{}' });
  });

  test('an unknown authority, and the certificate of another host', async () => {
    const { url } = await secure(server);
    const untrusted = read({ 'schema.registry.url': url });
    await expect(untrusted).rejects.toMatchObject({ code: 'REGISTRY_UNREACHABLE', message: /certificate/ as never });
    const other = await secure(stranger);
    const config = { 'schema.registry.url': other.url, ...trust };
    await expect(read(config)).rejects.toMatchObject({ code: 'REGISTRY_UNREACHABLE' });
    const unchecked = { ...config, 'schema.registry.ssl.endpoint.identification.algorithm': '' };
    await expect(read(unchecked)).resolves.toMatchObject({ text: '{}' });
    // The client that does not check hosts is not that of others.
    await expect(read(config, 2)).rejects.toMatchObject({ code: 'REGISTRY_UNREACHABLE' });
  });

  test('the certificate of the client', async () => {
    const { registry, url } = await secure(server, { ca: authority.cert, requestCert: true, rejectUnauthorized: true });
    let name: unknown;
    registry.answering = (_, response) => {
      name = (response.socket as TLSSocket).getPeerCertificate().subject.CN;
      return { body: SCHEMA };
    };
    const config = { 'schema.registry.url': url, ...trust };
    await expect(read(config)).rejects.toMatchObject({ code: 'REGISTRY_UNREACHABLE' });
    const store = {
      'schema.registry.ssl.keystore.location': file('client.p12', makePkcs12(client, 'geheim', true)),
      'schema.registry.ssl.keystore.password': 'geheim',
    };
    await read({ ...config, ...store });
    expect(name).toBe('client');
  });

  test('a store that cannot be read is an error of the setting, without its password', () => {
    const config = {
      'schema.registry.url': 'https://localhost',
      'schema.registry.ssl.truststore.location': file('bad.p12', makePkcs12(authority, 'geheim', false)),
      'schema.registry.ssl.truststore.password': 'falsch',
    };
    expect(() => openRegistry(config)).toThrow("The converter's setting schema.registry.ssl.truststore.password");
    expect(() => openRegistry(config)).not.toThrow('falsch');
    const jks = file('trust.jks', Buffer.from('feedfeed00000002', 'hex'));
    expect(() => openRegistry({ ...config, 'schema.registry.ssl.truststore.location': jks })).toThrow('keytool');
  });

  test('a server that takes the connection and no more', async () => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => sockets.add(socket));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    servers.push({
      stop: async () => {
        for (const socket of sockets) socket.destroy();
        await new Promise((resolve) => silent.close(resolve));
      },
    });
    const url = `https://127.0.0.1:${(silent.address() as { port: number }).port}`;
    await expect(read({ 'schema.registry.url': url, 'http.connect.timeout.ms': '50' })).rejects.toMatchObject({
      code: 'REGISTRY_UNREACHABLE',
      message: expect.stringContaining('no connection within 50 ms'),
    });
  });

  test('through a proxy, which sees the host alone', async () => {
    const { url, registry } = await secure(server);
    const proxy = await startProxy();
    const through = { 'proxy.host': '127.0.0.1', 'proxy.port': String(proxy.port) };
    await read({ 'schema.registry.url': url, ...trust, ...through });
    expect(proxy.seen).toEqual([`CONNECT 127.0.0.1:${registry.port}`]);
    // The certificate must be of the registry, also where that has no name.
    const local = await secure(makeIdentity('local', authority, 'localhost'));
    await expect(read({ 'schema.registry.url': local.url, ...trust, ...through })).rejects.toMatchObject({
      code: 'REGISTRY_UNREACHABLE',
    });
    const named = local.url.replace('127.0.0.1', 'localhost');
    await expect(read({ 'schema.registry.url': named, ...trust, ...through })).resolves.toMatchObject({ text: '{}' });
  });
});

/** An HTTP proxy that forwards requests and tunnels. */
async function startProxy(): Promise<{ port: number; seen: string[] }> {
  const seen: string[] = [];
  const server = createHttpServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.end(JSON.stringify({ schema: 'by proxy' }));
  });
  const sockets = new Set<Socket>();
  server.on('connect', (request, socket: Socket) => {
    seen.push(`CONNECT ${request.url}`);
    const [host, port] = String(request.url).split(':');
    const target = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    for (const one of [socket, target]) sockets.add(one.on('error', () => undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push({
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
  return { port: (server.address() as { port: number }).port, seen };
}

describe('proxy', () => {
  test('forwards requests without TLS', async () => {
    const proxy = await startProxy();
    const config = { 'proxy.host': '127.0.0.1', 'schema.registry.proxy.port': String(proxy.port) };
    const url = 'http://user:pass@registry.example:8081/base';
    await expect(read({ 'schema.registry.url': url, ...config })).resolves.toMatchObject({ text: 'by proxy' });
    expect(proxy.seen).toEqual(['GET http://registry.example:8081/base/schemas/ids/1']);
  });

  test('one that refuses', async () => {
    const proxy = await start(() => ({ status: 407, body: '' }));
    const config = { 'proxy.host': '127.0.0.1', 'proxy.port': String(proxy.port) };
    await expect(read({ 'schema.registry.url': 'http://registry', ...config })).rejects.toMatchObject({
      code: 'REGISTRY_DENIED',
      message: expect.stringContaining('proxy'),
    });
    await expect(read({ 'schema.registry.url': 'https://registry', ...config })).rejects.toMatchObject({
      code: 'REGISTRY_UNREACHABLE',
    });
  });
});
