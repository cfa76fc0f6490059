/** `source.xmin`: the `catalog_xmin` of the slot, read at most once per `xmin.fetch.interval.ms`. */
import { monotonicNow } from '@millrace/sdk';
import { errorText } from '../database/errors';
import type { Session } from '../session';

export class SlotXmin {
  private nextAt = 0;
  private value: number | null = null;

  constructor(private readonly session: Session) {}

  /** Null if it is not to be read, or cannot be. */
  async read(): Promise<number | null> {
    const { config, general, logger } = this.session;
    const { xminIntervalMs } = config.stream;
    if (xminIntervalMs === 0 || monotonicNow() < this.nextAt) return this.value;
    this.nextAt = monotonicNow() + xminIntervalMs;
    try {
      const client = await general.get();
      const sql = 'SELECT catalog_xmin::text AS xmin FROM pg_replication_slots WHERE slot_name = $1';
      const { rows } = await client.query<{ xmin: string | null }>(sql, [config.slot.name]);
      const xmin = rows[0]?.xmin ?? null;
      this.value = xmin === null ? null : Number(xmin);
    } catch (error) {
      logger.warn(`The catalog_xmin of replication slot "${config.slot.name}" could not be read: ${errorText(error)}`);
    }
    return this.value;
  }
}
