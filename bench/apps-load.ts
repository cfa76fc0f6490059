/**
 * Load test of the two programs in apps/, compared with a bare `node:http` server that returns the same bytes: ratio of
 * requests per second, p99, errors, memory at the end. `npm run bench -- apps-load [SECONDS]`
 * (Default: 60 for each)
 */
import autocannon, { type Options, type Result } from 'autocannon';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sign } from '../apps/slash-image/src/function/signature';
import { issueCertificate } from '../dev/services/certificates';
import { freePort } from '../dev/services/free-port';
import { KeptProcess } from '../dev/services/kept-process';
import { ROOT } from '../dev/services/paths';
import { RedisServer } from '../dev/services/redis/redis';
import { waitFor } from '../dev/services/wait-for';
import { benchmark, figure, heading, whole } from './lib/report';
import { cpuSeconds, residentMegabytes } from './lib/usage';

const SECONDS = Number(process.argv[2] ?? 60);
const CONNECTIONS = 50;
const SECRET = 'bench-signing-secret';
const PASSWORD = 'bench-password-of-redis';
const USER = JSON.stringify({ email: 'user1@foo.com', name: 'user1' });

const BARE = `require('node:http').createServer((req, res) => {
  req.resume();
  req.on('end', () => res.setHeader('Content-Type', 'text/plain; charset=utf-8').end(${JSON.stringify(`${USER}\n`)}));
}).listen(Number(process.env.PORT), '127.0.0.1', () => console.log('"listening"'))`;
const STUB = `require('./dev/services/image-api').startImageApi().then((api) => console.log('"listening" ' + api.url))`;

benchmark(async (atEnd) => {
  async function start(
    args: string[],
    env: Record<string, string> = {},
  ): Promise<{ port: number; program: KeptProcess }> {
    const port = await freePort();
    const program = new KeptProcess({
      command: '/bin/sh',
      args: ['-c', `cd ${ROOT} && exec "$@"`, 'sh', process.execPath, ...args],
      folder: mkdtempSync(join(tmpdir(), 'millrace-bench-')),
      signal: 'TERM',
      env: { PATH: process.env['PATH'], PORT: String(port), HOST: '127.0.0.1', ...env },
    });
    atEnd(() => program.stop());
    await waitFor('a program to listen', () => program.log().includes('"listening"'), { detail: () => program.log() });
    return { port, program };
  }

  const ca = issueCertificate({ name: 'Bench CA', issuer: null });
  const server = issueCertificate({ name: 'redis', issuer: ca, hosts: ['localhost', '127.0.0.1'] });
  const redis = await RedisServer.start({ ca, server, users: [`user app on >${PASSWORD} ~user:* +@all`] });
  atEnd(() => redis.close());
  const stub = await start(['-r', './dev/register.js', '-e', STUB]);
  const bare = await start(['-e', BARE]);
  const users = await start(['apps/users/dist/main.js'], {
    CACHE_CLUSTER_ENDPOINT: `localhost:${redis.port}`,
    CACHE_USERNAME: 'app',
    CACHE_PASSWORD: PASSWORD,
    CACHE_TLS_CA_FILE: redis.caFile,
  });
  const slash = await start(['apps/slash-image/dist/adapter/main.js'], {
    CHAT_SIGNING_SECRET: SECRET,
    IMAGE_API_KEY: 'bench-key',
    IMAGE_API_URL: /"listening" (\S+)/.exec(stub.program.log())?.[1] as string,
  });

  const usersLoad: Partial<Options> = {
    requests: [
      { method: 'POST', path: '/', body: USER },
      { method: 'GET', path: '/user1@foo.com' },
    ],
  };
  const form = new URLSearchParams({ command: '/awsome', text: 'cat' }).toString();
  const timestamp = String(Math.floor(Date.now() / 1000) + SECONDS * 2);
  const slashLoad: Partial<Options> = {
    method: 'POST',
    body: form,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': sign(SECRET, timestamp, Buffer.from(form)),
    },
  };

  async function measure(
    name: string,
    at: { port: number; program: KeptProcess },
    load: Partial<Options>,
    base?: Result,
  ) {
    heading(`${name}, ${SECONDS} s, ${CONNECTIONS} connections`);
    const url = `http://127.0.0.1:${at.port}`;
    const pid = at.program.pid as number;
    const before = cpuSeconds(pid);
    const result = await autocannon({ url, connections: CONNECTIONS, duration: SECONDS, ...load });
    const cpu = cpuSeconds(pid) - before;
    figure('requests a second', whole(result.requests.average));
    if (base)
      figure('of the bare server’s', `${((100 * result.requests.average) / base.requests.average).toFixed(0)} %`);
    figure('p50, p99', `${result.latency.p50} ms, ${result.latency.p99} ms`);
    figure('non-2xx responses, errors, timeouts', `${result.non2xx}, ${result.errors}, ${result.timeouts}`, '0');
    // More reliable than the ratio on a shared machine.
    figure('its CPU time for a request', `${whole((cpu * 1e6) / result.requests.total)} µs`);
    figure('memory at the end', `${whole(residentMegabytes(pid))} MiB`);
    return result;
  }
  const bareForUsers = await measure('node:http with the load of users', bare, usersLoad);
  await measure('apps/users: POST and GET in turn, Redis with TLS', users, usersLoad, bareForUsers);
  const bareForSlash = await measure('node:http with the load of slash-image', bare, slashLoad);
  await measure('apps/slash-image: signed commands, image API beside it', slash, slashLoad, bareForSlash);
});
