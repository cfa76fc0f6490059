/**
 * Documents that are expensive for a worker, sent to a worker with little memory: each is rejected, and the worker
 * continues.
 */
import { once } from 'node:events';
import { request, type ClientRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { startWorker, type StartedWorker } from '../../dev/services/worker';
import { httpCall, type HttpAnswer } from '../helpers/http-call';
import { uniqueName } from '../helpers/unique-name';
import { waitFor } from '../helpers/wait-for';

const MIB = 1024 * 1024;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const FORGED = {
  'X-Connect-Authorization': 'A'.repeat(43) + '=',
  'X-Connect-Request-Signature-Algorithm': 'HmacSHA256',
};
let worker: StartedWorker;

beforeAll(async () => {
  worker = await startWorker({
    group: uniqueName('bodies'),
    settings: { 'rest.bodies.in.flight.max.bytes': String(10 * MIB) },
    nodeFlags: ['--max-old-space-size=256'],
  });
  await worker.ready();
});
afterAll(async () => await worker?.stop());

const post = async (path: string, body: string, headers: Record<string, string> = {}): Promise<HttpAnswer> =>
  await httpCall(worker.url + path, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body });

/** As many of `unit` as make `bytes`. */
function list(bytes: number, unit: string): string {
  return `[${Array(Math.floor((bytes - 2) / (unit.length + 1)))
    .fill(unit)
    .join(',')}]`;
}

async function expectAlive(): Promise<void> {
  expect(worker.process.exitCode).toBeUndefined();
  expect((await httpCall(`${worker.url}/connectors`)).status).toBe(200);
}

test('10 MiB of zeros without a valid signature are never parsed', async () => {
  const zeros = list(9.9 * MIB, '0');
  const answers = [
    await post('/connectors/any/tasks', zeros),
    await post('/connectors/any/tasks', zeros, FORGED),
    await post('/connectors', zeros),
    await httpCall(`${worker.url}/connectors/any/fence`, { method: 'PUT', body: zeros }),
  ];
  const tooLarge = 'The request body is larger than 1048576 bytes; to allow more, increase rest.body.max.bytes';
  expect(answers.map(({ status, text }) => [status, (JSON.parse(text) as { message: string }).message])).toEqual([
    [413, tooLarge],
    [403, 'Internal request contained invalid signature.'],
    [413, tooLarge],
    [413, tooLarge],
  ]);
  await expectAlive();
});

const many = (of: (index: number) => string): string => {
  const parts: string[] = [];
  for (let size = 0, i = 0; size < MIB - 64; i++) size += (parts[i] = of(i)).length + 1;
  return parts.join(',');
};
const HOSTILE: Readonly<Record<string, string>> = {
  zeros: list(MIB, '0'),
  'empty objects': list(MIB, '{}'),
  'open brackets': '['.repeat(MIB),
  'open objects': '{"":'.repeat(MIB / 4),
  'nested lists': list(MIB, '['.repeat(500) + ']'.repeat(500)),
  'a number of a million digits': `{"offsets":[{"partition":{"a":1},"offset":{"b":${'1'.repeat(MIB - 64)}}}]}`,
  'one name again and again': `{${many(() => '"a":1')}}`,
  'a name of a million characters': `{"${'a'.repeat(MIB - 64)}":""}`,
  'many short names': `{${many((i) => `"${i.toString(36)}":""`)}}`,
  'many long names': `{"connector.class":"FileStreamSink","topics":"t",${many((i) => `"name.that.nobody.knows.${i}":"x"`)}}`,
  escapes: `{"a":"${'\\n'.repeat(MIB / 2 - 32)}"}`,
  lines: `{"a":\n${'\n'.repeat(MIB - 64)}x}`,
};

test('all kinds of bodies, to every route that reads one, at once', async () => {
  const routes = [
    ['POST', '/connectors'],
    ['PUT', '/connectors/any/config'],
    ['PATCH', '/connectors/any/config'],
    ['PATCH', '/connectors/any/offsets'],
    ['PUT', '/connector-plugins/FileStreamSink/config/validate'],
    ['PUT', '/admin/loggers/any'],
  ] as const;
  for (const [kind, body] of Object.entries(HOSTILE)) {
    const answers = await Promise.all(
      routes.map(
        async ([method, path], client) =>
          // One client has no room for all.
          await httpCall(worker.url + path, {
            method,
            headers: JSON_TYPE,
            body,
            localAddress: `127.0.2.${client + 1}`,
          }),
      ),
    );
    const statuses = answers.map(({ status }) => status);
    for (const status of statuses)
      expect([kind, [200, 201, 400, 404, 500].includes(status), status]).toEqual([kind, true, status]);
  }
  await expectAlive();
});

