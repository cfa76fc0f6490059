import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../dev/services/free-port';
import type { Herder } from '../../src/cluster/herder';
import { parseAllowedHosts } from '../../src/config/allowed-hosts';
import { parseHeaderRules } from '../../src/config/response-headers';
import { createConfigValidator } from '../../src/config/validation/connector-validator';
import { parseJaasFile } from '../../packages/kafka-client/src/security/jaas';
import { readTlsOptions } from '../../packages/kafka-client/src/security/ssl-config';
import { AUDIT, LogLevels } from '../../src/logging/log-levels';
import { silentLogger, type Logger } from '../../src/logging/logger';
import { createRestServer, type RestServer, type RestServerOptions } from '../../src/rest/server';
import { fakeRegistry, fakeWorkerConfig } from '../helpers/fake-plugins';
import { whilePending } from '../helpers/while-pending';
import { FakeHerder } from './fake-worker';

const registry = fakeRegistry();
const validator = createConfigValidator({ registry, config: fakeWorkerConfig() });
type Listeners = RestServerOptions['config']['listeners'];
const server = (
  listeners: Listeners,
  herder: RestServerOptions['herder'] = new FakeHerder(validator, registry),
  { consoleFolder, ...more }: Partial<RestServerOptions['config']> & Pick<RestServerOptions, 'consoleFolder'> = {},
  logger: Logger = silentLogger,
): RestServer =>
  createRestServer({
    herder,
    registry,
    validator,
    config: {
      raw: {},
      listeners,
      adminListeners: null,
      cors: null,
      responseHeaders: [],
      allowedHosts: parseAllowedHosts([]),
      advertisedHost: null,
      restAuth: { basic: null, bearer: null, roles: null, openPaths: [] },
      consoleEnabled: true,
      consoleDocsUrl: null,
      groupId: 'connect-cluster',
      topicTrackingEnable: true,
      restBodies: { maxBytes: 1024 * 1024, inFlightBytes: 1024 * 1024 },
      restConnectionsMax: 500,
      ...more,
    },
    readTls: readTlsOptions,
    readJaas: parseJaasFile,
    levels: new LogLevels(),
    logger,
    version: '4.3.1',
    commit: 'unknown',
    millraceVersion: '0.0.0',
    ...(consoleFolder === undefined ? {} : { consoleFolder }),
    forward: () => Promise.reject(new Error('nobody')),
  });
const local = { protocol: 'http', host: '127.0.0.1', port: 0 } as const;

test('connect-rest 5.2: every listener is opened, port 0 becomes a real one', async () => {
  const rest = server([local, { ...local, host: '' }]);
  const bound = await rest.listen();
  expect(bound.map(({ host }) => host)).toEqual(['127.0.0.1', '']);
  for (const { port } of bound) {
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect(await answer.json()).toMatchObject({ version: '4.3.1' });
  }
  await rest.close();
  await expect(fetch(`http://127.0.0.1:${bound[0]!.port}/`)).rejects.toThrow();
});

test('connect-rest §0.4: the port is open before there is a herder', async () => {
  let herder: Herder | null = null;
  const rest = server([local], () => herder);
  const [{ port } = local] = await rest.listen();
  expect((await fetch(`http://127.0.0.1:${port}/connectors`)).status).toBe(404);
  herder = new FakeHerder(validator, registry);
  expect((await fetch(`http://127.0.0.1:${port}/connectors`)).status).toBe(200);
  await rest.close();
});

