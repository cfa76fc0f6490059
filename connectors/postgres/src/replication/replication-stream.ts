/** One START_REPLICATION: the socket, its queue, and the status messages that keep it alive. */
import { EventEmitter } from 'node:events';
import { settledWithin, startInterval } from '@millrace/sdk';
import type { Client } from 'pg';
import { LogicalReplicationService } from 'pg-logical-replication';
import { clientConfig } from '../database/connection';
import { errorCode, errorText } from '../database/errors';
import { quoteIdentifier, quoteLiteral } from '../database/identifiers';
import { formatLsn, lsn, type Lsn } from '../database/lsn';
import { connectionOf } from '../database/pg-internals';
import { replicationError } from '../database/pooler';
import { ensureSettings } from '../database/session-settings';
import type { PostgresConfig } from '../config/postgres-config';
import type { TlsAttempt } from '../database/tls';
import { decodingPlugin, streamOptions, type StreamOption } from './decoding-plugin';
import { COPY_DATA, MessageTap } from './message-tap';
import { leavesOutChanges, missingPublication } from './missing-object';
import { KEEPALIVE, statusUpdate } from './replication-messages';
import { SILENT_CHECKS, SilentPeer } from './silent-peer';

/** Code of the error with which a stream ends because nothing was received. */
export const SILENT = 'ETIMEDOUT';

interface ReplicationOptions {
  readonly config: PostgresConfig;
  readonly tls: TlsAttempt;
  /** Checks the server and the slot on the connection of the stream, and resolves with the position to start at. */
  start(client: Client): Promise<Lsn>;
  readonly serverVersion: number;
  /** `wal_sender_timeout`; status messages are sent well within it. 0 is off. */
  readonly walSenderTimeoutMs: number;
  /** The caller calls `released` of the tap. */
  readonly reusesMemory: boolean;
}

/** pg-logical-replication connects, starts and ends the stream; change messages are tapped from its socket. */
class TapPlugin {
  readonly options = {};
  tap: MessageTap<null> | null = null;
  client: Client | null = null;

  constructor(
    private readonly config: PostgresConfig,
    private readonly serverVersion: number,
    private readonly reusesMemory: boolean,
    private readonly check: (client: Client) => Promise<Lsn>,
    private readonly onTap: (tap: MessageTap<null>, client: Client) => void,
  ) {}

  get name(): string {
    return decodingPlugin(this.config).slotPlugin;
  }

  /** Not reached: the tap takes change messages before the library sees them. */
  parse(buffer: Buffer): Buffer {
    return buffer;
  }

  async start(client: Client, slotName: string): Promise<unknown> {
    const { queue } = this.config;
    await ensureSettings(client, 'Streaming');
    this.client = client;
    this.tap = new MessageTap<null>(client, COPY_DATA, queue, null, this.reusesMemory);
    this.onTap(this.tap, client);
    const { optional } = decodingPlugin(this.config);
    const { copyOf } = this.config.slot;
    // It ends with this connection.
    if (copyOf !== null)
      await client.query(
        `SELECT pg_copy_logical_replication_slot(${quoteLiteral(copyOf)}, ${quoteLiteral(slotName)}, true)`,
      );
    const start = formatLsn(await this.check(client));
    const query = async (options: readonly StreamOption[]): Promise<unknown> => {
      try {
        return await client.query(startReplication(slotName, start, options));
      } catch (error) {
        // The plugin checks them before it streams, so the connection is idle again.
        const named = options.filter((one) => optional.includes(one) && errorText(error).includes(`"${one[0]}"`));
        if (errorCode(error) !== '22023' || named.length === 0) throw await replicationError(client, error);
        return await query(options.filter((one) => !named.includes(one)));
      }
    };
    return await query(streamOptions(this.config, this.serverVersion));
  }
}

function startReplication(slotName: string, lsn: string, options: readonly StreamOption[]): string {
  const list = options.map(([name, value]) => `${quoteIdentifier(name)} ${quoteLiteral(value).trim()}`).join(', ');
  return `START_REPLICATION SLOT ${quoteIdentifier(slotName)} LOGICAL ${lsn}${list === '' ? '' : ` (${list})`}`;
}

interface StreamEvents {
  /** The stream has ended; null when `close` ended it. */
  end: [error: unknown];
}

export class ReplicationStream extends EventEmitter<StreamEvents> {
  private readonly service: LogicalReplicationService;
  private readonly plugin: TapPlugin;
  private timers: NodeJS.Timeout[] = [];
  private received: Lsn = 0;
  private flushed: Lsn = 0;
  private ended = false;
  /** Why it has ended. */
  private reason: unknown = null;
  private closing = false;

  private constructor(private readonly options: ReplicationOptions) {
    super();
    const { config, tls } = options;
    this.service = new LogicalReplicationService(clientConfig(config.connection, 'Streaming', tls), {
      // The timer of the library would confirm received positions, not those stored in Kafka.
      acknowledge: { auto: false, timeoutSeconds: 0 },
    });
    const check = async (client: Client): Promise<Lsn> => (this.received = await options.start(client));
    this.plugin = new TapPlugin(config, options.serverVersion, options.reusesMemory, check, (tap, client) => {
      tap.onMessage = this.onMessage;
      client.on('notice', (notice) => {
        if (!leavesOutChanges(notice)) return;
        this.finish(missingPublication(config, notice.message ?? 'A notice of the server', notice));
        // No position after the changes that were left out may be confirmed.
        tap.discard();
      });
    });
  }

