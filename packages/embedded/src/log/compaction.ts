/**
 * Log compaction, as in Kafka's log cleaner: closed segments retain only the last record of each key. Tombstones are
 * retained for `delete.retention.ms`, so that consumers with lag still read them. Offsets and order never change.
 */
import { readHeader, withRecords } from './batch';
import type { LogSettings } from './log-settings';
import type { PartitionLog } from './partition-log';
import { eachRecord, readRecords } from './records';
import type { Segment } from './segment';
import type { TimeSlice } from './time-slice';

/** Key (latin1, one character per byte) → offset of its last record. */
type LastOffsets = Map<string, number>;

type CompactionSettings = Pick<
  LogSettings,
  'deleteRetentionMs' | 'minCompactionLagMs' | 'minCleanableDirtyRatio' | 'maxCompactionLagMs'
>;

/** State of a log between two compactions. */
export interface CompactionState {
  /** Records before this offset are compacted; later ones are dirty. */
  readonly cleanedTo: number;
  /** When the first retained tombstone expires, milliseconds; Infinity if there is none. */
  readonly tombstonesDueAt: number;
}

export const NEVER_COMPACTED: CompactionState = { cleanedTo: -1, tombstonesDueAt: Infinity };

/**
 * Compacts the cleanable segments if enough of their bytes are dirty, records exceed `max.compaction.lag.ms`, or
 * tombstones have expired. Appends and reads continue meanwhile.
 * @param slice yields to the event loop, and throws when the broker stops.
 * @throws StorageClosed if a segment is deleted meanwhile.
 */
export async function compact(
  log: PartitionLog,
  settings: CompactionSettings,
  state: CompactionState,
  now: number,
  slice: TimeSlice,
): Promise<CompactionState> {
  const segments = cleanable(log, settings, now);
  const dirty = segments.filter((segment) => segment.nextOffset > state.cleanedTo);
  const bytes = (of: readonly Segment[]): number => of.reduce((sum, segment) => sum + segment.size, 0);
  const isLate = dirty.length > 0 && now - (dirty[0]!.firstAppendedAt ?? now) > settings.maxCompactionLagMs;
  const isDirty = dirty.length > 0 && bytes(dirty) / bytes(segments) >= settings.minCleanableDirtyRatio;
  if (!isLate && !isDirty && now < state.tombstonesDueAt) return state;

  const last = await lastOffsets(log, segments, slice);
  let tombstonesDueAt = Infinity;
  for (const segment of segments) {
    const tombstonesGoAt = segment.lastAppendedAt + settings.deleteRetentionMs;
    const kept = await rewrite(log, segment, last, now > tombstonesGoAt, slice);
    if (kept.tombstones) tombstonesDueAt = Math.min(tombstonesDueAt, tombstonesGoAt);
  }
  return { cleanedTo: segments.at(-1)?.nextOffset ?? state.cleanedTo, tombstonesDueAt };
}

/** Closed segments older than `min.compaction.lag.ms` and below the last stable offset. */
function cleanable(log: PartitionLog, { minCompactionLagMs }: CompactionSettings, now: number): Segment[] {
  const segments: Segment[] = [];
  for (const segment of log.closedSegments()) {
    const isYoung = minCompactionLagMs > 0 && segment.largestTimestamp > now - minCompactionLagMs;
    if (isYoung || segment.nextOffset > log.lastStableOffset) break;
    segments.push(segment);
  }
  return segments;
}

const keyOf = (key: Buffer): string => key.toString('latin1');

/** Records of aborted transactions do not count as the last value of a key. */
function isAborted(log: PartitionLog, producerId: number, offset: number): boolean {
  return log.transactions
    .abortedBetween(offset, offset + 1)
    .some((range) => range.producerId === producerId && range.firstOffset <= offset);
}

async function lastOffsets(log: PartitionLog, segments: readonly Segment[], slice: TimeSlice): Promise<LastOffsets> {
  const last: LastOffsets = new Map();
  for (const segment of segments) {
    for (const batch of segment.batches()) {
      const header = readHeader(batch);
      if (header.control || (header.transactional && isAborted(log, header.producerId, header.baseOffset))) continue;
      for (const { key, offset } of eachRecord(batch)) if (key) last.set(keyOf(key), offset);
      if (slice.isOver()) await slice.next();
    }
  }
  return last;
}

async function rewrite(
  log: PartitionLog,
  segment: Segment,
  last: LastOffsets,
  withoutTombstones: boolean,
  slice: TimeSlice,
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
      if (slice.isOver()) await slice.next();
    }
    if (changed) await log.replace(segment, successor);
    else successor.remove();
  } catch (error) {
    successor.remove();
    throw error;
  }
  return { tombstones };
}

/** The batch itself if all records are retained, null if none is. */
function cleaned(
  log: PartitionLog,
  batch: Buffer,
  last: LastOffsets,
  withoutTombstones: boolean,
): { readonly batch: Buffer | null; readonly tombstones: boolean } {
  const header = readHeader(batch);
  // Markers are retained: records of their transactions may still be read, and they are few and small.
  if (header.control) return { batch, tombstones: false };
  const aborted = header.transactional && isAborted(log, header.producerId, header.baseOffset);
  const records = readRecords(batch);
  const retained = records.filter(
    ({ key, offset, isTombstone }) =>
      !aborted && key && last.get(keyOf(key)) === offset && !(isTombstone && withoutTombstones),
  );
  const tombstones = retained.some((record) => record.isTombstone);
  // An empty batch still records the last sequence of its producer.
  if (retained.length === 0 && !log.producers.isNewestBatch(header)) return { batch: null, tombstones };
  if (retained.length === records.length) return { batch, tombstones };
  const bytes = retained.map((record) => record.bytes);
  return { batch: withRecords(batch, bytes), tombstones };
}
