/** Reads the state of the slot every ten seconds: for metrics, and to warn before the server drops it. */
import { monotonicNow, startInterval, withDeadline, type Logger } from '@millrace/sdk';
import { errorText, isDisconnection } from '../database/errors';
import type { GeneralConnection } from '../database/general-connection';
import type { Lsn } from '../database/lsn';
import type { Reachability } from '../database/reachability';
import type { MetricGroup } from './metric-group';
import {
  recoveredText,
  slotHealth,
  slotQuery,
  slotTrouble,
  SLOT_STATISTICS,
  troubleText,
  type SlotHealth,
  type SlotRow,
  type SlotTrouble,
} from './slot-health';

const EVERY_MS = 10_000;
const DEADLINE_MS = 10_000;

interface SlotWatchOptions {
  /** Null: there is none, and only whether the server answers is found out. */
  readonly slot: string | null;
  readonly general: Pick<GeneralConnection, 'get'>;
  readonly reach: Pick<Reachability, 'isDown' | 'up' | 'down' | 'answeredSince'>;
  /** Requests a sign of life of the stream, if there is one. */
  readonly askStream: () => void;
  readonly serverVersion: number;
  /** See `slotTrouble`. */
  readonly warnBytes: number | null;
  readonly logger: Logger;
}

class Silence extends Error {
  readonly code = 'ETIMEDOUT';
}

export class SlotWatch {
  /** Null: not read yet, not answered, or the slot does not exist. */
  health: SlotHealth | null = null;
  /** Milliseconds, as of the last answer: see `clockAhead`. */
  clockAheadMs = 0;
  private trouble: SlotTrouble | null = null;
  private timer: NodeJS.Timeout | null = null;
  private reading: Promise<void> | null = null;
  /** Not answered yet, also after the deadline. */
  private asked: Promise<SlotHealth | null> | null = null;
  private stopped = false;

  constructor(private readonly options: SlotWatchOptions) {}

  /** For metrics: null while the server does not answer. */
  get measured(): SlotHealth | null {
    return this.options.reach.isDown ? null : this.health;
  }

  get walEnd(): Lsn | null {
    return this.measured?.walEnd ?? null;
  }

  start(): void {
    this.timer = startInterval(() => void this.read(), EVERY_MS).unref();
    void this.read();
  }

  stop(): void {
    this.stopped = true;
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
  }

  /** The slot has changed: what was read is outdated. Does nothing before `start`. */
  async readAgain(): Promise<void> {
    this.health = null;
    await this.reading;
    if (this.timer !== null) await this.read();
  }

  /** One query at a time, so that a slow server has at most one of them. Never rejects. */
  async read(): Promise<void> {
    this.reading ??= this.readOnce().finally(() => {
      this.reading = null;
    });
    await this.reading;
  }

  private async readOnce(): Promise<void> {
    const { logger, slot, warnBytes, reach, askStream } = this.options;
    let health: SlotHealth | null;
    const askedAt = monotonicNow();
    try {
      askStream();
      this.asked ??= this.query().finally(() => (this.asked = null));
      health = await withDeadline(this.asked, DEADLINE_MS, () => new Silence(`no answer within ${DEADLINE_MS} ms`));
    } catch (error) {
      if (this.stopped) return;
      this.health = null;
      const text = slot === null ? 'A query failed' : `The state of replication slot "${slot}" could not be read`;
      // The query may also wait for another one on its connection.
      if (error instanceof Silence ? !reach.answeredSince(askedAt) : isDisconnection(error))
        reach.down('queries', text, error, { waitMs: EVERY_MS });
      logger.debug(`${text}: ${errorText(error)}`);
      return;
    }
    if (this.stopped) return;
    reach.up('queries');
    if (slot === null) return;
    this.health = health;
    const trouble = slotTrouble(health, warnBytes, this.trouble);
    if (trouble !== null && trouble !== this.trouble) logger.warn(troubleText(slot, trouble, health));
    if (trouble === null && this.trouble !== null && health !== null) logger.info(recoveredText(slot, health));
    this.trouble = trouble;
  }

  private async query(): Promise<SlotHealth | null> {
    const { general, serverVersion, slot } = this.options;
    const client = await general.get();
    if (slot === null) {
      await client.query('SELECT 1');
      return null;
    }
    const askedMs = Date.now();
    const { rows } = await client.query(slotQuery(serverVersion), [slot]);
    const row = rows[0] as SlotRow | undefined;
    if (row === undefined) return null;
    this.clockAheadMs = clockAhead(row.clock_ms, askedMs, Date.now());
    return slotHealth(row);
  }
}

/** NTP keeps clocks closer, and a lag of less is of no interest. */
const TOLERATED_MS = 1_000;

/**
 * How far the server's clock, which commit times are of, is ahead of this machine's.
 * @param serverMs what the server's clock showed at some time between `askedMs` and `answeredMs`
 * @returns milliseconds, negative if it is behind; 0: no more than tolerated, or than the answer's delay explains
 */
export function clockAhead(serverMs: number, askedMs: number, answeredMs: number): number {
  const uncertain = (answeredMs - askedMs) / 2;
  const ahead = serverMs - (askedMs + uncertain);
  return Math.abs(ahead) > TOLERATED_MS + uncertain ? Math.round(ahead) : 0;
}

const WAL_STATUSES = ['reserved', 'extended', 'unreserved', 'lost'];

export function addSlotMetrics(own: MetricGroup, watch: Pick<SlotWatch, 'measured'>): void {
  const number = (name: string, help: string, read: (health: SlotHealth) => number | null): void =>
    own.gauge(name, help, () => (watch.measured === null ? NaN : (read(watch.measured) ?? NaN)));
  number('slot_active', 'Whether a connection reads the slot: 1 or 0.', ({ active }) => (active ? 1 : 0));
  for (const status of WAL_STATUSES)
    own.gauge(
      'slot_wal_status',
      'Whether the server still has the WAL of the slot: 1 for the current status.',
      () => (watch.measured?.walStatus == null ? NaN : watch.measured.walStatus === status ? 1 : 0),
      { status },
    );
  number('slot_invalid', 'Whether the server has invalidated the slot: 1 or 0.', ({ invalidation }) =>
    invalidation === null ? 0 : 1,
  );
  number('slot_safe_wal_size_bytes', 'WAL that may be written before the slot can be lost.', (of) => of.safeWalBytes);
  number('slot_retained_wal_bytes', 'WAL that the server keeps for the slot.', (of) => of.retainedBytes);
  number('slot_wal_limit_bytes', 'max_slot_wal_keep_size of the server.', (of) => of.limitBytes);
  number('slot_confirmed_lag_bytes', 'WAL after the position that was confirmed.', (of) => of.confirmedLagBytes);
  number(
    'slot_catalog_xmin_age',
    'Transactions that the slot keeps vacuum from cleaning up.',
    (of) => of.catalogXminAge,
  );
  for (const name of SLOT_STATISTICS)
    number(`slot_${name}`, `${name} of pg_stat_replication_slots.`, ({ statistics }) => statistics.get(name) ?? null);
}
