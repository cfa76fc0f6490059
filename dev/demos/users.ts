/**
 * `npm run demo:users`: runs the users application with a Redis server that has TLS, a restricted user and generated
 * certificates. Removes everything at the end, but installs redis-server if it is missing and the user is root.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueCertificate } from '../services/certificates';
import { freePort } from '../services/free-port';
import { KeptProcess } from '../services/kept-process';
import { ROOT } from '../services/paths';
import { installRedis } from '../services/redis/program';
import { RedisServer } from '../services/redis/redis';
import { waitFor } from '../services/wait-for';
import { cleanUp, runDemo, say } from './run-demo';

const RULES =
  '~user:* resetchannels -@all +hset +hgetall +del +multi +exec +ping +hello +auth +cluster|slots +readonly';

async function demo(): Promise<void> {
  const missing = installRedis();
  if (missing) throw new Error(missing);
  const password = randomBytes(16).toString('hex');
  const ca = issueCertificate({ name: 'Demo CA', issuer: null });
  const server = issueCertificate({ name: 'redis', issuer: ca, hosts: ['localhost', '127.0.0.1'] });
  const redis = await RedisServer.start({ ca, server, users: [`user app on >${password} ${RULES}`] });
  cleanUp.push(() => redis.close());
  say(`Redis with TLS on port ${redis.port}; its user app is restricted to:\n  ${RULES}`);

  const port = await freePort();
  const program = new KeptProcess({
    command: process.execPath,
    args: [join(ROOT, 'apps', 'users', 'dist', 'main.js')],
    folder: mkdtempSync(join(tmpdir(), 'millrace-users-')),
    signal: 'TERM',
    env: {
      CACHE_CLUSTER_ENDPOINT: `localhost:${redis.port}`,
      CACHE_USERNAME: 'app',
      CACHE_PASSWORD: password,
      CACHE_TLS_CA_FILE: redis.caFile,
      PORT: String(port),
    },
  });
  cleanUp.push(() => program.stop());
  await waitFor('the program to listen', () => program.log().includes('"listening"'), { detail: () => program.log() });
  const url = `http://127.0.0.1:${port}`;

  async function call(title: string, expected: number, path: string, body?: string): Promise<void> {
    const response = await fetch(url + path, body === undefined ? {} : { method: 'POST', body });
    const text = await response.text();
    say(`\n${title}\n  curl ${body === undefined ? '' : `-X POST -d '${body}' `}${url}${path}`);
    const retry = response.headers.get('retry-after');
    say(`  → ${response.status}${retry ? `, Retry-After: ${retry}` : ''}${text && `  ${text.trim()}`}`);
    if (response.status !== expected) throw new Error(`expected ${expected}`);
  }
  const ready = (status: number): Promise<unknown> =>
    waitFor(`GET /readyz to be ${status}`, async () => (await fetch(`${url}/readyz`)).status === status);

  await call('A user:', 200, '/', '{"email":"user1@foo.com","name":"user1"}');
  await call('Reading it:', 200, '/user1@foo.com');
  await call('An unknown user:', 404, '/none@b.com');
  await call('A user without a name:', 400, '/', '{"email":"user2@foo.com"}');
  say(`\nIn Redis:\n${(await redis.cli('HGETALL', 'user:user1@foo.com')).replace(/^/gm, '  ')}`);
  await redis.crash();
  await call('Redis is killed:', 503, '/user1@foo.com');
  await ready(503);
  await redis.start();
  await ready(200);
  await call('Redis is back, without data:', 404, '/user1@foo.com');
  process.kill(program.pid as number, 'SIGTERM');
  await waitFor('the program to exit', () => program.exitCode !== undefined);
  say(
    `\nIt exited after SIGTERM with code ${program.exitCode}. Its log:\n${program.log().trim().replace(/^/gm, '  ')}`,
  );
}

runDemo(demo);
