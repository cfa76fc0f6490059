/** The state of a replication slot, and when it is worth a warning. Pure. */
import { afterPrecaution } from '../database/slot-precautions';
import { formatLsn, parseLsn, type Lsn } from '../database/lsn';

export interface SlotHealth {
  readonly active: boolean;
  /** `reserved`, `extended`, `unreserved` or `lost`; null before PostgreSQL 13. */
  readonly walStatus: string | null;
  /** Bytes that may be written before the slot can be lost; null without a limit. */
  readonly safeWalBytes: number | null;
  /** WAL that the server keeps for the slot, in bytes; null: the slot has no position. */
  readonly retainedBytes: number | null;
  /** WAL after the confirmed position, in bytes. */
  readonly confirmedLagBytes: number | null;
  /** Why the server invalidated the slot; null while it is usable. */
  readonly invalidation: string | null;
  /** Transactions since the oldest one whose catalog rows the slot keeps. */
  readonly catalogXminAge: number | null;
  /** `max_slot_wal_keep_size`; null: no limit, or before PostgreSQL 13. */
  readonly limitBytes: number | null;
  readonly walEnd: Lsn;
  /** Numbers of `pg_stat_replication_slots` (PostgreSQL 14). */
  readonly statistics: ReadonlyMap<SlotStatistic, number>;
}

export const SLOT_STATISTICS = [
  'spill_txns',
  'spill_count',
  'spill_bytes',
  'stream_txns',
  'stream_count',
  'stream_bytes',
  'total_txns',
  'total_bytes',
] as const;
type SlotStatistic = (typeof SLOT_STATISTICS)[number];

type Json = Readonly<Record<string, string | number | boolean | null>>;

/** A row of `SLOT_QUERY`. */
export interface SlotRow {
  readonly slot: Json;
  readonly wal_end: string;
  readonly xmin_age: number | null;
  readonly limit_mb: string | null;
  readonly statistics: Json | null;
  /** The server's clock, in milliseconds since the epoch. */
  readonly clock_ms: number;
}

/** As JSON, because columns differ between versions. `$1`: the slot's name. */
export function slotQuery(serverVersion: number): string {
  const statistics =
    serverVersion >= 140000
      ? '(SELECT to_jsonb(t) FROM pg_stat_replication_slots t WHERE t.slot_name = s.slot_name)'
      : 'NULL::jsonb';
  return `SELECT to_jsonb(s) AS slot, age(s.catalog_xmin)::int AS xmin_age,
      (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END)::text AS wal_end,
      (SELECT setting FROM pg_settings WHERE name = 'max_slot_wal_keep_size') AS limit_mb, ${statistics} AS statistics,
      (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS clock_ms
    FROM pg_replication_slots s WHERE slot_name = $1`;
}

export function slotHealth({ slot, wal_end: end, xmin_age: age, limit_mb: limit, statistics }: SlotRow): SlotHealth {
  const walEnd = parseLsn(end);
  const behind = (position: Json[string] | undefined): number | null =>
    typeof position === 'string' ? Math.max(0, Number(BigInt(walEnd) - BigInt(parseLsn(position)))) : null;
  const number = (value: Json[string] | undefined): number | null => (value == null ? null : Number(value));
  const text = (value: Json[string] | undefined): string | null => (value == null ? null : String(value));
  const conflict = slot.conflicting === true ? 'conflict with recovery' : null;
  return {
    active: slot.active === true,
    walStatus: text(slot.wal_status),
    safeWalBytes: number(slot.safe_wal_size),
    retainedBytes: behind(slot.restart_lsn),
    confirmedLagBytes: behind(slot.confirmed_flush_lsn),
    invalidation: text(slot.invalidation_reason) ?? (slot.wal_status === 'lost' ? 'wal_removed' : conflict),
    catalogXminAge: age,
    limitBytes: limit === null || Number(limit) < 0 ? null : Number(limit) * 1024 * 1024,
    walEnd,
    statistics: new Map(
      SLOT_STATISTICS.flatMap((name) => {
        const value = number(statistics?.[name]);
        return value === null ? [] : [[name, value] as const];
      }),
    ),
  };
}

