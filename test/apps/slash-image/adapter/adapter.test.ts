/** The adapter emulates a function URL, over real HTTP. */
import { createHash, createHmac } from 'node:crypto';
import { request, type IncomingHttpHeaders, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { SignatureV4 } from '@smithy/signature-v4';
import type { LambdaFunctionURLEvent } from 'aws-lambda';
import { readOptions, type AdapterOptions } from '../../../../apps/slash-image/src/adapter/options';
import { createAdapter, type AnyHandler } from '../../../../apps/slash-image/src/adapter/server';
import { startImageApi, type ImageApi } from '../../../../dev/services/image-api';
import { build, command, eventOf, signedEvent, signedHeaders } from '../command';
import { whilePending } from '../../../helpers/while-pending';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const PAIR = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'a-secret-of-the-test' };

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

let api: ImageApi;
const servers: Server[] = [];

beforeAll(async () => {
  api = await startImageApi();
});
beforeEach(() => {
  api.asked.length = 0;
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
afterAll(() => api.close());

/** Starts an adapter with these options. Resolves to its port. */
async function adapter(handler: AnyHandler, args: string[] = [], env: Record<string, string> = {}): Promise<number> {
  // Default: longer than pauses of a busy machine.
  const server = createAdapter(handler, readOptions(['--timeout-ms', '60000', ...args], env) as AdapterOptions);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
const ours = (env: Record<string, string> = {}) => build({ IMAGE_API_URL: api.url, ...env }).handler as AnyHandler;

async function call(
  port: number,
  path: string,
  { method = 'POST', headers = {}, body = '' }: { method?: string; headers?: object; body?: string | Buffer } = {},
): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    const req = request(
      { host: '127.0.0.1', port, path, method, headers: headers as Record<string, string>, agent: false },
      (res) => {
        const chunks: Buffer[] = [];
        res.on('data', (chunk: Buffer) => chunks.push(chunk));
        res.on('error', reject);
        res.on('end', () =>
          resolve({ status: res.statusCode as number, headers: res.headers, body: Buffer.concat(chunks) }),
        );
      },
    );
    req.on('error', reject);
    req.end(body);
  });
}
/** The event that the function receives for a request. */
async function eventFor(path: string, options: Parameters<typeof call>[2] = {}, args: string[] = []) {
  let event: LambdaFunctionURLEvent | undefined;
  const port = await adapter(((given: LambdaFunctionURLEvent) => ((event = given), {})) as AnyHandler, args);
  await call(port, path, options);
  return event as LambdaFunctionURLEvent;
}

test('slash-webhook 3: a signed request over HTTP gets the function’s answer', async () => {
  const body = command('cat');
  const direct = await build({ IMAGE_API_URL: api.url }).handler(signedEvent(body));
  const port = await adapter(ours());
  const answer = await call(port, '/', { body, headers: { ...FORM, ...signedHeaders(body) } });
  expect([answer.status, answer.body.toString()]).toEqual([200, direct.body]);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/json',
    'content-length': String(answer.body.length),
    'x-amzn-requestid': expect.stringMatching(/^[0-9a-f-]{36}$/),
    date: expect.any(String),
  });
});