  /** Resolves once the server streams. Throws errors of the server and the network. */
  static async open(options: ReplicationOptions): Promise<ReplicationStream> {
    const stream = new ReplicationStream(options);
    try {
      await stream.start();
      return stream;
    } catch (error) {
      await stream.close();
      throw error;
    }
  }

  get tap(): MessageTap<null> {
    return this.plugin.tap as MessageTap<null>;
  }
  /** Position that the server reported last. */
  get serverLsn(): Lsn {
    return this.received;
  }
  get isOpen(): boolean {
    return !this.ended;
  }
  /** Why the server or the network has ended it; null: it is open, or `close` ended it. */
  get failure(): unknown {
    return this.reason;
  }

  /** Confirms `position`: everything before it is in Kafka with its offset stored, so the server may remove it. */
  acknowledge(position: Lsn): void {
    if (position <= this.flushed) return;
    this.flushed = position;
    this.sendStatus(false);
  }

  /** @param replyNow requests a keepalive, which carries the position of the server */
  sendStatus(replyNow: boolean): void {
    const { client } = this.plugin;
    if (this.ended || client === null) return;
    const written = this.received > this.flushed ? this.received : this.flushed;
    const message = statusUpdate(written, this.flushed, Date.now(), replyNow);
    connectionOf(client).sendCopyFromChunk(message);
  }

  /**
   * Terminates the session, so that the slot is free when this resolves. Waits at most a second for the server.
   */
  async close(): Promise<void> {
    if (this.closing) return;
    this.closing = true;
    this.sendStatus(false);
    this.stopTimers();
    this.plugin.tap?.discard();
    const { client } = this.plugin;
    const connection = client === null ? null : connectionOf(client);
    if (connection !== null && !this.ended) {
      // pg would destroy the socket because a query (the stream) is running, and the server would notice late.
      const closed = new Promise<void>((resolve) => connection.stream.once('close', resolve));
      connection.end();
      await settledWithin(closed, 1000, undefined);
    }
    await settledWithin(this.service.destroy().then(noop, noop), 1000, undefined);
    connection?.stream.destroy();
    this.finish(null);
  }

  private async start(): Promise<void> {
    const { config } = this.options;
    await new Promise<void>((resolve, reject) => {
      this.service.once('start', resolve);
      this.service.on('error', (error: unknown) => {
        reject(error);
        this.finish(error);
      });
      this.service.subscribe(this.plugin, config.slot.name).then(
        () => {
          const error = new Error('Connection terminated: the server ended the replication stream');
          reject(error);
          this.finish(error);
        },
        (error: unknown) => {
          reject(error);
          this.finish(error);
        },
      );
    });
    // Before anybody listens to its end.
    if (this.ended) throw this.reason;
    // A separate timer, because status updates must continue while the queue is full and the socket is paused.
    const { walSenderTimeoutMs } = this.options;
    const limit = walSenderTimeoutMs > 0 ? Math.max(100, Math.floor(walSenderTimeoutMs / 3)) : Infinity;
    const status = startInterval(() => this.sendStatus(false), Math.min(config.slot.statusIntervalMs, limit));
    this.timers.push(status.unref());
    this.sendStatus(false);
    this.watchPeer(config.slot.receiveTimeoutMs);
  }

  /** Without it, a server that is gone without a word goes unnoticed: status messages wait in the socket's buffer. */
  private watchPeer(timeoutMs: number): void {
    const { client } = this.plugin;
    if (timeoutMs === 0 || client === null || this.ended) return;
    const { stream } = connectionOf(client);
    const peer = new SilentPeer({
      get received() {
        return stream.bytesRead;
      },
      get paused() {
        return stream.isPaused();
      },
      ask: () => this.sendStatus(true),
      lost: () => {
        const error = new Error(`Connection terminated: the server has sent nothing for ${timeoutMs} ms`);
        this.finish(Object.assign(error, { code: SILENT }));
        stream.destroy();
      },
    });
    this.timers.push(startInterval(() => peer.check(), Math.ceil(timeoutMs / SILENT_CHECKS)).unref());
  }

  private readonly onMessage = (buffer: Buffer, at: number): void => {
    if (buffer[at] !== KEEPALIVE) return;
    this.received = lsn(buffer.readUInt32BE(at + 1), buffer.readUInt32BE(at + 5));
    if (buffer[at + 17] !== 0) this.sendStatus(false);
  };

  private finish(error: unknown): void {
    if (this.ended) return;
    this.ended = true;
    this.reason = error;
    this.stopTimers();
    this.emit('end', error);
  }

  private stopTimers(): void {
    for (const timer of this.timers.splice(0)) clearInterval(timer);
  }
}

const noop = (): void => undefined;
