/**
 * Runs Redis for a test run or a demo: a server on loopback with TLS and users. Removes its files at the end.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { remove } from 'fs-extra';
import type { Identity } from '../certificates';
import { freePorts } from '../free-port';
import type { KeptProcess } from '../kept-process';
import { Restartable } from '../restartable';
import { waitFor } from '../wait-for';
import { whyNoRedis } from './program';

const run = promisify(execFile);

/** Relative to the server's folder, since the full path may exceed the limit for a Unix socket. */
const SOCKET = 'admin.sock';
const ADMIN = { name: 'admin', password: 'admin-of-a-throw-away-server' };

export interface RedisOptions {
  /** The CA that signed the server's certificate. */
  readonly ca: Identity;
  readonly server: Identity;
  /**
   * Lines of an ACL file, e.g. `user app on >secret ~* +@all`. The default user is disabled; `cli` uses a separate
   * user.
   */
  readonly users?: readonly string[];
  /** Whether the server can join a cluster. (Default: false) */
  readonly isClusterNode?: boolean;
}

export class RedisServer {
  private readonly process: Restartable;

  private constructor(
    /** The TLS port. There is no plain TCP port. */
    readonly port: number,
    private readonly busPort: number,
    private readonly folder: string,
    private readonly options: RedisOptions,
  ) {
    const server = { command: 'redis-server', args: this.args(), folder, signal: 'KILL' } as const;
    this.process = new Restartable(server, (started) => this.untilItAnswers(started));
  }

  /** Resolves when the server accepts commands. */
  static async start(options: RedisOptions): Promise<RedisServer> {
    const missing = whyNoRedis();
    if (missing) throw new Error(missing);
    for (let attempt = 1; ; attempt++) {
      const [port, busPort] = (await freePorts(2)) as [number, number];
      const server = new RedisServer(port, busPort, await mkdtemp(join(tmpdir(), 'millrace-redis-')), options);
      try {
        await server.writeFiles();
        await server.start();
        return server;
      } catch (error) {
        await server.close();
        // Another process may have taken the port in the meantime.
        if (attempt === 3 || !/Address already in use/.test(String(error))) throw error;
      }
    }
  }

  /** CA file for clients. */
  get caFile(): string {
    return join(this.folder, 'ca.crt');
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  /** Restarts the server after `crash`, on the same port. It keeps its cluster config and no data. */
  async start(): Promise<void> {
    await this.process.start();
  }

  /** Kills the process with SIGKILL. */
  async crash(): Promise<void> {
    await this.process.crash();
  }

  /** Stops the server and removes its files. */
  async close(): Promise<void> {
    await this.process.stop();
    await remove(this.folder);
  }

  private async untilItAnswers(server: KeptProcess): Promise<void> {
    await waitFor(
      'Redis to start',
      async () => {
        if (server.exitCode !== undefined) throw new Error(`Redis did not start:\n${server.log().slice(-4000)}`);
        return (await this.cli('PING').catch(() => '')) === 'PONG';
      },
      { detail: () => server.log().slice(-4000) },
    );
  }

  /** Runs a redis-cli command as an administrator and resolves with its output. Rejects if the command fails. */
  async cli(...command: string[]): Promise<string> {
    // Through the Unix socket, which works with any certificate.
    const args = ['-e', '-s', SOCKET, '--user', ADMIN.name, ...command];
    const { stdout } = await run('redis-cli', args, {
      cwd: this.folder,
      env: { ...process.env, REDISCLI_AUTH: ADMIN.password },
    }).catch((error: Error & { stderr?: string; stdout?: string }) => {
      throw new Error(`redis-cli ${command.join(' ')}: ${(error.stderr || error.stdout || error.message).trim()}`, {
        cause: error,
      });
    });
    return stdout.trim();
  }

  private async writeFiles(): Promise<void> {
    const { ca, server, users = [] } = this.options;
    const admin = `user ${ADMIN.name} on >${ADMIN.password} ~* &* +@all`;
    const files = {
      'ca.crt': ca.cert,
      'server.crt': server.cert,
      'server.key': server.key,
      'users.acl': ['user default off', admin, ...users].map((line) => `${line}\n`).join(''),
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(this.folder, name), text, { mode: 0o600 });
  }

  private args(): string[] {
    const at = (name: string): string => join(this.folder, name);
    const settings: Record<string, string> = {
      port: '0',
      'tls-port': String(this.port),
      unixsocket: SOCKET,
      unixsocketperm: '700',
      bind: '127.0.0.1',
      dir: this.folder,
      'tls-cert-file': at('server.crt'),
      'tls-key-file': at('server.key'),
      'tls-ca-cert-file': at('ca.crt'),
      'tls-auth-clients': 'no',
      aclfile: at('users.acl'),
      save: '',
      'enable-debug-command': 'yes',
      ...(this.options.isClusterNode
        ? {
            'cluster-enabled': 'yes',
            'cluster-port': String(this.busPort),
            // Half of it without a response closes a connection, all of it cancels the meeting of a node. Generous for
            // busy machines.
            'cluster-node-timeout': '15000',
            'tls-cluster': 'yes',
            'tls-replication': 'yes',
            masteruser: ADMIN.name,
            masterauth: ADMIN.password,
          }
        : {}),
    };
    return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  }
}