test('slash-webhook 3: the event has the platform’s format', async () => {
  const body = 'text=caf%C3%A9';
  const event = await eventFor('/', { body, headers: { ...FORM, 'X-Mixed-Case': 'v', 'User-Agent': 'test' } });
  expect(event).toEqual({
    version: '2.0',
    routeKey: '$default',
    rawPath: '/',
    rawQueryString: '',
    headers: expect.objectContaining({
      'content-type': 'application/x-www-form-urlencoded',
      'x-mixed-case': 'v',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
      'x-amzn-trace-id': expect.stringMatching(/^Root=1-/),
    }),
    requestContext: {
      accountId: 'anonymous',
      apiId: expect.any(String),
      authentication: null,
      domainName: '127.0.0.1',
      domainPrefix: '127',
      http: { method: 'POST', path: '/', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' },
      requestId: expect.any(String),
      routeKey: '$default',
      stage: '$default',
      time: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
      timeEpoch: expect.any(Number),
    },
    body: Buffer.from(body).toString('base64'),
    isBase64Encoded: true,
  });
  const names = Object.keys(event.headers);
  expect(names).toEqual(names.map((name) => name.toLowerCase()));
});

test.each([
  ['application/json', false],
  ['application/json; charset=utf-8', false],
  ['text/plain', false],
  ['application/xml', false],
  ['application/octet-stream', true],
  [undefined, true],
])('a body of type %p is base64-encoded: %p', async (type, isBase64Encoded) => {
  const event = await eventFor('/', { body: '{"é":1}', headers: type === undefined ? {} : { 'content-type': type } });
  expect(event).toMatchObject({
    isBase64Encoded,
    body: isBase64Encoded ? Buffer.from('{"é":1}').toString('base64') : '{"é":1}',
  });
});

test('an empty body is absent; a repeated header is joined into one', async () => {
  const event = await eventFor('/', { headers: { 'X-Twice': ['a', 'b'] } });
  expect(event).not.toHaveProperty('body');
  expect(event.isBase64Encoded).toBe(false);
  expect(event.headers['x-twice']).toBe('a,b');
});

test('the client address behind a proxy is used only when the proxy is trusted', async () => {
  const headers = { 'X-Forwarded-For': '6.6.6.6, 203.0.113.7' };
  expect((await eventFor('/', { headers })).requestContext.http.sourceIp).toBe('127.0.0.1');
  expect((await eventFor('/', { headers }, ['--trust-proxy'])).requestContext.http.sourceIp).toBe('203.0.113.7');
});

test('slash-webhook 13: an unsigned call of the URL is 401, a signed GET 405', async () => {
  const port = await adapter(ours());
  const plain = await call(port, '/', { method: 'GET' });
  expect([plain.status, plain.body.toString(), plain.headers['content-type']]).toEqual([
    401,
    'Unauthorized',
    'text/plain; charset=utf-8',
  ]);
  const signed = await call(port, '/', { method: 'GET', headers: signedHeaders('') });
  expect(signed).toMatchObject({ status: 405, headers: { allow: 'POST', 'content-length': '0' } });
});

test('slash-webhook 14: without the public permission no request reaches the function', async () => {
  let calls = 0;
  const port = await adapter(() => ++calls, ['--public-invoke-permission', 'off']);
  const body = command('cat');
  for (const headers of [{}, { ...FORM, ...signedHeaders(body) }]) {
    const answer = await call(port, '/', { body, headers });
    expect([answer.status, answer.body.toString()]).toEqual([403, '{"Message":"Forbidden"}']);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'x-amzn-errortype': 'AccessDeniedException',
    });
  }
  expect(calls).toBe(0);
});

describe('slash-webhook 15: AWS_IAM', () => {
  /** Node's digest with the interface that AWS's signer requires. */
  class Sha256 {
    private readonly hash;
    constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
      this.hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as Buffer);
    }
    update(data: string | Uint8Array): void {
      this.hash.update(data);
    }
    async digest(): Promise<Uint8Array> {
      return this.hash.digest();
    }
    reset(): void {}
  }
  async function signedByAws(
    port: number,
    path: string,
    body: string,
    changes: { key?: string; service?: string; date?: Date } = {},
  ) {
    const signer = new SignatureV4({
      credentials: { accessKeyId: PAIR.AWS_ACCESS_KEY_ID, secretAccessKey: changes.key ?? PAIR.AWS_SECRET_ACCESS_KEY },
      region: 'eu-west-1',
      service: changes.service ?? 'lambda',
      sha256: Sha256 as never,
    });
    const [pathname = '', query = ''] = path.split('?');
    const signed = await signer.sign(
      {
        method: 'POST',
        protocol: 'http:',
        hostname: '127.0.0.1',
        port,
        path: pathname,
        query: Object.fromEntries(new URLSearchParams(query)),
        headers: { host: `127.0.0.1:${port}`, ...FORM },
        body,
      },
      { signingDate: changes.date ?? new Date() },
    );
    return signed.headers;
  }
  const args = ['--auth-type', 'AWS_IAM'];

  test('a request signed by AWS’s own signer passes, with the signer’s identity', async () => {
    let event: LambdaFunctionURLEvent | undefined;
    const port = await adapter(((given: LambdaFunctionURLEvent) => ((event = given), {})) as AnyHandler, args, PAIR);
    for (const path of ['/', '/a%20b/c?x=1&y=a%20b%2F', '/?b=2&a=1']) {
      const headers = await signedByAws(port, path, 'text=cat');
      expect([path, (await call(port, path, { body: 'text=cat', headers })).status]).toEqual([path, 200]);
    }
    expect(event?.requestContext).toMatchObject({
      accountId: '123456789012',
      authorizer: { iam: { accessKey: PAIR.AWS_ACCESS_KEY_ID, userArn: expect.stringMatching(/^arn:aws:iam::/) } },
    });
  });

  test('403 when unsigned, signed with another key, for another service, changed or expired', async () => {
    let calls = 0;
    const port = await adapter(() => ++calls, args, PAIR);
    const body = 'text=cat';
    const good = await signedByAws(port, '/', body);
    const refused: [string, object, string, string][] = [
      ['unsigned', FORM, body, '/'],
      ['a chat signature', { ...FORM, ...signedHeaders(body) }, body, '/'],
      ['another key', await signedByAws(port, '/', body, { key: 'another' }), body, '/'],
      ['another service', await signedByAws(port, '/', body, { service: 'execute-api' }), body, '/'],
      ['old', await signedByAws(port, '/', body, { date: new Date(Date.now() - 600_000) }), body, '/'],
      ['another body', good, 'text=dog', '/'],
      ['another path', good, body, '/x'],
      ['another query', good, body, '/?x=1'],
      ['another header', { ...good, 'content-type': 'text/plain' }, body, '/'],
    ];
    for (const [what, headers, sent, path] of refused) {
      const answer = await call(port, path, { body: sent, headers });
      expect([what, answer.status, answer.body.toString()]).toEqual([what, 403, '{"Message":"Forbidden"}']);
    }
    expect(calls).toBe(0);
    expect((await call(port, '/', { body, headers: good })).status).toBe(200);
  });
});

