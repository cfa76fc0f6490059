/** Request bodies: in chunks, too large, too many at once, or never complete. */
import { connect, type AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:http';
import { BodyBudget, type BodyLimits } from '../../../src/rest/http/body-budget';
import { incomingBody, type IncomingBody } from '../../../src/rest/http/incoming-body';
import { RestError } from '../../../src/rest/http/rest-error';
import { waitFor } from '../../helpers/wait-for';

const HEAD = 'POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n';
let server: Server;
let failures: unknown[];
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

/** Answers with the body's length, or with the status of the error. */
async function serve(limits: BodyLimits, budget = new BodyBudget(limits)): Promise<number> {
  failures = [];
  server = createServer((request, response) => {
    const body: IncomingBody = incomingBody(request, response, budget, 'client');
    body
      .read()
      .then(
        (bytes) => response.end(`${bytes.length} ${bytes.toString('latin1', 0, 20)}`),
        (error: unknown) => {
          failures.push(error);
          response.writeHead((error as RestError).status).end((error as RestError).message);
        },
      )
      .finally(() => body.release());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Sends the parts, and resolves to the response until the connection ends or `enough` is in it. */
async function send(port: number, parts: readonly string[], enough = /\r\n\r\n.+$/s): Promise<string> {
  return await new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => {
      for (const part of parts) socket.write(part, 'latin1');
    });
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      if (enough.test(received)) socket.end();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}

test('a body in chunks of one byte becomes one buffer', async () => {
  const port = await serve({ maxBytes: 100_000, inFlightBytes: 100_000 });
  const chunks = '1\r\nx\r\n'.repeat(50_000);
  const answer = await send(port, [`${HEAD}Transfer-Encoding: chunked\r\n\r\n`, chunks, '0\r\n\r\n'], /50000 x{20}/);
  expect(answer).toMatch(/^HTTP\/1\.1 200 .*50000 x{20}/s);
});

test('a declared length is checked before anything is read, other bodies when they are read', async () => {
  const port = await serve({ maxBytes: 10, inFlightBytes: 100 });
  expect(await send(port, [`${HEAD}Content-Length: 11\r\n\r\n`])).toMatch(/^HTTP\/1\.1 413 .*larger than 10 bytes/s);
  expect(await send(port, [`${HEAD}Transfer-Encoding: chunked\r\n\r\nb\r\n${'x'.repeat(11)}\r\n`])).toMatch(
    /^HTTP\/1\.1 413 /,
  );
  expect(await send(port, [`${HEAD}Content-Length: 10\r\n\r\n0123456789`])).toMatch(/^HTTP\/1\.1 200 .*10 0123456789/s);
});

test('a body that does not end in time is dropped, and its memory is released', async () => {
  const budget = new BodyBudget({ maxBytes: 10, inFlightBytes: 10, deadlineMs: 50 });
  const port = await serve({ maxBytes: 10, inFlightBytes: 10 }, budget);
  expect(await send(port, [`${HEAD}Content-Length: 10\r\n\r\n12345678`])).toMatch(
    /^HTTP\/1\.1 408 .*The request body was not complete within 50 ms/s,
  );
  expect(await send(port, [`${HEAD}Content-Length: 10\r\n\r\n0123456789`])).toMatch(/^HTTP\/1\.1 200 /);
});

test('all bodies in flight share one budget, which a client that disconnects releases', async () => {
  const budget = new BodyBudget({ maxBytes: 10, inFlightBytes: 15 });
  budget.reserve('other', 10);
  const port = await serve({ maxBytes: 10, inFlightBytes: 15 }, budget);
  expect(await send(port, [`${HEAD}Content-Length: 6\r\n\r\n`])).toMatch(
    /^HTTP\/1\.1 503 .*in\.flight\.max\.bytes \(15\)/s,
  );
  expect(failures).toEqual([expect.objectContaining({ status: 503, retryAfterS: 1 })]);
  expect(await send(port, [`${HEAD}Content-Length: 5\r\n\r\n01234`])).toMatch(/^HTTP\/1\.1 200 /);

  const gone = connect(port, '127.0.0.1', () => gone.write(`${HEAD}Content-Length: 5\r\n\r\n0123`));
  await new Promise<void>((resolve) => {
    server.once('request', (_, response) => response.once('close', resolve));
    gone.once('connect', () => setImmediate(() => gone.end()));
  });
  await new Promise(setImmediate);
  expect(() => budget.requireRoom('client', 5)).not.toThrow();
  expect(() => budget.requireRoom('client', 6)).toThrow(RestError);
});

test('a body in use stays in the budget when its client disconnects', async () => {
  const budget = new BodyBudget({ maxBytes: 10, inFlightBytes: 10 });
  let read: (body: IncomingBody) => void;
  const arrived = new Promise<IncomingBody>((resolve) => (read = resolve));
  server = createServer((request, response) => {
    const body = incomingBody(request, response, budget, 'client');
    void body.read().then(() => read(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const closed = new Promise((resolve) => server.once('request', (_, response) => response.once('close', resolve)));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.write(`${HEAD}Content-Length: 10\r\n\r\n0123456789`);
  const body = await arrived;
  client.destroy();
  await closed;
  expect(() => budget.requireRoom('other', 1)).toThrow(RestError);
  body.release();
  expect(() => budget.requireRoom('other', 10)).not.toThrow();
});

test('queued answers leave the budget when their connection closes', async () => {
  const budget = new BodyBudget({ maxBytes: 10, inFlightBytes: 40 });
  let first: () => void = () => undefined;
  let finished = 0;
  server = createServer((request, response) => {
    if (request.method === 'GET') {
      first = () => response.end();
      return;
    }
    const body = incomingBody(request, response, budget, 'client');
    void body
      .read()
      .then(() => response.end('done'))
      .finally(() => {
        body.release();
        finished++;
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const post = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n0123456789';
  client.write(`GET / HTTP/1.1\r\nHost: localhost\r\n\r\n${post}${post}`);
  await waitFor('both bodies to be read', () => finished === 2);
  expect(() => budget.requireRoom('other', 21)).toThrow('limited to rest.bodies.in.flight.max.bytes');
  client.destroy();
  await waitFor('the room to be free', () => {
    try {
      budget.requireRoom('other', 40);
      return true;
    } catch {
      return false;
    }
  });
  first();
  expect(() => budget.requireRoom('other', 41)).toThrow('limited to rest.bodies.in.flight.max.bytes');
});

test('a connection that the client wants closed is closed after a rejected body', async () => {
  const port = await serve({ maxBytes: 10, inFlightBytes: 100 });
  // Only the server closes this connection.
  const answer = await send(port, [`${HEAD}Content-Length: 11\r\n\r\n`, '0123456789x'], /never/);
  expect(answer).toMatch(/^HTTP\/1\.1 413 .*larger than 10 bytes/s);
});

test('signed bodies may be ten times as large, but not larger than the total budget', () => {
  expect(new BodyBudget({ maxBytes: 10, inFlightBytes: 1000 }).maxSignedBytes).toBe(100);
  expect(new BodyBudget({ maxBytes: 10, inFlightBytes: 50 }).maxSignedBytes).toBe(50);
});

test('a caller holds at most as much as it leaves for others, or a single body', () => {
  const budget = new BodyBudget({ maxBytes: 10, inFlightBytes: 100 });
  for (let i = 0; i < 5; i++) budget.reserve('first', 10);
  expect(() => budget.reserve('first', 1)).toThrow(
    "the bodies of one caller's requests in progress may take half of what others leave of rest.bodies.in.flight.max.bytes (100)",
  );
  for (let i = 0; i < 2; i++) budget.reserve('second', 10);
  expect(() => budget.reserve('second', 10)).toThrow(RestError);
  // A body that arrives in parts is one body.
  budget.reserve('third', 20);
  budget.reserve('third', 10, 20);
  expect(() => budget.reserve('fourth', 1)).toThrow('limited to rest.bodies.in.flight.max.bytes (100)');
  budget.release('third', 30);
  expect(() => budget.reserve('second', 5)).not.toThrow();
});
