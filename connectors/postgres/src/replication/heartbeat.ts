/**
 * Heartbeat records (cdc-postgres §5.9). They also carry the position of an idle server, so that the slot can advance.
 */
import { ConnectError, monotonicNow } from '@millrace/sdk';
import { errorCode, errorText, isDisconnection } from '../database/errors';
import { GeneralConnection } from '../database/general-connection';
import type { Session } from '../session';

/** Of the action query, unless `heartbeat.interval.ms` is longer or `database.query.timeout.ms` shorter. */
const DEADLINE_MS = 10_000;

export class Heartbeat {
  private nextAt = 0;
  /** Of its own: a query that waits for a lock would keep the general one from everything else. */
  private readonly connection: GeneralConnection;
  private acting = false;
  private failure: ConnectError | null = null;

  constructor(private readonly session: Session) {
    const { connection, heartbeat } = session.config;
    const limits = [Math.max(heartbeat.intervalMs, DEADLINE_MS), connection.queryTimeoutMs].filter((ms) => ms > 0);
    const limited = { ...connection, queryTimeoutMs: Math.min(...limits) };
    this.connection = new GeneralConnection(limited, 'General', 0, session.reach);
  }

  /**
   * Starts the action query when a record is due, unless the one before still runs. Throws ConnectError
   * `PG_HEARTBEAT` after one that can never succeed.
   */
  isDue(): boolean {
    const { intervalMs, actionQuery } = this.session.config.heartbeat;
    if (intervalMs === 0) return false;
    if (this.failure !== null) throw this.failure;
    const now = monotonicNow();
    if (now < this.nextAt) return false;
    this.nextAt = now + intervalMs;
    if (actionQuery !== null && !this.acting) void this.act(actionQuery);
    return true;
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  private async act(query: string): Promise<void> {
    const { config, logger, reach, signal } = this.session;
    this.acting = true;
    try {
      await (await this.connection.get()).query(query);
      reach.up('queries');
    } catch (error) {
      if (signal.aborted) return;
      const waitMs = config.heartbeat.intervalMs;
      if (isDisconnection(error)) reach.down('queries', 'The heartbeat action query failed', error, { waitMs });
      const code = errorCode(error);
      const message = `Could not execute heartbeat action query (Error: ${code}): ${errorText(error)}`;
      if (code === '42P01') this.failure = new ConnectError(message, { code: 'PG_HEARTBEAT', cause: error });
      else logger.error(message);
    } finally {
      this.acting = false;
    }
  }
}
