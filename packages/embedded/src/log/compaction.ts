/**
 * Log compaction, as Kafka's cleaner does it: in closed segments, only the last record of each key stays; a tombstone
 * stays for `delete.retention.ms` longer, so that readers who are behind learn of it. Offsets and order never change.
 */
import { readHeader, withRecords } from './batch';
import type { LogSettings } from './log-settings';
import type { PartitionLog } from './partition-log';
import { eachRecord, readRecords } from './records';
import type { Segment } from './segment';
import type { Pace } from './time-slice';

/** Key (as latin1, one character per byte) → offset of its last record. */
type LastOffsets = Map<string, number>;

export type CompactionSettings = Pick<
  LogSettings,
  'deleteRetentionMs' | 'minCompactionLagMs' | 'minCleanableDirtyRatio' | 'maxCompactionLagMs'
>;

/** What one log's compaction remembers from one time to the next. */
export interface CompactionState {
  /** Everything before this offset has been compacted; what was appended since is dirty. */
  readonly cleanedTo: number;
  /** When the first of the tombstones left may go, milliseconds; Infinity: there are none. */
  readonly tombstonesDueAt: number;
}

export const NEVER_COMPACTED: CompactionState = { cleanedTo: -1, tombstonesDueAt: Infinity };

/**
 * Compacts what may be compacted now, if that is worth it. Appends and reads go on meanwhile.
 * @param pace gives the event loop back, and throws when there is no more time.
 * @throws StorageClosed when a segment was deleted meanwhile.
 */
export async function compact(
  log: PartitionLog,
  settings: CompactionSettings,
  state: CompactionState,
  now: number,
  pace: Pace,
): Promise<CompactionState> {
  const segments = cleanable(log, settings, now);
  const dirty = segments.filter((segment) => segment.nextOffset > state.cleanedTo);
  const bytes = (some: readonly Segment[]): number => some.reduce((sum, segment) => sum + segment.size, 0);
  const isLate = dirty.length > 0 && now - (dirty[0]!.firstAppendedAt ?? now) > settings.maxCompactionLagMs;
  const isDirty = dirty.length > 0 && bytes(dirty) / bytes(segments) >= settings.minCleanableDirtyRatio;
  if (!isLate && !isDirty && now < state.tombstonesDueAt) return state;

  const last = await lastOffsets(log, segments, pace);
  let tombstonesDueAt = Infinity;
  for (const segment of segments) {
    const tombstonesGoAt = segment.lastAppendedAt + settings.deleteRetentionMs;
    const kept = await rewrite(log, segment, last, now > tombstonesGoAt, pace);
    if (kept.tombstones) tombstonesDueAt = Math.min(tombstonesDueAt, tombstonesGoAt);
  }
  return { cleanedTo: segments.at(-1)?.nextOffset ?? state.cleanedTo, tombstonesDueAt };
}

/** Closed segments, old enough, below every open transaction. */
function cleanable(log: PartitionLog, { minCompactionLagMs }: CompactionSettings, now: number): Segment[] {
  const segments: Segment[] = [];
  for (const segment of log.closedSegments()) {
    const isYoung = minCompactionLagMs > 0 && segment.maxTimestamp > now - minCompactionLagMs;
    if (isYoung || segment.nextOffset > log.lastStableOffset) break;
    segments.push(segment);
  }
  return segments;
}

const keyOf = (key: Buffer): string => key.toString('latin1');

/** Records of aborted transactions are no one's last value. */
function isAborted(log: PartitionLog, producerId: number, offset: number): boolean {
  return log.transactions
    .abortedBetween(offset, offset + 1)
    .some((range) => range.producerId === producerId && range.firstOffset <= offset);
}

async function lastOffsets(log: PartitionLog, segments: readonly Segment[], pace: Pace): Promise<LastOffsets> {
  const last: LastOffsets = new Map();
  for (const segment of segments) {
    for (const batch of segment.batches()) {
      const header = readHeader(batch);
      if (header.control || (header.transactional && isAborted(log, header.producerId, header.baseOffset))) continue;
      for (const { key, offset } of eachRecord(batch)) if (key) last.set(keyOf(key), offset);
      if (pace.isDue()) await pace.rest();
    }
  }
  return last;
}

async function rewrite(
  log: PartitionLog,
  segment: Segment,
  last: LastOffsets,
  withoutTombstones: boolean,
  pace: Pace,
): Promise<{ readonly tombstones: boolean }> {
  const successor = log.successorOf(segment);
  let changed = false;
  let tombstones = false;
  try {
    for (const batch of segment.batches()) {
      const kept = cleaned(log, batch, last, withoutTombstones);
      tombstones ||= kept.tombstones;
      changed ||= kept.batch !== batch;
      if (kept.batch !== null) successor.append(kept.batch, readHeader(kept.batch));
      if (pace.isDue()) await pace.rest();
    }
    if (changed) await log.replace(segment, successor);
    else successor.remove();
  } catch (error) {
    successor.remove();
    throw error;
  }
  return { tombstones };
}

/** The batch itself when all of it stays, null when nothing does. */
function cleaned(
  log: PartitionLog,
  batch: Buffer,
  last: LastOffsets,
  withoutTombstones: boolean,
): { readonly batch: Buffer | null; readonly tombstones: boolean } {
  const header = readHeader(batch);
  // Markers stay: what they end may still be read, and they are few and small.
  if (header.control) return { batch, tombstones: false };
  const aborted = header.transactional && isAborted(log, header.producerId, header.baseOffset);
  const records = readRecords(batch);
  const stay = records.filter(
    ({ key, offset, isTombstone }) =>
      !aborted && key && last.get(keyOf(key)) === offset && !(isTombstone && withoutTombstones),
  );
  const tombstones = stay.some((record) => record.isTombstone);
  // An empty batch still tells the last sequence of its producer.
  if (stay.length === 0 && !log.producers.isNewestBatch(header)) return { batch: null, tombstones };
  if (stay.length === records.length) return { batch, tombstones };
  const bytes = stay.map((record) => record.bytes);
  return { batch: withRecords(batch, bytes), tombstones };
}
