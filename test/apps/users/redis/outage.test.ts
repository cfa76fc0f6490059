/** Requests while Redis is down, slow, or failing over. */
import { connect } from 'node:net';
import { Agent } from 'node:http';
import { startRedisCluster } from '../../../../dev/services/redis/cluster';
import { RedisServer } from '../../../../dev/services/redis/redis';
import { waitFor } from '../../../helpers/wait-for';
import { APP, describeRedis, Program, redisOptions, settingsFor, type Answer } from './setup';

const UNAVAILABLE = { status: 503, body: 'service unavailable\n', headers: { 'retry-after': '1' } };

/** Issuing certificates takes long. */
const options = redisOptions();
let redis: RedisServer;
let program: Program;

const ready = (): Promise<Answer> => program.ready();

describeRedis('one server', () => {
  beforeEach(async () => {
    redis = await RedisServer.start(options);
    program = await Program.start(settingsFor(redis));
  });
  afterEach(async () => {
    await program?.stop();
    await redis?.close();
  });

  test('users-app 25: a server that is down is 503 at once, and used again when it is back', async () => {
    await redis.crash();
    expect(await program.get('/a@b')).toMatchObject(UNAVAILABLE);
    expect(await program.post({ email: 'a@b', name: 'n' })).toMatchObject(UNAVAILABLE);
    await program.until('the program not to be ready', 503, '/readyz');
    expect((await program.get('/healthz')).status).toBe(200);
    await redis.start();
    await ready();
    expect((await program.post({ email: 'a@b', name: 'n' })).status).toBe(200);
    await program.line('the end of it', ({ msg }) => msg === 'the cache is responding again');
    const printed = program.lines().filter(({ msg }) => String(msg).startsWith('the cache'));
    expect(printed.at(-1)).toMatchObject({ level: 'info', msg: 'the cache is responding again' });
    // Each cause is logged once.
    const causes = printed.filter(({ level }) => level === 'warn').map(({ cause }) => cause);
    expect(new Set(causes).size).toBe(causes.length);
  });

  test('users-app 26: every request in flight when the server is killed is answered', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 200 });
    const calls = Array.from({ length: 200 }, (_, i) => program.post({ email: `u${i}@b`, name: 'n' }, { agent }));
    const done = Promise.all(calls);
    await Promise.race(calls);
    await redis.crash();
    const statuses = (await done).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    const more = await Promise.all(calls.map((_, i) => program.get(`/u${i}@b`, { agent })));
    expect(new Set(more.map(({ status }) => status))).toEqual(new Set([503]));
    agent.destroy();
  });

  /** The command timeout must expire in these tests. */
  async function restartImpatient(): Promise<void> {
    await program.stop();
    program = await Program.start(settingsFor(redis, { CACHE_TIMEOUT_MS: '2000' }));
  }

  const stores = (user: unknown): Promise<unknown> =>
    waitFor('a user to be stored', async () => (await program.post(user)).status === 200);

  test('a server that hangs is 503 within the command timeout, and nothing piles up', async () => {
    await restartImpatient();
    process.kill(redis.pid as number, 'SIGSTOP');
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => program.get(`/u${i}@b`)));
    for (const answer of answers) expect(answer).toMatchObject(UNAVAILABLE);
    await program.until('the program not to be ready', 503, '/readyz');
    process.kill(redis.pid as number, 'SIGCONT');
    await ready();
    await stores({ email: 'a@b', name: 'n' });
  });

  test('a server that delays writes is 503 within the command timeout, and used again afterwards', async () => {
    await restartImpatient();
    await redis.cli('CLIENT', 'PAUSE', '60000', 'WRITE');
    expect(await program.post({ email: 'a@b', name: 'n' })).toMatchObject(UNAVAILABLE);
    await redis.cli('CLIENT', 'UNPAUSE');
    await ready();
    // The first write may or may not be applied.
    await stores({ email: 'b@b', name: 'n' });
    await program.until('the user', 200, '/b@b');
  });

  test('users-app 29: a user that is disabled and enabled again', async () => {
    await redis.cli('ACL', 'SETUSER', APP.name, 'off');
    await redis.cli('CLIENT', 'KILL', 'USER', APP.name);
    await program.until('the program not to be ready', 503, '/readyz');
    expect([500, 503]).toContain((await program.get('/a@b')).status);
    await redis.cli('ACL', 'SETUSER', APP.name, 'on');
    await ready();
    expect((await program.get('/a@b')).status).toBe(404);
  });

  test('users-app 29: a user without read permission: 500 and not ready, and the log names the permission; ready again once it is granted', async () => {
    await redis.cli('ACL', 'SETUSER', APP.name, '-hgetall', '-hset');
    expect((await program.get('/a@b')).status).toBe(500);
    expect(await program.until('the program not to be ready', 503, '/readyz')).toMatchObject({ body: 'not ready\n' });
    expect((await program.get('/healthz')).status).toBe(200);
    const line = await program.line('the reason', ({ msg }) => msg === 'the cache denies reading users');
    expect(line).toMatchObject({ level: 'error', cause: expect.stringMatching(/^NOPERM .*hgetall.* \[.*README/) });
    await redis.cli('ACL', 'SETUSER', APP.name, '+hgetall', '+hset');
    await ready();
    expect((await program.get('/a@b')).status).toBe(404);
    await program.line('the end of it', ({ msg }) => msg === 'the cache allows reading users again');
    // Logged once, although it was checked repeatedly.
    expect(program.lines().filter(({ msg }) => msg === 'the cache denies reading users')).toHaveLength(1);
  });

  test('a user without read permission at startup: the program serves, and is not ready', async () => {
    await program.stop();
    await redis.cli('ACL', 'SETUSER', APP.name, 'resetkeys');
    program = await Program.start(settingsFor(redis));
    await program.line('the reason', ({ msg }) => msg === 'the cache denies reading users');
    expect((await program.get('/readyz')).status).toBe(503);
    await redis.cli('ACL', 'SETUSER', APP.name, '~user:*');
    await ready();
  });

  /** A post that waits at the server until the test releases it. */
  async function postThatWaits(): Promise<{ answer: Promise<Answer> }> {
    await program.stop();
    program = await Program.start(settingsFor(redis, { CACHE_TIMEOUT_MS: '60000' }));
    await redis.cli('CLIENT', 'PAUSE', '600000', 'WRITE');
    const answer = program.post({ email: 'a@b', name: 'n' });
    answer.catch(() => undefined);
    await waitFor('the server to hold the request', async () =>
      (await redis.cli('INFO', 'clients')).includes('blocked_clients:1'),
    );
    return { answer };
  }

  test('users-app 32: a request in flight at shutdown gets its answer', async () => {
    const { answer } = await postThatWaits();
    const idle = connect(program.port, '127.0.0.1');
    await new Promise((resolve) => idle.once('connect', resolve));
    process.kill(program.pid, 'SIGTERM');
    await waitFor('the program to hear it', () => program.log().includes('"stopping"'));
    await expect(program.call('GET', '/healthz')).rejects.toThrow(/ECONNREFUSED|ECONNRESET|socket hang up/);
    await redis.cli('CLIENT', 'UNPAUSE');
    expect(await answer).toMatchObject({ status: 200, headers: { 'content-length': '0' } });
    idle.destroy();
    expect(await program.ended()).toBe(0);
    expect(program.lines().at(-1)).toMatchObject({ msg: 'stopped' });
    expect(await redis.cli('HGET', 'user:a@b', 'name')).toBe('n');
  });

  test('a second signal ends the program immediately', async () => {
    const { answer } = await postThatWaits();
    process.kill(program.pid, 'SIGINT');
    await waitFor('the program to hear it', () => program.log().includes('"stopping"'));
    process.kill(program.pid, 'SIGINT');
    expect(await program.ended()).toBe(1);
    await expect(answer).rejects.toThrow(/ECONNRESET|socket hang up/);
  });
});

