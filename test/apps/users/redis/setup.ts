/** Runs the users program as a process, with a real Redis. */
import { mkdtempSync } from 'node:fs';
import { request, type Agent, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueCertificate } from '../../../../dev/services/certificates';
import { KeptProcess } from '../../../../dev/services/kept-process';
import { ROOT } from '../../../../dev/services/paths';
import { whyNoRedis } from '../../../../dev/services/redis/program';
import type { RedisOptions, RedisServer } from '../../../../dev/services/redis/redis';
import { waitFor } from '../../../helpers/wait-for';

/** Skipped without redis-server; test/helpers/redis-setup.js reports it. */
export const describeRedis = whyNoRedis() === null ? describe : describe.skip;

export const APP = { name: 'app', password: 'a-pass!word#of$32%characters^&*(' };
/** The rights of the application. */
export const RULES =
  '~user:* resetchannels -@all +hset +hgetall +del +multi +exec +ping +hello +auth +cluster|slots +readonly';

/** A certificate for this machine's names, and the Redis users. (Default: the user above) */
export function redisOptions(
  users: readonly string[] = [`user ${APP.name} on >${APP.password} ${RULES}`],
): RedisOptions {
  const ca = issueCertificate({ name: 'Test CA', issuer: null });
  const server = issueCertificate({ name: 'redis', issuer: ca, hosts: ['localhost', '127.0.0.1'] });
  return { ca, server, users };
}

export function settingsFor(redis: RedisServer, changes: Record<string, string> = {}): Record<string, string> {
  return {
    CACHE_CLUSTER_ENDPOINT: `localhost:${redis.port}`,
    CACHE_USERNAME: APP.name,
    CACHE_PASSWORD: APP.password,
    CACHE_TLS_CA_FILE: redis.caFile,
    // Longer than pauses of a busy machine.
    CACHE_TIMEOUT_MS: '10000',
    CACHE_CONNECT_TIMEOUT_MS: '10000',
    HOST: '127.0.0.1',
    PORT: '0',
    ...changes,
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}
export interface Call {
  readonly body?: string | Buffer;
  readonly headers?: Record<string, string>;
  readonly agent?: Agent;
}

export class Program {
  private readonly process: KeptProcess;

  constructor(env: Record<string, string>) {
    this.process = new KeptProcess({
      command: process.execPath,
      args: ['-r', join(ROOT, 'dev', 'register.js'), join(ROOT, 'apps', 'users', 'src', 'main.ts')],
      folder: mkdtempSync(join(tmpdir(), 'millrace-users-')),
      signal: 'KILL',
      env: { PATH: process.env['PATH'], ...env },
    });
  }

  /** Resolves when the program listens. */
  static async start(env: Record<string, string>): Promise<Program> {
    const program = new Program({ CACHE_STARTUP_TIMEOUT_MS: '120000', ...env });
    try {
      await waitFor(
        'the program to listen',
        () => {
          if (program.exitCode !== undefined) throw new Error(`the program ended:\n${program.log()}`);
          return program.port > 0;
        },
        { detail: () => program.log() },
      );
      return program;
    } catch (error) {
      await program.stop();
      throw error;
    }
  }

  log(): string {
    return this.process.log();
  }

  lines(): Record<string, unknown>[] {
    return (
      this.log()
        .split('\n')
        // The last line may be incomplete.
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    );
  }

  /** Waits for a line and returns it: responses do not wait for their log lines. */
  async line(what: string, is: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
    return await waitFor(`${what} in the log`, () => this.lines().find(is), { detail: () => this.log().slice(-4000) });
  }

  get port(): number {
    const line = /^\{.*"msg":"listening"\}$/m.exec(this.log())?.[0];
    return line ? (JSON.parse(line) as { port: number }).port : 0;
  }

  get pid(): number {
    return this.process.pid as number;
  }

  get exitCode(): number | undefined {
    return this.process.exitCode;
  }

  /** Waits until the program exits by itself, and returns its exit code. */
  async ended(): Promise<number> {
    await waitFor('the program to end', () => this.exitCode !== undefined, { detail: () => this.log() });
    return this.exitCode as number;
  }

  async stop(): Promise<void> {
    await this.process.stop();
  }

  /** Sends a request with the path unchanged, on a new connection unless an agent is given. */
  async call(method: string, path: string, { body, headers = {}, agent }: Call = {}): Promise<Answer> {
    return await new Promise((resolve, reject) => {
      const req = request(
        { host: '127.0.0.1', port: this.port, method, path, headers, agent: agent ?? false },
        (res) => {
          const chunks: Buffer[] = [];
          res.on('data', (chunk: Buffer) => chunks.push(chunk));
          res.on('error', reject);
          res.on('end', () =>
            resolve({ status: res.statusCode as number, headers: res.headers, body: Buffer.concat(chunks).toString() }),
          );
        },
      );
      req.on('error', reject);
      req.end(body);
    });
  }

  async post(value: unknown, call: Call = {}): Promise<Answer> {
    const body = typeof value === 'string' || Buffer.isBuffer(value) ? value : JSON.stringify(value);
    return await this.call('POST', '/', { ...call, body });
  }

  async get(path: string, call: Call = {}): Promise<Answer> {
    return await this.call('GET', path, call);
  }

  /** Repeats a request until its response has this status. */
  async until(what: string, status: number, path: string): Promise<Answer> {
    return await waitFor(
      what,
      async () => {
        const answer = await this.get(path);
        return answer.status === status && answer;
      },
      { detail: () => this.log().slice(-4000) },
    );
  }

  /** Waits until the program is ready. After a pause of some seconds, it is not ready until the cache responds. */
  async ready(): Promise<Answer> {
    return await this.until('the program to be ready', 200, '/readyz');
  }
}