describe('the console', () => {
  const folder = mkdtempSync(join(tmpdir(), 'console-'));
  writeFileSync(join(folder, 'index.html'), '<title>Millrace</title>');
  afterAll(() => rmSync(folder, { recursive: true }));
  const page = { Accept: 'text/html' };
  /** Statuses of a page's paths, for each listener. */
  const served = async (more: Partial<RestServerOptions['config']>): Promise<number[][]> => {
    const rest = server([local], undefined, { ...more, consoleFolder: folder });
    try {
      return await Promise.all(
        (await rest.listen()).map(({ port }) =>
          Promise.all(
            ['/', '/ui', '/ui/', '/ui/api/session', '/openapi.json'].map(
              async (path) =>
                (await fetch(`http://127.0.0.1:${port}${path}`, { headers: page, redirect: 'manual' })).status,
            ),
          ),
        ),
      );
    } finally {
      await rest.close();
    }
  };

  test('is served by default', async () => {
    expect(await served({})).toEqual([[303, 303, 200, 406, 406]]);
  });

  test('admin listeners do not serve it', async () => {
    expect(await served({ adminListeners: [local] })).toEqual([
      [303, 303, 200, 406, 406],
      [404, 404, 404, 404, 404],
    ]);
  });

  test('console.enabled=false: there is no such path, and no redirect to it', async () => {
    expect(await served({ consoleEnabled: false })).toEqual([[406, 404, 404, 404, 406]]);
  });

  test('says whether its listener has the loggers', async () => {
    for (const adminListeners of [null, []]) {
      const rest = server([local], undefined, { adminListeners });
      const [{ port } = local] = await rest.listen();
      const session = await (await fetch(`http://127.0.0.1:${port}/ui/api/session`)).json();
      expect(session).toMatchObject({ hasLoggers: adminListeners === null });
      await rest.close();
    }
  });

  test('configured response headers and caller checks apply; a configured header replaces its own', async () => {
    const rest = server([local], undefined, {
      consoleFolder: folder,
      responseHeaders: parseHeaderRules('set X-Test: a, set Referrer-Policy: same-origin'),
    });
    const [{ port } = local] = await rest.listen();
    const { headers } = await fetch(`http://127.0.0.1:${port}/ui/`);
    expect([headers.get('x-test'), headers.get('referrer-policy'), headers.get('x-content-type-options')]).toEqual([
      'a',
      'same-origin',
      'nosniff',
    ]);
    await rest.close();
  });
});

test('a port in use is rejected with the listener in the message, and nothing stays open', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  await expect(server([local, { ...local, port }]).listen()).rejects.toMatchObject({
    code: 'LISTENER_START',
    message:
      `listeners: cannot open http://127.0.0.1:${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}. ` +
      'Stop the process that uses the port, or choose another port with listeners (--port of millrace dev).',
  });
  other.close();
});

test.each([
  ['headers that are too long', `GET / HTTP/1.1\r\nHost: w\r\nX-Long: ${'x'.repeat(4_000_000)}\r\n\r\n`, '431'],
  ['what is no HTTP', `${'\u0001'.repeat(4_000_000)}\r\n\r\n`, '400'],
])('connect-rest §0.4: %s get an answer before the connection is reset', async (_, text, status) => {
  const rest = server([local]);
  const [bound] = await rest.listen();
  for (let i = 0; i < 20; i++) {
    const answer = await new Promise<string>((resolve, reject) => {
      let received = '';
      // Reads only when all is written: a reset discards unread data.
      const socket = connect(bound!.port, '127.0.0.1', () => socket.write(text, () => socket.resume()));
      socket.on('data', (chunk: Buffer) => (received += chunk.toString())).pause();
      socket.on('error', reject);
      socket.on('close', () => resolve(received));
    });
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  }
  await rest.close();
});

test.each([
  ['FOO / HTTP/1.1\r\nHost: w\r\n\r\n', 405],
  ['POST /connectors/a/restart HTTP/1.1\r\nHost: w\r\nContent-Length: 1\r\n\r\n{"more": "than said"}', 400],
])('connect-rest R18: the end of %j is answered with %i', async (text, status) => {
  const rest = server([local]);
  const [bound] = await rest.listen();
  const answer = await new Promise<string>((resolve, reject) => {
    let received = '';
    const socket = connect(bound!.port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
  expect([...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].at(-1)?.[1]).toBe(String(status));
  await rest.close();
});

test.each([
  ['GET', 16],
  ['HEAD', 16],
  ['HEAD', 4_000],
])('connect-rest 11: %s with %i KiB of headers is answered with 431, and HEAD without a body', async (method, kib) => {
  const rest = server([local]);
  const [{ port } = local] = await rest.listen();
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('error', reject);
    socket.on('end', () => resolve(text));
    socket.write(`${method} / HTTP/1.1\r\nHost: w\r\nX-Long: ${'x'.repeat(kib * 1024)}\r\n\r\n`);
  });
  await rest.close();
  const [head, body] = answer.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 431 /);
  if (method === 'HEAD') expect(body).toBe('');
});