/** A request that has sent this much of its body and waits; it is in the set until it is answered. */
async function unfinished(bytes: number, waiting: Set<ClientRequest>, localAddress = '127.0.0.1'): Promise<void> {
  const headers = { ...JSON_TYPE, 'Content-Length': String(MIB) };
  const sent = request(`${worker.url}/connectors`, { method: 'POST', headers, agent: false, localAddress });
  waiting.add(sent);
  for (const event of ['response', 'error'])
    sent.on(event, () => {
      waiting.delete(sent);
      sent.destroy();
    });
  // A request that is answered before all of it is written is closed instead.
  await new Promise<void>((resolve) => sent.once('close', resolve).write(' '.repeat(bytes), () => resolve()));
}

const NO_ROOM = 'There is no room for this body: ';
const SHARE =
  "the bodies of one caller's requests in progress may take half of what others leave of rest.bodies.in.flight.max.bytes (10485760); retry in a moment";
const ALL =
  'all bodies of requests in progress are limited to rest.bodies.in.flight.max.bytes (10485760); retry in a moment';

test('bodies in flight have a limit for each client and over all: 503 with Retry-After, until others are done', async () => {
  const waiting = new Set<ClientRequest>();
  const body = ' '.repeat(800_000);
  const full = await waitFor('the share to be used up', async () => {
    // The requests may not have arrived yet: the probe may come first and have one of these rejected.
    while (waiting.size < 5) await unfinished(1_000_000, waiting);
    const answer = await post('/connectors', body);
    return answer.status === 503 && answer;
  });
  expect([full.headers['retry-after'], JSON.parse(full.text)]).toEqual([
    '1',
    { error_code: 503, message: NO_ROOM + SHARE },
  ]);
  // A body without a declared length is counted as it arrives.
  const chunked = await httpCall(`${worker.url}/connectors`, {
    method: 'POST',
    headers: { ...JSON_TYPE, 'Transfer-Encoding': 'chunked' },
    body,
  });
  expect(chunked.status).toBe(503);
  const other = await httpCall(`${worker.url}/connectors`, {
    ...{ method: 'POST', headers: JSON_TYPE, body, localAddress: '127.0.0.2' },
  });
  // Only whitespace: as in Java, an error, but of a body that was read.
  expect(other.status).toBe(500);

  const others = Array.from({ length: 10 }, (_, index) => `127.0.1.${index + 1}`);
  const last = await waitFor('the whole budget to be used up', async () => {
    for (const address of others) if (waiting.size < 10) await unfinished(1_000_000, waiting, address);
    const answer = await httpCall(`${worker.url}/connectors`, {
      ...{ method: 'POST', headers: JSON_TYPE, body, localAddress: '127.0.0.2' },
    });
    return answer.status === 503 && answer;
  });
  expect(JSON.parse(last.text)).toEqual({ error_code: 503, message: NO_ROOM + ALL });
  for (const each of waiting) each.destroy();
  await waitFor('room again', async () => (await post('/connectors', body)).status !== 503);
});

test('1,300 connections, idle or with unfinished headers, do not block other clients, nor more of the same', async () => {
  const { hostname, port } = new URL(worker.url);
  const idle: Socket[] = [];
  // Not one is lost while the worker is too busy to accept them.
  process.kill(worker.pid, 'SIGSTOP');
  for (let i = 0; i < 1_300; i++) {
    const socket = connect(Number(port), hostname);
    // The worker closes some.
    socket.on('error', () => undefined);
    if (i % 2 === 0) socket.write('GET /connectors HTTP/1.1\r\nHost: localhost\r\nX-Slow: ');
    idle.push(socket);
  }
  try {
    await Promise.all(idle.map(async (socket) => await once(socket, 'connect')));
  } finally {
    process.kill(worker.pid, 'SIGCONT');
  }
  const dropped = await waitFor('connections to be closed', async () => {
    const { text } = await httpCall(`${worker.url}/metrics`);
    const count = /^millrace_rest_connections_dropped_total\{reason="idle"\} (\d+)$/m.exec(text)?.[1];
    return Number(count) >= 1_050 && text;
  });
  expect(Number(/^millrace_rest_connections (\d+)$/m.exec(dropped)?.[1])).toBeLessThanOrEqual(250);
  await expectAlive();
  const other = await httpCall(`${worker.url}/connectors`, { localAddress: '127.0.0.2' });
  expect(other.status).toBe(200);
  expect(worker.process.log().match(/has half of rest\.connections\.max \(500\)/g)).toHaveLength(1);
  for (const socket of idle) socket.destroy();
});
