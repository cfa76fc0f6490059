/** The HTTP contract, with a cluster of three nodes, TLS, and a user with minimal rights. */
import { Agent } from 'node:http';
import { connect } from 'node:net';
import { startRedisCluster, type RedisCluster } from '../../../../dev/services/redis/cluster';
import { waitFor } from '../../../helpers/wait-for';
import { APP, describeRedis, Program, redisOptions, settingsFor, type Answer } from './setup';

let cluster: RedisCluster;
let program: Program;

const OTHER_SITE = 'not for pages of other sites';
const TEXT = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };

/** Go's `http.Error`. */
function expectError(answer: Answer, status: number, message: string): void {
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body: `${message}\n` });
  expect(answer.headers).toMatchObject({ ...TEXT, 'content-length': String(Buffer.byteLength(answer.body)) });
}

/** Runs a command on the primary that owns the key's slot. */
async function redis(key: string, ...command: string[]): Promise<string> {
  const answers = await Promise.allSettled(cluster.primaries.map((node) => node.cli(...command)));
  const found = answers.find((answer) => answer.status === 'fulfilled' && !answer.value.startsWith('MOVED'));
  if (found?.status !== 'fulfilled') throw new Error(`no node has ${key}: ${JSON.stringify(answers)}`);
  return found.value;
}