/** `invalid`: the server has removed changes; `missing`: there is no such slot. */
export type SlotTrouble = 'missing' | 'invalid' | 'unreserved' | 'retained';

/** Warning threshold without `max_slot_wal_keep_size`. */
const DEFAULT_WARN_BYTES = 10 * 1024 ** 3;
/** Warning threshold as a share of `max_slot_wal_keep_size`. */
const DEFAULT_WARN_SHARE = 0.75;
/** A warning is over below this share of the threshold, so that a fluctuating slot is reported once. */
const RECOVERED_SHARE = 0.8;

/**
 * @param health null: the slot does not exist
 * @param warnBytes retained WAL to warn from; null: three quarters of the limit, or 10 GiB without one; 0: never
 * @param before the last result
 */
export function slotTrouble(
  health: SlotHealth | null,
  warnBytes: number | null,
  before: SlotTrouble | null,
): SlotTrouble | null {
  if (health === null) return 'missing';
  if (health.invalidation !== null) return 'invalid';
  if (health.walStatus === 'unreserved') return 'unreserved';
  const threshold = warnFrom(health, warnBytes) * (before === null ? 1 : RECOVERED_SHARE);
  return threshold > 0 && (health.retainedBytes ?? 0) >= threshold ? 'retained' : null;
}

function warnFrom({ limitBytes }: SlotHealth, warnBytes: number | null): number {
  return warnBytes ?? (limitBytes === null ? DEFAULT_WARN_BYTES : limitBytes * DEFAULT_WARN_SHARE);
}

/** One sentence with the cause and the cure. */
export function troubleText(name: string, trouble: SlotTrouble, health: SlotHealth | null): string {
  const slot = `Replication slot "${name}"`;
  // Names of slots are lowercase letters, digits and underscores.
  const drop = `SELECT pg_drop_replication_slot('${name}')`;
  const cure = `If this connector runs, look for slow or failing writes to Kafka and for a transaction that was left open; if it is not needed any more, drop the slot: ${drop};`;
  const held = `retains ${shownSize(health?.retainedBytes ?? 0)} of WAL, confirmed up to ${confirmed(health)} bytes before the end`;
  switch (trouble) {
    case 'missing':
      return `${slot} does not exist: changes are not kept for this connector. Stop the connector, delete its offsets and resume it, for a new slot and snapshot.`;
    case 'invalid':
      return `${slot} is lost (${health?.invalidation}): the server has removed changes that were not read. ${afterPrecaution(health?.invalidation ?? null, 'then stop')} the connector, drop the slot (${drop};), delete its offsets and resume it, for a new snapshot.`;
    case 'unreserved':
      return `${slot} is about to be lost: it ${held}, more than max_slot_wal_keep_size allows, and the server removes it at the next checkpoint. Raise max_slot_wal_keep_size now. ${cure}`;
    case 'retained': {
      const limit = health?.limitBytes ?? null;
      const consequence =
        limit === null
          ? 'the server has no limit (max_slot_wal_keep_size), so its disk may fill'
          : `the server drops it beyond ${shownSize(limit)} (max_slot_wal_keep_size)${left(health)}`;
      return `${slot} ${held}; ${consequence}. ${cure}`;
    }
  }
}

export function recoveredText(name: string, health: SlotHealth): string {
  return `Replication slot "${name}" has recovered: it retains ${shownSize(health.retainedBytes ?? 0)} of WAL at ${formatLsn(health.walEnd)}.`;
}

function confirmed(health: SlotHealth | null): string {
  return health?.confirmedLagBytes == null ? 'an unknown number of' : String(health.confirmedLagBytes);
}

function left(health: SlotHealth | null): string {
  return health?.safeWalBytes == null ? '' : `, after ${shownSize(Math.max(0, health.safeWalBytes))} more`;
}

/** With a unit, for messages. */
export function shownSize(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