test('slash-webhook 29: a function that fails is 502', async () => {
  const logged = jest.spyOn(console, 'error').mockImplementation(() => undefined);
  const failing: AnyHandler[] = [
    () => Promise.reject(new Error('on purpose')),
    () => {
      throw new Error('on purpose');
    },
    () => undefined,
    () => ({ statusCode: 'many' }),
    () => ({ statusCode: 200, body: { not: 'text' } }),
    () => ({ statusCode: 200, headers: { a: null } }),
    () => ({ statusCode: 200, headers: { 'bad header': 'x' } }),
  ];
  for (const handler of failing) {
    const answer = await call(await adapter(handler), '/');
    expect([answer.status, answer.body.toString()]).toEqual([502, 'Internal Server Error']);
  }
  expect(logged).toHaveBeenCalledTimes(2);
  logged.mockRestore();
});

test('slash-webhook 30: a function that exceeds its time limit is 502', async () => {
  const port = await adapter(() => new Promise(() => undefined), ['--timeout-ms', '200']);
  const began = performance.now();
  expect((await call(port, '/')).status).toBe(502);
  expect(performance.now() - began).toBeGreaterThan(190);
});

test('slash-webhook 31: a body over 6 MB is 413, and the function is not called', async () => {
  let calls = 0;
  const port = await adapter(() => ++calls);
  const answer = await call(port, '/', { body: Buffer.alloc(7 * 1024 * 1024) });
  expect([answer.status, answer.body.toString()]).toEqual([413, '{"Message":"Request Too Large"}']);
  const chunked = await call(port, '/', {
    body: Buffer.alloc(7 * 1024 * 1024),
    headers: { 'Transfer-Encoding': 'chunked' },
  });
  expect(chunked.status).toBe(413);
  expect(calls).toBe(0);
  expect((await call(port, '/', { body: Buffer.alloc(6 * 1024 * 1024) })).status).toBe(200);
  expect(calls).toBe(1);
});

test('bodies in flight have a limit over all requests, which does not keep slash commands out', async () => {
  const megabyte = Buffer.alloc(1024 * 1024);
  const waiting: (() => void)[] = [];
  let called: () => void = () => undefined;
  const handler = async (): Promise<unknown> => {
    called();
    await new Promise<void>((resolve) => waiting.push(resolve));
    return {};
  };
  const server = createAdapter(handler, readOptions(['--timeout-ms', '60000'], {}) as AdapterOptions, 1_500_000);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  /** Resolves when the function has the request. */
  const held = async (body: Buffer): Promise<{ answer: Promise<Answer> }> => {
    const arrived = new Promise<void>((resolve) => (called = resolve));
    const answer = call(port, '/', { body });
    await whilePending(answer, arrived);
    return { answer };
  };
  const first = await held(megabyte);
  const small = await held(Buffer.alloc(1024));
  const chunked = { body: megabyte, headers: { 'Transfer-Encoding': 'chunked' } };
  for (const options of [{ body: megabyte }, chunked]) {
    const { status, headers, body } = await call(port, '/', options);
    expect([status, body.toString()]).toEqual([503, '{"Message":"Service Unavailable"}']);
    expect(headers['retry-after']).toBe('1');
  }
  for (const end of waiting.splice(0)) end();
  expect((await first.answer).status).toBe(200);
  expect((await small.answer).status).toBe(200);
  const next = await held(megabyte);
  for (const end of waiting.splice(0)) end();
  expect((await next.answer).status).toBe(200);
});

