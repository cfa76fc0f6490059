import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { ConnectClient, type RestRequest } from '../../../packages/cli/src/rest/connect-client';
import { path } from '../../../packages/cli/src/rest/reply';

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

async function serve(handler: Handler): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => (body += part)).on('end', () => handler(request, response, body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => (server.closeAllConnections(), server.close()));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function ask(urls: string[], at: string, request: RestRequest = {}, timeoutMs = 30_000): Promise<unknown> {
  const client = new ConnectClient({ urls, timeoutMs, authorization: 'Bearer t' });
  closing.push(() => client.close());
  return await client.request(at, request);
}

test('sends JSON with the credentials, resolves to the parsed reply', async () => {
  const url = await serve((request, response, body) =>
    response.end(JSON.stringify([request.method, request.url, request.headers.authorization, body])),
  );
  expect(await ask([url], path`/connectors/${'a/b ü'}/config`, { method: 'PUT', body: { a: 'ü' } })).toEqual([
    'PUT',
    '/connectors/a%2Fb%20%C3%BC/config',
    'Bearer t',
    '{"a":"ü"}',
  ]);
});

test('asks for JSON, or for the media types of the request', async () => {
  const url = await serve((request, response) => response.end(JSON.stringify(request.headers.accept)));
  expect(await ask([url], '/')).toBe('application/json');
  expect(await ask([url], '/', { mediaTypes: 'text/plain' })).toBe('text/plain');
});

test('204 and accepted statuses resolve to undefined', async () => {
  const url = await serve((request, response) => response.writeHead(request.url === '/a' ? 204 : 404).end());
  expect(await ask([url], '/a')).toBeUndefined();
  expect(await ask([url], '/b', { accept: [404] })).toBeUndefined();
});

test('a reply that is no success rejects with the message of the worker', async () => {
  const url = await serve((request, response) =>
    request.url === '/text'
      ? response.writeHead(502).end('<html>')
      : response.writeHead(404).end('{"error_code":404,"message":"Connector x not found"}'),
  );
  await expect(ask([url], '/x')).rejects.toMatchObject({
    message: 'Connector x not found',
    code: 'REST_NOT_FOUND',
    status: 404,
    place: { request: 'GET /x', status: 404 },
  });
  await expect(ask([url], '/text')).rejects.toMatchObject({ message: `${url} answered GET /text with status 502.` });
});

test('a path that the worker does not have', async () => {
  for (const reply of ['{"error_code":404,"message":"HTTP 404 Not Found"}', '<html>']) {
    const url = await serve((_, response) => response.writeHead(404).end(reply));
    await expect(ask([`${url}/x`], '/connectors')).rejects.toMatchObject({
      message: `${url}/x has no GET /connectors. Check the URL, and the version of the worker.`,
      code: 'REST_NOT_FOUND',
    });
  }
});

test('a success that is not JSON', async () => {
  const url = await serve((_, response) => response.end('<html>'));
  await expect(ask([url], '/x')).rejects.toMatchObject({
    code: 'REST_REPLY_INVALID',
    message: `${url} answered GET /x with something else than JSON. Is it a Connect worker?`,
  });
});

test('a 409 of a rebalance is repeated, the one of an existing connector is not', async () => {
  let calls = 0;
  const url = await serve((request, response) => {
    calls++;
    if (request.url === '/exists') response.writeHead(409).end('{"message":"Connector a already exists"}');
    else if (calls === 1)
      response.writeHead(409).end('{"message":"Cannot complete request because of a conflicting operation"}');
    else response.end('{}');
  });
  expect(await ask([url], '/')).toEqual({});
  expect(calls).toBe(2);
  await expect(ask([url], '/exists')).rejects.toMatchObject({ message: 'Connector a already exists', status: 409 });
  expect(calls).toBe(3);
});

test('a worker that is still starting is asked again', async () => {
  let calls = 0;
  const url = await serve((_, response) =>
    calls++ === 0 ? response.writeHead(404).end('{"message":"Worker is still starting up."}') : response.end('{}'),
  );
  expect(await ask([url], '/connectors', { accept: [404] })).toEqual({});
  expect(calls).toBe(2);
});

describe('a rebalance that does not end: the message of the worker', () => {
  const REBALANCE = '{"message":"A rebalance is expected"}';
  /** What the client's clock shows, in milliseconds. */
  let now: number;
  beforeEach(() => {
    now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => jest.restoreAllMocks());

  test('when no time is left for another request', async () => {
    let calls = 0;
    const url = await serve((_, response) => {
      calls++;
      now = 29_950;
      response.writeHead(409).end(REBALANCE);
    });
    await expect(ask([url], '/')).rejects.toMatchObject({ message: 'A rebalance is expected', status: 409 });
    expect(calls).toBe(1);
  });

  test('when the last request is not answered in the time that is left', async () => {
    let calls = 0;
    const url = await serve((_, response) => {
      if (calls++ > 0) return;
      now = 29_800;
      response.writeHead(409).end(REBALANCE);
    });
    await expect(ask([url], '/')).rejects.toMatchObject({ message: 'A rebalance is expected', status: 409 });
    expect(calls).toBe(2);
  });
});

test('a worker that cannot be reached is replaced by the next URL', async () => {
  const gone = await serve(() => undefined);
  const url = await serve((_, response) => response.end('1'));
  closing.shift()?.();
  expect(await ask([gone, url], '/')).toBe(1);
  await expect(ask([gone], '/')).rejects.toMatchObject({
    code: 'REST_UNREACHABLE',
    message: `No answer from ${gone}: nothing listens there. Check that a worker runs there, or set --url or --context.`,
  });
});

test('URLs of both protocols; integers keep their digits on request', async () => {
  const url = await serve((_, response) => response.end('{"offset":12345678901234567890}'));
  const gone = 'https://127.0.0.1:1';
  const client = new ConnectClient({ urls: [gone, url], timeoutMs: 30_000 });
  closing.push(() => client.close());
  expect(await client.request('/', { exact: true })).toEqual({ offset: 12345678901234567890n });
});

test('a worker that accepts a GET and does not answer: the next URL is asked, and stays the one that is asked', async () => {
  let asked = 0;
  const hanging = await serve(() => void asked++);
  const url = await serve((request, response) => response.end(JSON.stringify(request.url)));
  const client = new ConnectClient({ urls: [hanging, url], timeoutMs: 3_600_000 });
  closing.push(() => client.close());
  expect(await client.request('/a')).toBe('/a');
  expect(client.address).toBe(url);
  expect(await client.request('/b')).toBe('/b');
  expect(asked).toBe(1);
});

test('the answer of the first worker counts if it comes before that of the next', async () => {
  let late: ServerResponse | undefined;
  const slow = await serve((_, response) => void (late = response));
  const hanging = await serve(() => late?.end('"slow"'));
  const client = new ConnectClient({ urls: [slow, hanging], timeoutMs: 3_600_000 });
  closing.push(() => client.close());
  expect(await client.request('/')).toBe('slow');
  expect(client.address).toBe(slow);
});

test('a change is sent to one worker only', async () => {
  const hanging = await serve(() => undefined);
  let asked = 0;
  const url = await serve((_, response) => response.end(String(++asked)));
  await expect(ask([hanging, url], '/', { method: 'PUT', body: {} }, 4_000)).rejects.toMatchObject({
    code: 'REST_UNREACHABLE',
    message: expect.stringContaining(hanging),
  });
  expect(asked).toBe(0);
});

test('a worker that does not answer', async () => {
  const url = await serve(() => undefined);
  await expect(ask([url], '/', {}, 50)).rejects.toThrow(/^No answer from .*: it took longer than 0.05 s\./);
});

test('the wrong protocol', async () => {
  const url = (await serve((_, response) => response.end('1'))).replace('http:', 'https:');
  await expect(ask([url], '/')).rejects.toThrow(
    `No answer from ${url}: it does not use TLS; an http:// URL may be right.`,
  );
  const mute = createTcpServer((socket) => void socket.once('data', () => socket.destroy()));
  const text = createTcpServer((socket) => void socket.once('data', () => socket.end('SSH-2.0-x\r\n')));
  for (const server of [mute, text]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    await expect(ask([`http://127.0.0.1:${(server.address() as AddressInfo).port}`], '/')).rejects.toThrow(
      'it closed the connection or does not use HTTP; an https:// URL may be right.',
    );
  }
});

describe('no answer, and GET /health', () => {
  async function stuck(health: number): Promise<{ url: string; healthReads: () => number; answer: () => void }> {
    let reads = 0;
    let answer = (): void => undefined;
    const url = await serve((request, response) => {
      if (request.url !== '/health') answer = () => response.end('{"late":1}');
      else {
        reads++;
        response.writeHead(health).end('{"message":"Kafka is away."}');
      }
    });
    return { url, healthReads: () => reads, answer: () => answer() };
  }

  test('says why: it is the error, long before the request times out', async () => {
    const { url } = await stuck(500);
    await expect(ask([url], '/connectors/a/offsets', {}, 3_600_000)).rejects.toMatchObject({
      code: 'REST_WORKER_UNHEALTHY',
      message: 'No answer to GET /connectors/a/offsets, because the worker is unhealthy: Kafka is away.',
    });
    await expect(ask([url], '/connectors/a/pause', { method: 'PUT' }, 3_600_000)).rejects.toThrow(
      'Kafka is away. It may be carried out nevertheless: check before you repeat it.',
    );
  });

  test.each([200, 401, 404, 503])('answers with %s: the answer is waited for', async (status) => {
    const { url, healthReads, answer } = await stuck(status);
    const asked = ask([url], '/connectors/a/offsets');
    while (healthReads() === 0) await new Promise((resolve) => setImmediate(resolve));
    answer();
    expect(await asked).toEqual({ late: 1 });
  });
});
