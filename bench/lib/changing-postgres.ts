/**
 * A PostgreSQL server behind one address that may be another server later: a copy that is restored, or a standby that
 * is promoted. Like some poolers, the address drops the start-up parameter `options`.
 */
import { execFile } from 'node:child_process';
import { appendFile, chmod, chown, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { freePort } from '../../dev/services/free-port';
import { serve, settingsText, startPostgres, type OwnPostgres } from '../../dev/services/postgres';
import { reachablePostgresFolder } from '../../dev/services/postgres-binaries';
import { startStandby } from '../../dev/services/postgres-standby';
import { unprivilegedUser } from '../../src/cli/dev/postgres/unprivileged-user';

const run = promisify(execFile);
const PROTOCOL_3 = 196608;

interface Copy {
  readonly folder: string;
  readonly data: string;
}

export class ChangingPostgres {
  /** Address of whatever server it is now. */
  url = '';
  private readonly sockets = new Set<Socket>();
  private readonly listener = createServer((client) => this.relay(client));
  private copy: Copy | null = null;

  private constructor(
    private server: OwnPostgres,
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  static async start(settings: Readonly<Record<string, string>>): Promise<ChangingPostgres> {
    const postgres = new ChangingPostgres(await startPostgres({ settings }), settings);
    await new Promise<void>((resolve) => postgres.listener.listen(0, '127.0.0.1', resolve));
    const url = new URL(postgres.server.url);
    url.port = String((postgres.listener.address() as AddressInfo).port);
    postgres.url = url.href;
    return postgres;
  }

  /** Address of the current server without the relay, for what the run itself does. */
  get serverUrl(): string {
    return this.server.url;
  }

  async query<Row extends object>(sql: string): Promise<Row[]> {
    const client = new Client({ connectionString: this.serverUrl });
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Closes all connections. */
  disconnect(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Copies the data, slots included, to restore it later. Replaces an earlier copy. */
  async backUp(): Promise<void> {
    await this.forgetCopy();
    const folder = await mkdtemp(join(tmpdir(), 'millrace-copy-'));
    const data = join(folder, 'data');
    await mkdir(data, { mode: 0o700 });
    const client = new Client({ connectionString: this.server.url });
    await client.connect();
    try {
      const { rows } = await client.query<{ folder: string }>("SELECT current_setting('data_directory') AS folder");
      const from = (rows[0] as { folder: string }).folder;
      await client.query("SELECT pg_backup_start('copy', true)");
      const names = (await readdir(from)).filter((name) => !name.startsWith('postmaster.') && name !== 'pg_wal');
      // Files that vanish meanwhile are none that a backup needs.
      await run('cp', ['-a', ...names.map((name) => join(from, name)), data]).catch(() => undefined);
      const { rows: stopped } = await client.query<{ label: string }>(
        'SELECT labelfile AS label FROM pg_backup_stop(false)',
      );
      await run('cp', ['-a', join(from, 'pg_wal'), data]).catch(() => undefined);
      await writeFile(join(data, 'backup_label'), (stopped[0] as { label: string }).label);
    } finally {
      await client.end();
    }
    this.copy = { folder, data };
  }

  get hasCopy(): boolean {
    return this.copy !== null;
  }

  /** Replaces the server by the copy: the same system and timeline, with an earlier state. */
  async restore(): Promise<void> {
    const copy = this.copy as Copy;
    this.copy = null;
    const user = await unprivilegedUser();
    const port = await freePort();
    await appendFile(join(copy.data, 'postgresql.conf'), settingsText({ ...this.settings, port: String(port) }));
    await chmod(copy.folder, 0o755);
    if (user)
      for (const path of [copy.folder, ...['', 'backup_label'].map((name) => join(copy.data, name))])
        await chown(path, user.uid, user.gid);
    const programs = join(reachablePostgresFolder(user, join(copy.folder, 'native')), 'bin');
    await this.replaceBy(await serve({ ...copy, programs, port, user }));
  }

  /** Replaces the server by a standby that had not received the last changes; it has no logical slot. */
  async failOver(meanwhile: () => Promise<void>): Promise<void> {
    const standby = await startStandby(this.server, { ...this.settings, hot_standby: 'on' });
    const at = async (sql: string): Promise<void> => {
      const client = new Client({ connectionString: standby.url });
      await client.connect();
      await client.query(sql).finally(() => client.end());
    };
    await at('SELECT pg_wal_replay_pause()');
    await at("ALTER SYSTEM SET primary_conninfo = ''").then(() => at('SELECT pg_reload_conf()'));
    await meanwhile();
    await at('SELECT pg_promote(true, 60)');
    await at('ALTER SYSTEM RESET primary_conninfo');
    await this.replaceBy(standby);
  }

  async stop(): Promise<void> {
    this.listener.close();
    this.disconnect();
    await this.server.stop();
    await this.forgetCopy();
  }

  private async replaceBy(next: OwnPostgres): Promise<void> {
    const old = this.server;
    this.server = next;
    this.disconnect();
    await old.stop();
  }

  private async forgetCopy(): Promise<void> {
    if (this.copy) await rm(this.copy.folder, { recursive: true, force: true });
    this.copy = null;
  }

  private relay(client: Socket): void {
    const server = createConnection({ host: '127.0.0.1', port: Number(new URL(this.server.url).port), noDelay: true });
    const end = (): void => {
      client.destroy();
      server.destroy();
      this.sockets.delete(client);
      this.sockets.delete(server);
    };
    for (const socket of [client, server]) this.sockets.add(socket.on('error', end).on('close', end));
    const atStart = (message: Buffer): void => {
      server.write(withoutOptions(message));
      if (!isStartUp(message)) return;
      client.off('data', atStart);
      client.pipe(server);
    };
    client.on('data', atStart);
    server.pipe(client);
  }
}

/** Requests for TLS come before it. */
function isStartUp(message: Buffer): boolean {
  return message.readInt32BE(4) === PROTOCOL_3;
}

/** The start-up message of a client without its parameter `options`. */
function withoutOptions(message: Buffer): Buffer {
  if (!isStartUp(message)) return message;
  const words = message.subarray(8, -1).toString('utf8').split('\0').slice(0, -1);
  const kept = words.filter((_, at) => words[at - (at % 2)] !== 'options');
  const body = Buffer.from(`${kept.join('\0')}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(body.length + 8, 0);
  head.writeInt32BE(PROTOCOL_3, 4);
  return Buffer.concat([head, body]);
}
