/** Startup with a standalone server with TLS: problems are reported and stop the program. */
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { issueCertificate, type Identity } from '../../../../dev/services/certificates';
import { RedisServer } from '../../../../dev/services/redis/redis';
import { waitFor } from '../../../helpers/wait-for';
import { APP, describeRedis, Program, redisOptions, RULES, settingsFor } from './setup';

const options = redisOptions([
  `user ${APP.name} on >${APP.password} ${RULES}`,
  `user reader on >${APP.password} ~user:* -@all +hgetall +ping +hello +auth`,
  `user silent on >${APP.password} ~user:* -@all +hello +auth`,
]);
const certificate = (issuer: Identity | null, hosts: string[], expires?: Date): Identity =>
  issueCertificate({ name: 'redis', issuer, hosts, ...(expires && { expires }) });

let redis: RedisServer;
const open: { stop(): Promise<unknown> }[] = [];

/** Starts a server for one test. */
async function startRedis(server: Identity): Promise<RedisServer> {
  const started = await RedisServer.start({ ...options, server });
  open.push({ stop: () => started.close() });
  return started;
}
async function start(env: Record<string, string>): Promise<Program> {
  const program = await Program.start(env);
  open.push(program);
  return program;
}
/** A program cannot start, logs the reason and exits with code 1. Returns its log. */
async function expectComplaint(env: Record<string, string>, reason: RegExp): Promise<string> {
  // Long enough for one attempt, whose failure is the reported reason; a slow machine needs the second value.
  for (const timeoutMs of ['1000', '15000']) {
    const program = new Program({ CACHE_STARTUP_TIMEOUT_MS: timeoutMs, ...env });
    open.push(program);
    expect(await program.ended()).toBe(1);
    expect(program.lines().at(-1)).toMatchObject({ level: 'fatal' });
    expect(program.log()).not.toContain(APP.password);
    if (reason.test(program.log())) return program.log();
  }
  throw new Error(`No program gave the reason ${reason}`);
}