describeRedis('users on a cluster', () => {
  beforeAll(async () => {
    cluster = await startRedisCluster(redisOptions());
    const [first] = cluster.primaries;
    program = await Program.start(settingsFor(first, { CACHE_MODE: 'cluster', CACHE_TIMEOUT_MS: '30000' }));
  });
  afterAll(async () => {
    await program?.stop();
    await cluster?.close();
  });

  test('users-app 1, 2: a posted user gets an empty response, and is stored as Go wrote it', async () => {
    const posted = await program.post('{"email":"user1@foo.com","name":"user1"}');
    expect(posted).toMatchObject({ status: 200, body: '' });
    expect(posted.headers['content-length']).toBe('0');
    expect(posted.headers).not.toHaveProperty('content-type');
    expect(posted.headers).toHaveProperty('date');
    const found = await program.get('/user1@foo.com');
    expect(found).toMatchObject({ status: 200, body: '{"email":"user1@foo.com","name":"user1"}\n' });
    expect(found.headers).toMatchObject({ ...TEXT, 'content-length': '41' });
    expect(Object.keys(found.headers).filter((name) => /powered|etag|access-control/.test(name))).toEqual([]);
  });

  test('users-app 3: an unknown user is 404 with its e-mail', async () => {
    const answer = await program.get('/none@b.com');
    expectError(answer, 404, 'user does not exist none@b.com');
    expect(answer.headers['content-length']).toBe('31');
  });

  test('users-app 4: the body is parsed as JSON, whatever its content type', async () => {
    const types = ['application/x-www-form-urlencoded', 'application/json', 'text/plain', 'multipart/form-data'];
    const body = { email: 'types@foo.com', name: 'n' };
    for (const type of types) {
      expect([type, (await program.post(body, { headers: { 'Content-Type': type } })).status]).toEqual([type, 200]);
    }
    expect((await program.post(body)).status).toBe(200);
  });

  test.each([
    [{ 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }],
    [{ 'Sec-Fetch-Site': 'same-site', Origin: 'https://other.internal' }],
    [{ Origin: 'https://evil.example' }],
    [{ Origin: 'null' }],
    [{ Origin: 'not a URL' }],
  ])('a post that a browser sends for a page of another site is rejected: %j', async (headers) => {
    const body = { email: 'lured@foo.com', name: 'n' };
    for (const type of ['text/plain', 'application/x-www-form-urlencoded'])
      expectError(await program.post(body, { headers: { 'Content-Type': type, ...headers } }), 403, OTHER_SITE);
    expect((await program.get('/lured@foo.com')).status).toBe(404);
  });

  test('a post of the same site, or without a site, is stored', async () => {
    const own = `127.0.0.1:${program.port}`;
    for (const [i, headers] of [
      {},
      { 'Sec-Fetch-Site': 'none' },
      { 'Sec-Fetch-Site': 'same-origin', Origin: `http://${own}` },
      { Origin: `http://${own}` },
    ].entries()) {
      const email = `own${i}@foo.com`;
      expect((await program.post({ email, name: 'n' }, { headers: headers as Record<string, string> })).status).toBe(
        200,
      );
      expect((await program.get(`/${email}`, { headers: { 'Sec-Fetch-Site': 'cross-site' } })).status).toBe(200);
    }
  });

  test('e-mails in braces do not choose their slot, and one that the original stored is found', async () => {
    const slots = new Set<string>();
    for (let i = 0; i < 20; i++) {
      const email = `{x}${i}@foo.com`;
      expect((await program.post({ email, name: 'n' })).status).toBe(200);
      expect((await program.get(`/${encodeURIComponent(email)}`)).body).toBe(`{"email":"${email}","name":"n"}\n`);
      const [first] = cluster.primaries;
      slots.add((await first.cli('CLUSTER', 'KEYSLOT', `user:{} ${email}`)).trim());
      expect(await redis(email, 'EXISTS', `user:${email}`)).toBe('0');
    }
    expect(slots.size).toBeGreaterThan(15);
    await redis('user:{y}', 'HSET', 'user:{y}@foo.com', 'email', '{y}@foo.com', 'name', 'go');
    expect((await program.get('/%7By%7D@foo.com')).body).toBe('{"email":"{y}@foo.com","name":"go"}\n');
  });

  test('users-app 5, 16: a second post replaces the name; the key is a hash of two fields', async () => {
    const key = 'user:twice@foo.com';
    await program.post({ email: 'twice@foo.com', name: 'first' });
    await program.post({ email: 'twice@foo.com', name: 'second' });
    expect((await program.get('/twice@foo.com')).body).toBe('{"email":"twice@foo.com","name":"second"}\n');
    expect(await redis(key, 'TYPE', key)).toBe('hash');
    expect((await redis(key, 'HKEYS', key)).split('\n').sort()).toEqual(['email', 'name']);
    expect(await redis(key, 'TTL', key)).toBe('-1');
  });

  test.each([
    ['notjson', 'not JSON'],
    ['', 'empty'],
    ['[]', 'not an object'],
    ['"x"', 'not an object'],
    ['null', 'not an object'],
    ['{"email":"a@b","name":"n"} x', 'not JSON'],
    ['\ufeff{"email":"a@b","name":"n"}', 'not JSON'],
    [Buffer.from([0x7b, 0x22, 0xe9, 0x22, 0x7d]), 'not UTF-8'],
  ])('users-app 6: the body %p is rejected: %s', async (body, reason) => {
    expectError(await program.post(body), 400, `invalid JSON body: ${reason}`);
  });

  test.each([
    [{}, 'email is required'],
    [{ name: 'n' }, 'email is required'],
    [{ email: '', name: 'n' }, 'email is required'],
    [{ email: 5, name: 'n' }, 'email must be a string'],
    [{ email: null, name: 'n' }, 'email is required'],
    [{ email: 'seven@b' }, 'name is required'],
    [{ email: 'seven@b', name: '' }, 'name is required'],
    [{ email: 'seven@b', name: '  ' }, 'name is required'],
    [{ email: 'seven@b', name: 5 }, 'name must be a string'],
    [{ email: 'seven@b', name: true }, 'name must be a string'],
    [{ email: ' seven@b', name: 'n' }, 'invalid email: white space'],
    [{ email: 'seven', name: 'n' }, 'invalid email: no @ between two parts'],
    [{ email: 'seven@b', name: 'a\nb' }, 'invalid name: control character'],
    [{ email: 'seven@b', name: 'x'.repeat(257) }, 'invalid name: longer than 256 characters'],
  ])('users-app 6, 7: %j: %s, and nothing is stored', async (body, message) => {
    expectError(await program.post(body), 400, message);
    expect((await program.get('/seven@b')).status).toBe(404);
  });

  test('users-app 8: other members are dropped, and the last of a repeated member counts', async () => {
    expect((await program.post('{"email":"m@foo.com","name":"a","admin":true,"name":"b"}')).status).toBe(200);
    expect((await program.get('/m@foo.com')).body).toBe('{"email":"m@foo.com","name":"b"}\n');
    expect(await redis('user:m@foo.com', 'HLEN', 'user:m@foo.com')).toBe('2');
  });

  test('users-app 9: the path is decoded, and a plus stays a plus', async () => {
    await program.post({ email: 'a+b@c.com', name: 'plus' });
    const body = '{"email":"a+b@c.com","name":"plus"}\n';
    for (const path of ['/a+b@c.com', '/a%2Bb%40c.com', '/a%2bb@c.com', '/a+b@c.com?x=1'])
      expect([path, (await program.get(path)).body]).toEqual([path, body]);
  });

  test('users-app 10: an escaped slash is part of the e-mail, a plain one is not', async () => {
    await program.post({ email: 'o/reilly@x.com', name: 'books' });
    expect((await program.get('/o%2Freilly@x.com')).body).toBe('{"email":"o/reilly@x.com","name":"books"}\n');
    for (const path of ['/o/reilly@x.com', '/o%2Freilly@x.com/', '//a@b.com', '/a/b/c'])
      expectError(await program.get(path), 404, '404 page not found');
  });

  test('users-app 11: a path that cannot be decoded is 400, and control characters do not reach the answer', async () => {
    expectError(await program.get('/%e9'), 400, 'invalid email encoding');
    expectError(await program.get('/%zz'), 400, 'invalid email encoding');
    expectError(await program.get('/x%0d%0ay@zzz'), 404, 'user does not exist x\ufffd\ufffdy@zzz');
    expectError(await program.get('/not-an-email'), 404, 'user does not exist not-an-email');
    // A line break in the log line would make `lines` fail.
    await program.line('the request', ({ path }) => path === '/x***@zzz');
  });

  test('users-app 12: every alphabet survives a round trip', async () => {
    const user = { email: 'jörg@例え.jp', name: 'Jörg 👩‍👩‍👧 𝔘' };
    expect((await program.post(user)).status).toBe(200);
    const found = await program.get(`/${encodeURIComponent(user.email)}`);
    expect(found.body).toBe(`{"email":"${user.email}","name":"${user.name}"}\n`);
  });

  test('users-app 13: angle brackets and ampersands are escaped as Go escapes them', async () => {
    await program.post({ email: 'esc@foo.com', name: '<b>&"\u2028' });
    const found = await program.get('/esc@foo.com');
    expect(found.body).toBe('{"email":"esc@foo.com","name":"\\u003cb\\u003e\\u0026\\"\\u2028"}\n');
    expect((JSON.parse(found.body) as { name: string }).name).toBe('<b>&"\u2028');
    expect(found.headers['x-content-type-options']).toBe('nosniff');
  });

  test.each([
    ['GET', '/', 'POST'],
    ['PATCH', '/', 'POST'],
    ['HEAD', '/', 'POST'],
    ['PUT', '/x@y', 'GET, HEAD'],
    ['DELETE', '/x@y', 'GET, HEAD'],
    ['POST', '/x@y', 'GET, HEAD'],
  ])('users-app 14: %s %s is 405, Allow: %s', async (method, path, allow) => {
    const answer = await program.call(method, path);
    expect(answer).toMatchObject({ status: 405, body: '', headers: { allow, 'content-length': '0' } });
  });

  test('users-app 14: HEAD is GET without the body, OPTIONS names the methods', async () => {
    await program.post({ email: 'head@foo.com', name: 'h' });
    const found = await program.call('HEAD', '/head@foo.com');
    expect(found).toMatchObject({ status: 200, body: '', headers: { ...TEXT, 'content-length': '36' } });
    expect(await program.call('HEAD', '/nobody@foo.com')).toMatchObject({ status: 404, body: '' });
    expect(await program.call('OPTIONS', '/')).toMatchObject({ status: 204, headers: { allow: 'POST' } });
    expect(await program.call('OPTIONS', '/a@b')).toMatchObject({ status: 204, headers: { allow: 'GET, HEAD' } });
  });

  test('users-app 15: a body at the limit is read, one byte more is 413 and closes the connection', async () => {
    const body = (bytes: number): string => {
      const user = '{"email":"big@foo.com","name":"big"}';
      return user + ' '.repeat(bytes - user.length);
    };
    expect((await program.post(body(16_384))).status).toBe(200);
    const agent = new Agent({ keepAlive: true });
    for (const headers of [{}, { 'Transfer-Encoding': 'chunked' }] as Record<string, string>[]) {
      const answer = await program.post(body(16_385), { headers, agent });
      expectError(answer, 413, 'request body too large');
      expect(answer.headers['connection']).toBe('close');
    }
    // Large enough that it is still being sent when the response arrives.
    expectError(await program.post(Buffer.alloc(4_000_000, 32)), 413, 'request body too large');
    agent.destroy();
  });

  test('users-app 15: an unfinished body is answered as soon as it is too large, not at its end', async () => {
    const socket = connect(program.port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.on('error', () => undefined);
    socket.write(
      `POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n8000\r\n${' '.repeat(0x8000)}\r\n`,
    );
    await closed;
    expect(received).toMatch(/^HTTP\/1\.1 413 [^]*request body too large\n$/);
  });

  test('a compressed body is 415, an overlong address 414, overlong headers 431', async () => {
    const gzip = await program.post({ email: 'a@b', name: 'n' }, { headers: { 'Content-Encoding': 'gzip' } });
    expectError(gzip, 415, 'unsupported content encoding');
    expectError(await program.get(`/${'a'.repeat(8_192)}`), 414, 'request URL too long');
    expect((await program.get('/a@b', { headers: { X: 'x'.repeat(17_000) } })).status).toBe(431);
  });

  test('users-app 17: a record of the original with more fields is read, and loses them when it is written', async () => {
    const key = 'user:old@foo.com';
    await redis(key, 'HSET', key, 'email', 'old@foo.com', 'name', 'old', 'role', 'x');
    expect((await program.get('/old@foo.com')).body).toBe('{"email":"old@foo.com","name":"old"}\n');
    await program.post({ email: 'old@foo.com', name: 'new' });
    expect(await redis(key, 'HKEYS', key)).toBe('email\nname');
    await redis('user:part@foo.com', 'HSET', 'user:part@foo.com', 'email', 'part@foo.com');
    expect((await program.get('/part@foo.com')).body).toBe('{"email":"part@foo.com","name":""}\n');
  });

  test('users-app 18: a key of another type is 500, and only the log says why', async () => {
    await redis('user:w@x.com', 'SET', 'user:w@x.com', 'y');
    expectError(await program.get('/w@x.com'), 500, 'internal error');
    const line = await program.line('an error', ({ level }) => level === 'error');
    expect(line).toMatchObject({ key: 'user:w***@x.com', cause: expect.stringContaining('WRONGTYPE') });
  });

  test('users-app 30: concurrent posts of one user leave one complete record', async () => {
    const names = Array.from({ length: 100 }, (_, i) => `name-${i}`);
    const answers = await Promise.all(names.map((name) => program.post({ email: 'race@foo.com', name })));
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    const { name } = JSON.parse((await program.get('/race@foo.com')).body) as { name: string };
    expect(names).toContain(name);
  });

  test('users-app 31: a written user can be read at once', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const missed: string[] = [];
    await Promise.all(
      Array.from({ length: 8 }, async (_, worker) => {
        for (let i = 0; i < 125; i++) {
          const email = `own-${worker}-${i}@foo.com`;
          await program.post({ email, name: 'n' }, { agent });
          if ((await program.get(`/${email}`, { agent })).status !== 200) missed.push(email);
        }
      }),
    );
    agent.destroy();
    expect(missed).toEqual([]);
  });

  test('users-app 33: a connection serves many requests, and a bad request closes it cleanly', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const first = await program.get('/nobody@foo.com', { agent });
    expect(first.headers['connection']).toBe('keep-alive');
    await program.get('/nobody@foo.com', { agent });
    expect(Object.values(agent.freeSockets).flat()).toHaveLength(1);
    agent.destroy();

    const socket = connect(program.port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => (received += chunk.toString()));
    const ended = new Promise((resolve) => socket.on('end', resolve));
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nnonsense\r\n\r\n');
    await ended;
    socket.destroy();
    // Node.js sends 400 only after the previous response is complete.
    expect(received).toMatch(/^HTTP\/1\.1 200 OK[^]*ok\n(HTTP\/1\.1 400 Bad Request\r\n[^]*)?$/);
    expect((await program.get('/healthz')).status).toBe(200);
  });

  test('health: alive and ready; neither is logged', async () => {
    expect(await program.get('/healthz')).toMatchObject({ status: 200, body: 'ok\n' });
    expect((await program.ready()).body).toBe('ready\n');
    await program.get('/after@health');
    await program.line('the request after', ({ path }) => path === '/a***@health');
    expect(program.lines().filter(({ path }) => path === '/readyz' || path === '/healthz')).toEqual([]);
  });

  test('reading from replicas is optional, as in the original', async () => {
    const settings = settingsFor(cluster.primaries[1], { CACHE_READ_FROM: 'replica' });
    const other = await Program.start(settings);
    try {
      const emails = Array.from({ length: 8 }, (_, i) => `replica-${i}@foo.com`);
      for (const email of emails) expect((await other.post({ email, name: 'r' })).status).toBe(200);
      await waitFor('a read to reach the replica', async () => {
        for (const email of emails) await other.until('the replica to have the record', 200, `/${email}`);
        return (await cluster.replica.cli('CLIENT', 'LIST')).includes(`user=${APP.name}`);
      });
    } finally {
      await other.stop();
    }
  });

  test('users-app 28: the documented permissions are sufficient, and no other command was sent', async () => {
    for (const node of [...cluster.primaries, cluster.replica]) expect(await node.cli('ACL', 'LOG')).toBe('');
  });

  test('users-app 35: the log has a line for each request, without e-mail or password', async () => {
    await program.get('/last@request');
    await program.line('the last request', ({ path }) => path === '/l***@request');
    const requests = program.lines().filter(({ msg }) => msg === 'request');
    expect(requests.length).toBeGreaterThan(2_000);
    expect(requests).toContainEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      msg: 'request',
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      method: 'GET',
      path: '/n***@b.com',
      status: 404,
      ms: expect.any(Number),
    });
    const log = program.log();
    const personal = /user1|twice|jörg|reilly|race@|own-\d|nobody@|books|name-\d/;
    expect(log.split('\n').filter((line) => personal.test(line))).toEqual([]);
    expect(log).not.toContain(APP.password);
  });
});
