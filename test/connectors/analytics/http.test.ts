/** Requests: closed streams, error messages, and the proxy. */
import { once } from 'node:events';
import { createReadStream, type ReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import tls, { type ConnectionOptions } from 'node:tls';
import { join } from 'node:path';
import { issueCertificate } from '../../../dev/services/certificates';
import { Http } from '../../../connectors/analytics/src/service/http';
import type { ServiceError } from '../../../connectors/analytics/src/service/service-error';

const { signal } = new AbortController();
const servers: Server[] = [];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-http-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => {
  jest.restoreAllMocks();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function listen(listener: RequestListener): Promise<{ server: Server; port: number; url: string }> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { server, port, url: `http://127.0.0.1:${port}` };
}

test('a file is closed when its upload is aborted', async () => {
  const { url } = await listen((request) => {
    request.once('data', () => request.destroy());
  });
  const path = join(folder, 'large');
  await writeFile(path, Buffer.alloc(8 * 1024 * 1024));
  let stream: ReadStream | undefined;
  const http = new Http({ proxy: null });
  await expect(
    http.send({ method: 'PUT', url, body: () => (stream = createReadStream(path)), signal }),
  ).rejects.toMatchObject({ kind: 'transient' });
  if (!stream?.closed) await once(stream as ReadStream, 'close');
  expect(stream?.destroyed).toBe(true);
});

test('a file that cannot be read is a permanent error', async () => {
  const { url } = await listen((request, response) => {
    request.resume().on('end', () => response.end());
  });
  const http = new Http({ proxy: null });
  const body = (): ReadStream => createReadStream(join(folder, 'gone'));
  await expect(http.send({ method: 'PUT', url, body, signal })).rejects.toMatchObject({
    kind: 'permanent',
    message: expect.stringMatching(/^Cannot read the file: ENOENT/) as string,
  });
});

test('analytics-sink 9: an error names the URL and the response, without the query of the URL', async () => {
  const { url } = await listen((_request, response) => {
    response.writeHead(429, { 'Retry-After': '2' });
    response.end(JSON.stringify({ error: { code: 'Throttled', '@message': 'slow', '@permanent': false } }));
  });
  const error = await new Http({ proxy: null })
    .require({ method: 'GET', url: `${url}/c/b?sig=secret`, signal })
    .catch((caught: unknown) => caught as ServiceError);
  expect(error).toMatchObject({
    message: `${url}/c/b answers 429 Throttled: slow`,
    kind: 'transient',
    status: 429,
    serviceCode: 'Throttled',
    retryAfterMs: 2_000,
  });
});

test.each([
  ['{"error":"invalid_client","error_description":"no"}', 'invalid_client: no'],
  [
    '<?xml version="1.0"?><Error><Code>AuthenticationFailed</Code><Message>no\nRequestId</Message></Error>',
    'AuthenticationFailed: no',
  ],
  ['oops', '400'],
])('the error text of %s', async (body, words) => {
  const { url } = await listen((_request, response) => {
    response.writeHead(400).end(body);
  });
  await expect(new Http({ proxy: null }).require({ method: 'GET', url, signal })).rejects.toThrow(words);
});

test('redirects are not followed', async () => {
  const { url } = await listen((_request, response) => {
    response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end();
  });
  await expect(new Http({ proxy: null }).require({ method: 'GET', url, signal })).rejects.toMatchObject({
    status: 302,
    kind: 'permanent',
  });
});

test('a proxy sees tunnels alone: of plain requests, and of those to this machine, nothing', async () => {
  const seen: string[] = [];
  const { server, port } = await listen((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.host}`);
    response.end('ok');
  });
  server.on('connect', (request, socket) => {
    seen.push(`${request.method} ${request.url}`);
    socket.end('HTTP/1.1 407 No\r\n\r\n');
  });
  const direct = await listen((_request, response) => response.end('direct'));
  const http = new Http({ proxy: { host: '127.0.0.1', port } });
  expect((await http.send({ method: 'GET', url: `${direct.url}/x?y`, signal })).text).toBe('direct');
  // Nothing listens there; the proxy would respond.
  for (const url of ['http://127.0.0.1:1/', 'https://localhost:1/', 'https://[::1]:1/', 'https://127.9.9.9:1/'])
    await expect(http.send({ method: 'GET', url, signal })).rejects.toThrow(/does not answer: .*(ECONNREFUSED|EADDR)/);
  await expect(http.send({ method: 'GET', url: 'https://c.kusto.windows.net/', signal })).rejects.toThrow(
    'https://c.kusto.windows.net/ does not answer: the proxy answers 407',
  );
  expect(seen).toEqual(['CONNECT c.kusto.windows.net:443']);
});

test('connections are kept through a proxy', async () => {
  const identity = issueCertificate({ name: 'cluster', issuer: null, hosts: ['c.kusto.windows.net'] });
  const said: (string | undefined)[] = [];
  const cluster = createSecureServer(identity, (request, response) => {
    said.push(request.headers.connection);
    response.end('ok');
  });
  servers.push(cluster);
  await new Promise<void>((resolve) => cluster.listen(0, '127.0.0.1', resolve));
  const proxy = await listen((_request, response) => response.end());
  let connections = 0;
  let tunnels = 0;
  proxy.server.on('connection', () => connections++);
  proxy.server.on('connect', (_request, socket: Socket) => {
    tunnels++;
    const onward = connect((cluster.address() as AddressInfo).port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  // Like NODE_EXTRA_CA_CERTS, which is read only when a process starts.
  const plainConnect = tls.connect;
  jest
    .spyOn(tls, 'connect')
    .mockImplementation(((given: ConnectionOptions) =>
      plainConnect({ ...given, ca: identity.cert })) as typeof tls.connect);
  const http = new Http({ proxy: { host: '127.0.0.1', port: proxy.port } });
  const url = 'https://c.kusto.windows.net/';
  for (let i = 0; i < 3; i++) expect((await http.send({ method: 'GET', url, signal })).text).toBe('ok');
  expect(said).toEqual(['keep-alive', 'keep-alive', 'keep-alive']);
  expect({ connections, tunnels }).toEqual({ connections: 1, tunnels: 1 });
  http.close();
});

test('an unreachable or wrong address is reported with the keys that set it', async () => {
  const { url } = await listen((_request, response) => {
    response.writeHead(404).end('<html>');
  });
  const setting = 'analytics.query.url';
  await expect(new Http({ proxy: null }).require({ method: 'GET', url, setting, signal })).rejects.toThrow(
    `${url}/ answers 404. Check "analytics.query.url".`,
  );
  const gone = await listen(() => undefined);
  await new Promise((resolve) => gone.server.close(resolve));
  await expect(new Http({ proxy: null }).send({ method: 'GET', url: gone.url, setting, signal })).rejects.toThrow(
    `${gone.url}/ does not answer: connect ECONNREFUSED 127.0.0.1:${gone.port}. Check "analytics.query.url", and whether this worker may reach that host.`,
  );
  const proxy = { host: '127.0.0.1', port: gone.port };
  await expect(
    new Http({ proxy }).send({ method: 'GET', url: 'https://c.kusto.windows.net', setting, signal }),
  ).rejects.toThrow('Check "analytics.query.url", "proxy.host", "proxy.port", and whether');
});
