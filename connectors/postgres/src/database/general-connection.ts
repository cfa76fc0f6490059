/** The connection for catalog queries, heartbeats and slots. Reopened after it was lost. */
import { isConnectError } from '@millrace/sdk';
import type { Client } from 'pg';
import type { ConnectionConfig } from '../config/postgres-config';
import type { TlsAttempt } from './tls';
import { closeConnection, openConnection } from './connection';
import type { Reachability } from './reachability';
import type { Role } from './session-settings';

export class GeneralConnection {
  private client: Client | null = null;
  private opening: Promise<Client> | null = null;
  private closed = false;
  /** How the last connection was encrypted. */
  tls: TlsAttempt = false;
  /** Called when the server or the network ended the connection. */
  onLost: ((error: unknown) => void) | null = null;
  /** Called when another connection could not be opened, with what the server or the network answered. */
  onRefused: ((cause: unknown) => void) | null = null;

  constructor(
    private readonly config: ConnectionConfig,
    private readonly role: Role = 'General',
    /** How long a statement may wait for a lock, in milliseconds; 0: without a limit. */
    private readonly lockTimeoutMs = 0,
    /** Is told whether the server can be reached. (Default: nothing is) */
    private readonly reach: Pick<Reachability, 'up' | 'down'> | null = null,
  ) {}

  /** Throws ConnectError when the server cannot be reached. */
  async get(): Promise<Client> {
    if (this.client !== null) return this.client;
    // Several callers may ask while there is no connection: the slot's state is read at any time.
    this.opening ??= this.open().finally(() => (this.opening = null));
    return await this.opening;
  }

  private async open(): Promise<Client> {
    const opened = await openConnection(this.config, this.role).catch((error: unknown) => {
      if (!this.closed) {
        this.reach?.down('queries', 'The server cannot be reached', error);
        this.onRefused?.(isConnectError(error) ? error.cause : error);
      }
      throw error;
    });
    this.reach?.up('queries');
    const client = oneAtATime(opened.client);
    if (this.closed) {
      await closeConnection(client);
      throw new Error('Connection terminated: the task is stopping');
    }
    this.tls = opened.tls;
    this.client = client;
    const lost = (error: unknown): void => {
      if (this.client !== client) return;
      this.client = null;
      if (!this.closed) this.onLost?.(error);
    };
    client.on('error', lost);
    client.on('end', () => lost(new Error('Connection terminated')));
    if (this.config.queryTimeoutMs > 0) await client.query(`SET statement_timeout = ${this.config.queryTimeoutMs}`);
    if (this.lockTimeoutMs > 0) await client.query(`SET lock_timeout = ${lockTimeout(this.lockTimeoutMs)}`);
    return client;
  }

  /**
   * Makes `get` open another connection. Call after a query failed because the connection was lost: its query fails
   * before the connection has ended.
   */
  async discard(client: Client): Promise<void> {
    if (this.client === client) this.client = null;
    await closeConnection(client);
  }

  /** Makes `get` open another connection: the server may be gone, and then a query of this one would never end. */
  async renew(): Promise<void> {
    if (this.client !== null) await this.discard(this.client);
  }

  async close(): Promise<void> {
    this.closed = true;
    const { client } = this;
    this.client = null;
    await closeConnection(client);
  }
}

/** Lets each query wait for the one before it, as several users of a connection need. `pg` deprecates its own queue. */
function oneAtATime(client: Client): Client {
  const query = client.query.bind(client) as (...args: readonly unknown[]) => Promise<unknown>;
  let last: Promise<unknown> = Promise.resolve();
  const next = (...args: readonly unknown[]): Promise<unknown> => {
    const result = last.then(() => query(...args));
    last = result.catch(() => undefined);
    return result;
  };
  return Object.assign(client, { query: next });
}

/** The largest that the server accepts. */
const MAX_LOCK_TIMEOUT_MS = 2 ** 31 - 1;

/** Value of `lock_timeout`. */
export function lockTimeout(ms: number): number {
  return Math.min(ms, MAX_LOCK_TIMEOUT_MS);
}