describeRedis('a cluster', () => {
  test('users-app 27: a failover costs a few answers and no record; a failed node costs only its own slots until it is back', async () => {
    const cluster = await startRedisCluster(options);
    const [first, second] = cluster.primaries;
    program = await Program.start(settingsFor(first));
    try {
      const agent = new Agent({ keepAlive: true, maxSockets: 4 });
      const statuses = new Set<number>();
      const stored: string[] = [];
      let isOver = false;
      const load = Promise.all(
        Array.from({ length: 4 }, async (_, worker) => {
          for (let i = 0; !isOver; i++) {
            const email = `u${worker}-${i}@b`;
            const { status } = await program.post({ email, name: email }, { agent });
            statuses.add(status);
            if (status === 200) stored.push(email);
          }
        }),
      );
      await waitFor('some requests', () => stored.length > 50);
      let asked = -Infinity;
      await waitFor('the replica to be a primary', async () => {
        if ((await cluster.replica.cli('ROLE')).startsWith('master')) return true;
        // Redis cancels a failover after 5 s, which a busy machine may exceed.
        if (performance.now() - asked > 6_000) {
          asked = performance.now();
          await cluster.replica.cli('CLUSTER', 'FAILOVER');
        }
        return false;
      });
      const after = stored.length;
      await waitFor('requests to succeed after the failover', () => stored.length > after + 200);
      isOver = true;
      await load;
      expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
      for (const email of stored.slice(-300)) {
        const { body } = await program.get(`/${email}`, { agent });
        expect(body).toBe(`{"email":"${email}","name":"${email}"}\n`);
      }
      await ready();

      await second.crash();
      await program.until('the program not to be ready', 503, '/readyz');
      const answers = await Promise.all(stored.slice(-40).map((email) => program.get(`/${email}`, { agent })));
      expect(new Set(answers.map(({ status }) => status)).has(503)).toBe(true);
      expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
      await second.start();
      // A restarted node waits before it accepts writes again.
      for (const node of [...cluster.primaries, cluster.replica])
        await waitFor('the cluster to be whole', async () =>
          (await node.cli('CLUSTER', 'INFO')).includes('cluster_state:ok'),
        );
      await ready();
      agent.destroy();
      for (let i = 0; i < 20; i++) expect((await program.post({ email: `b${i}@c`, name: 'n' })).status).toBe(200);
    } finally {
      await program.stop();
      await cluster.close();
    }
  });
});
