/**
 * A PostgreSQL server behind one address that may be another server later: a copy that is restored, or a standby that
 * is promoted. Like some poolers, the address drops the start-up parameter `options`.
 */
import { createConnection, createServer, type AddressInfo, type Socket } from 'node:net';
import { Client } from 'pg';
import { startPostgres, type OwnPostgres } from '../../dev/services/postgres';
import { copyPostgres, type PostgresCopy } from '../../dev/services/postgres-copy';
import { startStandby } from '../../dev/services/postgres-standby';

const PROTOCOL_3 = 196608;

export class ChangingPostgres {
  /** Address of whatever server it is now. */
  url = '';
  private readonly sockets = new Set<Socket>();
  private readonly listener = createServer((client) => this.relay(client));
  private copy: PostgresCopy | null = null;

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

  /** Copies the data, slots included, to restore it later. */
  async backUp(): Promise<void> {
    await this.copy?.discard();
    this.copy = await copyPostgres(this.server);
  }

  /** Replaces the server by the copy: the same system and timeline, with an earlier state. */
  async restore(): Promise<void> {
    const copy = this.copy as PostgresCopy;
    this.copy = null;
    await this.replaceBy(await copy.start());
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
    await this.copy?.discard();
  }

  private async replaceBy(next: OwnPostgres): Promise<void> {
    const old = this.server;
    this.server = next;
    this.disconnect();
    await old.stop();
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
