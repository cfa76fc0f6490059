/**
 * Heartbeat records (cdc-postgres §5.9). They also carry the position of an idle server, so that the slot can advance.
 */
import { ConnectError, monotonicNow } from '@millrace/sdk';
import { errorCode, errorText } from '../database/errors';
import type { Session } from '../session';

export class Heartbeat {
  private nextAt = 0;

  constructor(private readonly session: Session) {}

  /** Runs the action query when a record is due. */
  async isDue(): Promise<boolean> {
    const { intervalMs, actionQuery } = this.session.config.heartbeat;
    if (intervalMs === 0) return false;
    const now = monotonicNow();
    if (now < this.nextAt) return false;
    this.nextAt = now + intervalMs;
    if (actionQuery !== null) await this.act(actionQuery);
    return true;
  }

  private async act(query: string): Promise<void> {
    const { general, logger } = this.session;
    try {
      await (await general.get()).query(query);
    } catch (error) {
      const code = errorCode(error);
      const message = `Could not execute heartbeat action query (Error: ${code}): ${errorText(error)}`;
      if (code === '42P01') throw new ConnectError(message, { code: 'PG_HEARTBEAT', cause: error });
      logger.error(message);
    }
  }
}
