/**
 * Log compaction, as Kafka's cleaner does it: in closed segments, only the last record of each key stays; a tombstone stays
 * for `delete.retention.ms` longer, so that readers who are behind learn of it. Offsets and order never change.
 */
import { readRecords } from './records';
import type { TopicSettings } from '../topics/topic';
import { readHeader, withRecords } from './batch';
import type { PartitionLog } from './partition-log';
import type { Segment } from './segment';

/** Key (as latin1, one character per byte) → offset of its last record. */
type LastOffsets = Map<string, number>;

export type CompactionSettings = Pick<
  TopicSettings,
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

/** Compacts what may be compacted now, if that is worth it. */
export function compact(
  log: PartitionLog,
  settings: CompactionSettings,
  state: CompactionState,
  now: number,
): CompactionState {
  const segments = cleanable(log, settings, now);
  const dirty = segments.filter((segment) => segment.nextOffset > state.cleanedTo);
  const bytes = (some: readonly Segment[]): number => some.reduce((sum, segment) => sum + segment.size, 0);
  const isLate = dirty.length > 0 && now - (dirty[0]!.firstAppendedAt ?? now) > settings.maxCompactionLagMs;
  const isDirty = dirty.length > 0 && bytes(dirty) / bytes(segments) >= settings.minCleanableDirtyRatio;
  if (!isLate && !isDirty && now < state.tombstonesDueAt) return state;

  const last = lastOffsets(log, segments);
  let tombstonesDueAt = Infinity;
  for (const segment of segments) {
    const tombstonesGoAt = segment.lastAppendedAt + settings.deleteRetentionMs;
    const kept = rewrite(log, segment, last, now > tombstonesGoAt);
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

function lastOffsets(log: PartitionLog, segments: readonly Segment[]): LastOffsets {
  const last: LastOffsets = new Map();
  for (const segment of segments) {
    segment.forEachBatch((batch) => {
      const header = readHeader(batch);
      if (header.control || (header.transactional && isAborted(log, header.producerId, header.baseOffset))) return;
      for (const { key, offset } of readRecords(batch)) if (key) last.set(keyOf(key), offset);
    });
  }
  return last;
}

function rewrite(
  log: PartitionLog,
  segment: Segment,
  last: LastOffsets,
  withoutTombstones: boolean,
): { readonly tombstones: boolean } {
  const kept: Buffer[] = [];
  let changed = false;
  let tombstones = false;
  segment.forEachBatch((batch) => {
    const header = readHeader(batch);
    // Markers stay: what they end may still be read, and they are few and small.
    if (header.control) return void kept.push(batch);
    const aborted = header.transactional && isAborted(log, header.producerId, header.baseOffset);
    const records = readRecords(batch);
    const stay = records.filter(
      ({ key, offset, isTombstone }) =>
        !aborted && key && last.get(keyOf(key)) === offset && !(isTombstone && withoutTombstones),
    );
    tombstones ||= stay.some((record) => record.isTombstone);
    if (stay.length === records.length && records.length > 0) return void kept.push(batch);
    const isNewest = log.producers.isNewestBatch(header);
    if (stay.length > 0)
      kept.push(
        withRecords(
          batch,
          stay.map((record) => record.bytes),
        ),
      );
    // An empty batch still tells the last sequence of its producer.
    else if (isNewest) kept.push(records.length > 0 ? withRecords(batch, []) : batch);
    changed ||= records.length > 0 || !isNewest;
  });
  if (changed) log.replace(segment, kept);
  return { tombstones };
}