describeRedis('starting', () => {
  beforeAll(async () => {
    redis = await RedisServer.start(options);
  });
  afterEach(async () => {
    for (const service of open.splice(0)) await service.stop();
  });
  afterAll(async () => {
    await redis?.close();
  });

  test('users-app 24: auto detects that the server is not a cluster, logs it once, and works', async () => {
    const program = await start(settingsFor(redis));
    expect((await program.post({ email: 'a@b', name: 'n' })).status).toBe(200);
    expect((await program.get('/a@b')).body).toBe('{"email":"a@b","name":"n"}\n');
    expect(program.lines().filter(({ msg }) => String(msg).includes('not part of a cluster'))).toHaveLength(1);
    expect(program.lines()).toContainEqual(
      expect.objectContaining({ mode: 'standalone', msg: 'connected to the cache' }),
    );
    expect(await redis.cli('ACL', 'LOG')).toBe('');
  });

  test('users-app 24: cluster mode fails at once with a server that is not a cluster', async () => {
    const env = settingsFor(redis, { CACHE_MODE: 'cluster', CACHE_STARTUP_TIMEOUT_MS: '600000' });
    await expectComplaint(env, /cluster support disabled/);
  });

  test.each(['auto', 'standalone'])('users-app 19: a wrong password, in mode %s', async (mode) => {
    const password = 'another-password-of-the-rule';
    const log = await expectComplaint(settingsFor(redis, { CACHE_MODE: mode, CACHE_PASSWORD: password }), /WRONGPASS/);
    expect(log).not.toContain(password);
    await redis.cli('ACL', 'LOG', 'RESET');
  });

  test('users-app 21: a certificate of an unknown authority, and with the authority’s file', async () => {
    const { CACHE_TLS_CA_FILE: _, ...env } = settingsFor(redis);
    await expectComplaint(env, /SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE/);
    await (await start(settingsFor(redis))).ready();
  });

  test('users-app 21: a certificate for another host, unless that is the expected name', async () => {
    const elsewhere = await startRedis(certificate(options.ca, ['redis.example']));
    await expectComplaint(settingsFor(elsewhere), /ERR_TLS_CERT_ALTNAME_INVALID/);
    const program = await start(settingsFor(elsewhere, { CACHE_TLS_SERVERNAME: 'redis.example' }));
    expect((await program.post({ email: 'a@b', name: 'n' })).status).toBe(200);
  });

  test('an expired certificate, and one of a foreign authority', async () => {
    const expired = await startRedis(
      certificate(options.ca, ['localhost', '127.0.0.1'], new Date(Date.now() - 60_000)),
    );
    await expectComplaint(settingsFor(expired), /CERT_HAS_EXPIRED/);
    const foreign = issueCertificate({ name: 'Foreign CA', issuer: null });
    const file = `${redis.caFile}.foreign`;
    await writeFile(file, foreign.cert);
    await expectComplaint(
      settingsFor(redis, { CACHE_TLS_CA_FILE: file }),
      /SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE/,
    );
  });

  test('plain text to a TLS port: the error suggests the reason', async () => {
    await expectComplaint(settingsFor(redis, { CACHE_TLS: 'off' }), /check CACHE_TLS/);
  });

  test('a user with restricted permissions: permitted commands work, others are 500, and without PING the start fails', async () => {
    const program = await start(settingsFor(redis, { CACHE_USERNAME: 'reader', CACHE_MODE: 'standalone' }));
    expect((await program.get('/nobody@foo.com')).status).toBe(404);
    expect(await program.post({ email: 'a@b', name: 'n' })).toMatchObject({ status: 500, body: 'internal error\n' });
    const line = await program.line('an error', ({ level }) => level === 'error');
    expect(line).toMatchObject({ key: 'user:a***@b', cause: expect.stringContaining('NOPERM') });
    await expectComplaint(settingsFor(redis, { CACHE_USERNAME: 'silent', CACHE_MODE: 'standalone' }), /NOPERM/);
  });

  test('without a startup timeout it serves before the cache is reachable, and is ready when it is', async () => {
    const late = await startRedis(options.server);
    await late.crash();
    const program = await start(settingsFor(late, { CACHE_STARTUP_TIMEOUT_MS: '0' }));
    expect((await program.get('/healthz')).status).toBe(200);
    expect(await program.get('/readyz')).toMatchObject({ status: 503, body: 'not ready\n' });
    expect(await program.get('/a@b')).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    await late.start();
    await program.ready();
    expect((await program.post({ email: 'a@b', name: 'n' })).status).toBe(200);
  });

  test('a password file is read again when it changes', async () => {
    const file = `${redis.caFile}.password`;
    await writeFile(file, 'not-yet-the-right-password\n');
    const { CACHE_PASSWORD: _, ...env } = settingsFor(redis, {
      CACHE_PASSWORD_FILE: file,
      CACHE_STARTUP_TIMEOUT_MS: '120000',
    });
    const program = new Program(env);
    open.push(program);
    await waitFor('a refusal', () => program.log().includes('WRONGPASS'), { detail: () => program.log() });
    await writeFile(file, `${APP.password}\n`);
    await waitFor('the program to listen', () => program.port > 0, { detail: () => program.log() });
    await program.ready();
    await redis.cli('ACL', 'LOG', 'RESET');
  });

  test('users-app 34: port 0 picks a free port, a port in use ends the program', async () => {
    const program = await start(settingsFor(redis));
    expect(program.port).toBeGreaterThan(1023);
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const port = String((other.address() as AddressInfo).port);
    const env = settingsFor(redis, { PORT: port, CACHE_STARTUP_TIMEOUT_MS: '60000' });
    await expectComplaint(env, new RegExp(`cannot listen on 127.0.0.1:${port}: EADDRINUSE`));
    await new Promise((resolve) => other.close(resolve));
  });

  test('users-app 22, 23: missing or wrong settings end the program before it opens a connection', async () => {
    const log = await expectComplaint({}, /env var missing/);
    for (const name of ['CACHE_CLUSTER_ENDPOINT', 'CACHE_USERNAME', 'CACHE_PASSWORD'])
      expect(log).toContain(`${name} env var missing`);
    const remote = { ...settingsFor(redis), CACHE_CLUSTER_ENDPOINT: 'redis.example:6379', CACHE_TLS: 'off' };
    await expectComplaint(remote, /CACHE_TLS=off is allowed with a loopback/);
  });

  test('a signal before the cache has answered ends the program immediately', async () => {
    const late = await startRedis(options.server);
    await late.crash();
    const program = new Program(settingsFor(late, { CACHE_STARTUP_TIMEOUT_MS: '600000' }));
    open.push(program);
    await waitFor('an attempt', () => program.log().includes('ECONNREFUSED'), { detail: () => program.log() });
    process.kill(program.pid, 'SIGTERM');
    expect(await program.ended()).toBe(0);
  });
});