test('slow clients are disconnected, and connections have a limit', () => {
  const server = createAdapter(() => ({}), readOptions([], {}) as AdapterOptions);
  expect(server).toMatchObject({ headersTimeout: 10_000, requestTimeout: 30_000, maxConnections: 1_000 });
});

test('slash-webhook 32: cookies have their own member in the event and in the response', async () => {
  const event = await eventFor('/', { headers: { Cookie: 'a=1; b=2' } });
  expect(event.cookies).toEqual(['a=1', 'b=2']);
  expect(event.headers).not.toHaveProperty('cookie');
  expect(await eventFor('/')).not.toHaveProperty('cookies');
  const port = await adapter(() => ({ statusCode: 200, body: '', cookies: ['c=3; Path=/', 'd=4'] }));
  expect((await call(port, '/')).headers['set-cookie']).toEqual(['c=3; Path=/', 'd=4']);
});

test('slash-webhook 33: path and query are passed unchanged', async () => {
  const event = await eventFor('/a%2Fb//c?p=1&p=2&q=');
  expect(event).toMatchObject({ rawPath: '/a%2Fb//c', rawQueryString: 'p=1&p=2&q=' });
  expect(event.queryStringParameters).toEqual({ p: '1,2', q: '' });
  expect(await eventFor('/')).not.toHaveProperty('queryStringParameters');
});

test('slash-webhook 34: base64 is decoded, a response that is only JSON is a 200', async () => {
  const bytes = Buffer.from([0, 255, 1, 128]);
  const binary = {
    statusCode: 201,
    headers: { 'Content-Type': 'image/gif' },
    body: bytes.toString('base64'),
    isBase64Encoded: true,
  };
  const answer = await call(await adapter(() => binary), '/');
  expect([answer.status, answer.headers['content-type'], answer.body]).toEqual([201, 'image/gif', bytes]);
  const plain = await call(await adapter(async () => ({ hello: 'world' })), '/');
  expect([plain.status, plain.headers['content-type'], plain.body.toString()]).toEqual([
    200,
    'application/json',
    '{"hello":"world"}',
  ]);
  const typeless = await call(await adapter(() => ({ statusCode: 200, body: '{}' })), '/');
  expect(typeless.headers['content-type']).toBe('application/json');
});

test('slash-webhook 35: two hundred concurrent commands', async () => {
  const standard = api.answer;
  api.answer = (req, res) => setTimeout(() => standard(req, res), 100);
  const port = await adapter(ours());
  const answers = await Promise.all(
    Array.from({ length: 200 }, async (_, i) => {
      const body = command(`cat ${i}`);
      return await call(port, '/', { body, headers: { ...FORM, ...signedHeaders(body) } });
    }),
  );
  api.answer = standard;
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  for (const answer of answers) expect(answer.body.toString()).toContain('"response_type":"ephemeral"');
  expect(new Set(api.asked.map((query) => query.get('tag'))).size).toBe(200);
});

test('the health path is served when it is configured', async () => {
  let calls = 0;
  const port = await adapter(() => ++calls, ['--health-path', '/healthz']);
  expect((await call(port, '/healthz', { method: 'GET' })).body.toString()).toBe('ok\n');
  expect(calls).toBe(0);
  await call(await adapter(() => ++calls), '/healthz', { method: 'GET' });
  expect(calls).toBe(1);
});

test('a client that disconnects in the middle of its body does not affect others', async () => {
  let calls = 0;
  const port = await adapter(() => ++calls);
  const socket = connect(port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf', () => socket.destroy());
  await new Promise((resolve) => socket.on('close', resolve));
  expect((await call(port, '/')).status).toBe(200);
  expect(calls).toBe(1);
});

test.each([
  [['--auth-type', 'SOME'], {}, '--auth-type must be NONE or AWS_IAM'],
  [['--auth-type', 'AWS_IAM'], {}, 'requires AWS_ACCESS_KEY_ID'],
  [['--timeout-ms', '0'], {}, '--timeout-ms must be a whole number'],
  [[], { PORT: 'x' }, 'PORT must be a whole number'],
  [['--what'], {}, 'Unknown option'],
])('the options %j with %j are rejected', (args, env, message) => {
  expect(() => readOptions(args, env as Record<string, string>)).toThrow(message);
});

test('an event built by the caller needs no adapter', async () => {
  expect((await build({ IMAGE_API_URL: api.url }).handler(eventOf(''))).statusCode).toBe(401);
});