test('close waits for requests in flight', async () => {
  const herder = new FakeHerder(validator, registry);
  let release = (): void => undefined;
  const entered = new Promise<void>((resolve) => {
    herder.restarts.restartConnector = () => {
      resolve();
      return new Promise((done) => (release = done));
    };
  });
  const rest = server([local], herder);
  const [{ port } = local] = await rest.listen();
  const answer = fetch(`http://127.0.0.1:${port}/connectors/a/restart`, { method: 'POST' });
  await whilePending(answer, entered);
  const closed = rest.close();
  release();
  expect((await answer).status).toBe(204);
  await closed;
});

describe('connect-rest 149: admin.listeners', () => {
  const statuses = async (port: number): Promise<number[]> =>
    await Promise.all(
      ['/admin/loggers', '/connectors', '/'].map(
        async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).status,
      ),
    );

  test('on another port: only there, which serves nothing else but metrics', async () => {
    const rest = server([local], undefined, { adminListeners: [local] });
    const [main, admin] = await rest.listen();
    expect(await statuses(main!.port)).toEqual([404, 200, 200]);
    expect(await statuses(admin!.port)).toEqual([200, 404, 404]);
    // A scraper may have access to only one of them: connect-runtime §9.
    for (const { port } of [main!, admin!]) expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(200);
    await rest.close();
  });

  test('empty: nowhere', async () => {
    const rest = server([local], undefined, { adminListeners: [] });
    const bound = await rest.listen();
    expect(bound).toHaveLength(1);
    expect(await statuses(bound[0]!.port)).toEqual([404, 200, 200]);
    await rest.close();
  });

  test('the same as a main listener: served there as well', async () => {
    const one = { ...local, port: await freePort() };
    const rest = server([one, local], undefined, { adminListeners: [one] });
    const [main, other] = await rest.listen();
    expect(await statuses(main!.port)).toEqual([200, 200, 200]);
    expect(await statuses(other!.port)).toEqual([404, 200, 200]);
    await rest.close();
  });

  test('neither CORS nor custom headers on a separate listener', async () => {
    const rest = server([local], undefined, {
      adminListeners: [local],
      cors: { allows: () => true, methods: ['GET'] },
      responseHeaders: parseHeaderRules('set X-Foo: bar'),
    });
    const [main, admin] = await rest.listen();
    const headers = { Origin: 'http://a.example' };
    const answer = await fetch(`http://127.0.0.1:${main!.port}/`, { headers });
    expect([answer.headers.get('vary'), answer.headers.get('x-foo')]).toEqual(['Origin', 'bar']);
    const metrics = await fetch(`http://127.0.0.1:${main!.port}/metrics`, { headers });
    expect(metrics.headers.get('vary')).toBe('Origin, Accept-Encoding');
    const plain = await fetch(`http://127.0.0.1:${admin!.port}/admin/loggers`, { headers });
    expect([plain.headers.get('vary'), plain.headers.get('x-foo')]).toEqual([null, null]);
    await rest.close();
  });
});

test.each([
  [true, []],
  [false, ['POST /connectors/a/tasks by an unauthenticated caller from 127.0.0.1: 204']],
])('a signed request between workers is audited unless signatures are verified (%s)', async (verified, expected) => {
  const herder = new FakeHerder(validator, registry);
  herder.requiresSignatures = verified;
  const audited: string[] = [];
  const audit: Logger = { ...silentLogger, info: (message) => void audited.push(message) };
  const logger: Logger = { ...silentLogger, child: (_, name) => (name === AUDIT ? audit : silentLogger) };
  const rest = server([local], herder, {}, logger);
  const [bound] = await rest.listen();
  const headers = { 'X-Connect-Authorization': 'c2ln', 'X-Connect-Request-Signature-Algorithm': 'HmacSHA256' };
  const url = `http://127.0.0.1:${bound?.port}/connectors/a/tasks`;
  expect((await fetch(url, { method: 'POST', headers, body: '[]' })).status).toBe(204);
  await rest.close();
  expect(audited).toEqual(expected);
});
