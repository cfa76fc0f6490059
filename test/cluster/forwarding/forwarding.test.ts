import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HerderError, UnreachableWorkerError } from '../../../src/cluster/errors';
import { forwardRequest } from '../../../src/cluster/forwarding/forwarding';
import { sendTaskConfigs } from '../../../src/cluster/forwarding/internal-request';

interface Seen {
  method?: string;
  url?: string;
  headers: IncomingHttpHeaders;
  body: string;
}
let server: Server;
let url: string;
let seen: Seen[];
let answer: (response: ServerResponse) => void;
beforeEach(async () => {
  seen = [];
  server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      seen.push({ method: request.method, url: request.url, headers: request.headers, body });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});
const reply = (status: number, body?: string, headers: Record<string, string> = {}) => {
  answer = (response) => response.writeHead(status, headers).end(body);
};

describe('connect-rest §0.7: forwarding', () => {
  test('keeps method, path, query, body and Authorization, and states whether another hop is allowed', async () => {
    reply(201, '{"name":"c"}');
    const found = await forwardRequest({
      url,
      method: 'POST',
      path: '/connectors/a%2Fb/restart',
      query: { includeTasks: 'true' },
      body: '{"x":1}',
      authorization: 'Basic abc',
      forward: true,
    });
    expect(found).toEqual({ status: 201, body: { name: 'c' } });
    expect(seen[0]).toMatchObject({
      method: 'POST',
      url: '/connectors/a%2Fb/restart?includeTasks=true&forward=true',
      body: '{"x":1}',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'user-agent': 'kafka-connect',
        authorization: 'Basic abc',
      },
    });
  });

  test('the names . and .. stay in the path: in a URL they would lead to another route', async () => {
    reply(204);
    for (const name of ['.', '..'])
      await forwardRequest({ url, method: 'DELETE', path: `/connectors/${name}/offsets`, body: null, forward: false });
    const base = `${url}base/`;
    await forwardRequest({
      url: base,
      method: 'PUT',
      path: '/connectors/../stop',
      query: { a: 'b c' },
      body: null,
      forward: null,
    });
    expect(seen.map((request) => request.url)).toEqual([
      '/connectors/./offsets?forward=false',
      '/connectors/../offsets?forward=false',
      '/base/connectors/../stop?a=b+c',
    ]);
  });

  test('204 has no body, and without a body there is no content type', async () => {
    reply(204);
    expect(await forwardRequest({ url, method: 'DELETE', path: '/connectors/c', body: null, forward: false })).toEqual({
      status: 204,
      body: null,
    });
    expect(seen[0]?.headers['content-type']).toBeUndefined();
    expect(seen[0]?.url).toBe('/connectors/c?forward=false');
  });

  test('the other worker’s error is passed on', async () => {
    reply(409, '{"error_code":409,"message":"Connector c already exists"}');
    await expect(
      forwardRequest({ url, method: 'POST', path: '/connectors', body: '{}', forward: true }),
    ).rejects.toMatchObject({ status: 409, message: 'Connector c already exists' });
  });

  test('an answer is bounded, and so is the quote of one that no worker gave', async () => {
    const get = { url, method: 'PUT', path: '/connectors/c/stop', body: null, forward: true };
    answer = (response) => {
      const piece = Buffer.alloc(1024 * 1024, ' ');
      response.writeHead(200);
      // Endless: it must be cut off.
      const more = (): unknown => !response.destroyed && response.write(piece, more);
      more();
    };
    await expect(forwardRequest(get)).rejects.toMatchObject({
      status: 500,
      message: 'IO Error trying to forward REST request: the reply is larger than 33554432 bytes',
    });
    reply(502, 'x'.repeat(100_000));
    await expect(forwardRequest(get)).rejects.toMatchObject({ status: 502, message: 'x'.repeat(1000) });
  });

  test('redirects are not followed', async () => {
    reply(302, '', { Location: url });
    await expect(
      forwardRequest({ url, method: 'PUT', path: '/connectors/c/stop', body: null, forward: true }),
    ).rejects.toMatchObject({ status: 500, message: 'Unexpected status code when handling forwarded request: 302' });
  });

  test('a worker that does not answer', async () => {
    await expect(
      forwardRequest({ url: 'http://127.0.0.1:1/', method: 'PUT', path: '/x', body: null, forward: true }),
    ).rejects.toMatchObject({
      status: 500,
      message: expect.stringMatching(/^IO Error trying to forward REST request: .*ECONNREFUSED/),
    });
  });

  test('a worker that was not reached did not get the request; one that hangs up may have', async () => {
    const failure = async (to: string): Promise<unknown> =>
      await forwardRequest({ url: to, method: 'PUT', path: '/x', body: '{}', forward: true }).catch(
        (error: unknown) => error,
      );
    expect(await failure('http://127.0.0.1:1/')).toBeInstanceOf(UnreachableWorkerError);
    expect(await failure('http://localhost:1/')).toBeInstanceOf(UnreachableWorkerError);
    // Too long for a DNS name: no server is queried, which could be slow.
    expect(await failure(`http://no-such-host-${'x'.repeat(60)}/`)).toBeInstanceOf(UnreachableWorkerError);
    answer = (response) => response.destroy();
    const hungUp = await failure(url);
    expect(hungUp).toBeInstanceOf(HerderError);
    expect(hungUp).not.toBeInstanceOf(UnreachableWorkerError);
  });
});

describe('connect-runtime §2.7: internal requests', () => {
  const key = {
    key: Buffer.from(Array.from({ length: 32 }, (_, i) => i)),
    algorithm: 'HmacSHA256',
    createdAt: 0,
  };
  const configs = [
    {
      file: '/data/in.txt',
      'task.class': 'org.apache.kafka.connect.file.FileStreamSourceTask',
      topic: 'connect-test',
    },
  ];
  test('are signed over the exact bytes of the body', async () => {
    reply(204);
    const address = { leaderUrl: url, sign: true, key, macAlgorithm: 'HmacSHA256', forward: forwardRequest };
    await sendTaskConfigs('my c', configs, address);
    expect(seen[0]).toMatchObject({
      method: 'POST',
      url: '/connectors/my%20c/tasks',
      headers: {
        'x-connect-authorization': 'HttPRfQuG6dnJICLhVsnIcNO5CoKSkkoJOtMJqTFuig=',
        'x-connect-request-signature-algorithm': 'HmacSHA256',
        'x-millrace-signature': expect.stringMatching(/^[0-9a-f]{24}\.\d+\.[0-9a-f]{64}$/),
      },
    });
  });
  test('need a key and a leader, and are not signed under older protocols', async () => {
    const address = { leaderUrl: url, sign: true, key: null, macAlgorithm: 'HmacSHA256', forward: forwardRequest };
    await expect(sendTaskConfigs('c', configs, address)).rejects.toMatchObject({ status: 503 });
    await expect(sendTaskConfigs('c', configs, { ...address, leaderUrl: null })).rejects.toMatchObject({ status: 409 });
    reply(204);
    await sendTaskConfigs('c', configs, { ...address, sign: false });
    expect(seen[0]?.headers['x-connect-authorization']).toBeUndefined();
  });
});
