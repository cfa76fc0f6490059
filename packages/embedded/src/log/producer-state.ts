/**
 * The idempotent producers of a partition: their epoch and their last five batches, the maximum a producer may have in
 * flight. Rebuilt from the log on recovery. The rules are Kafka's (KIP-98, KIP-360).
 */
import type { BatchInfo } from './batch';

type SequenceVerdict =
  | { readonly kind: 'append' }
  /** The log already contains it, at this offset. */
  | { readonly kind: 'duplicate'; readonly baseOffset: number; readonly lastOffset: number }
  | { readonly kind: 'out-of-order'; readonly expected: number }
  | { readonly kind: 'stale-epoch'; readonly current: number };

interface RecentBatch {
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly baseOffset: number;
  readonly lastOffset: number;
}

interface ProducerEntry {
  epoch: number;
  batches: RecentBatch[];
  lastSeen: number;
}

const MAX_BATCHES = 5;
const LAST_SEQUENCE = 0x7fffffff;

/** Sequences wrap from 2^31 - 1 to 0. */
export function sequenceAfter(sequence: number, count: number): number {
  return (sequence + count) % (LAST_SEQUENCE + 1);
}

export class ProducerStates {
  private readonly producers = new Map<number, ProducerEntry>();

  check(batch: BatchInfo): SequenceVerdict {
    const known = this.producers.get(batch.producerId);
    if (!known) return { kind: 'append' };
    if (batch.producerEpoch < known.epoch) return { kind: 'stale-epoch', current: known.epoch };
    const first = batch.baseSequence;
    if (batch.producerEpoch > known.epoch) {
      return first === 0 ? { kind: 'append' } : { kind: 'out-of-order', expected: 0 };
    }
    const last = sequenceAfter(first, batch.lastOffset - batch.baseOffset);
    const duplicate = known.batches.find((b) => b.firstSequence === first && b.lastSequence === last);
    if (duplicate) return { kind: 'duplicate', baseOffset: duplicate.baseOffset, lastOffset: duplicate.lastOffset };
    const newest = known.batches.at(-1);
    const expected = newest ? sequenceAfter(newest.lastSequence, 1) : 0;
    return first === expected ? { kind: 'append' } : { kind: 'out-of-order', expected };
  }

  /** @param now for expiration, milliseconds */
  onAppend(batch: BatchInfo, now: number): void {
    if (batch.producerId < 0) return;
    let entry = this.producers.get(batch.producerId);
    if (!entry || batch.producerEpoch > entry.epoch) {
      entry = { epoch: batch.producerEpoch, batches: [], lastSeen: now };
      this.producers.set(batch.producerId, entry);
    }
    entry.lastSeen = now;
    if (batch.marker !== null || batch.baseSequence < 0) return;
    entry.batches.push({
      firstSequence: batch.baseSequence,
      lastSequence: sequenceAfter(batch.baseSequence, batch.lastOffset - batch.baseOffset),
      baseOffset: batch.baseOffset,
      lastOffset: batch.lastOffset,
    });
    if (entry.batches.length > MAX_BATCHES) entry.batches.shift();
  }

  /** Removes producers that have not written since then (`producer.id.expiration.ms`). */
  expire(before: number): void {
    for (const [id, entry] of this.producers) if (entry.lastSeen < before) this.producers.delete(id);
  }

  all(): { producerId: number; epoch: number; lastSequence: number; lastSeen: number }[] {
    return [...this.producers].map(([producerId, { epoch, batches, lastSeen }]) => ({
      producerId,
      epoch,
      lastSequence: batches.at(-1)?.lastSequence ?? -1,
      lastSeen,
    }));
  }

  /** Compaction retains a producer's newest batch, so that its sequence is known after a restart. */
  isNewestBatch(batch: BatchInfo): boolean {
    const entry = this.producers.get(batch.producerId);
    return entry !== undefined && entry.batches.at(-1)?.lastOffset === batch.lastOffset;
  }
}
