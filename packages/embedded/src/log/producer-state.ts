/**
 * What a partition knows about idempotent producers: their epoch and their last five batches, which is how many a
 * producer may have in flight. Made again from the log when it is recovered. The rules are Kafka's (KIP-98, KIP-360).
 */
import type { BatchInfo } from './batch';

export type SequenceVerdict =
  | { readonly kind: 'append' }
  /** It is in the log already, from this offset on. */
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

const KEPT_BATCHES = 5;
const LAST_SEQUENCE = 0x7fffffff;

/** After 2^31 - 1 comes 0. */
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
    const again = known.batches.find((b) => b.firstSequence === first && b.lastSequence === last);
    if (again) return { kind: 'duplicate', baseOffset: again.baseOffset, lastOffset: again.lastOffset };
    const newest = known.batches.at(-1);
    const expected = newest ? sequenceAfter(newest.lastSequence, 1) : 0;
    return first === expected ? { kind: 'append' } : { kind: 'out-of-order', expected };
  }

  /** @param now for expiry, milliseconds. */
  appended(batch: BatchInfo, now: number): void {
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
    if (entry.batches.length > KEPT_BATCHES) entry.batches.shift();
  }

  /** Forgets who has not written for so long (`producer.id.expiration.ms`). */
  expire(before: number): void {
    for (const [id, entry] of this.producers) if (entry.lastSeen < before) this.producers.delete(id);
  }

  /** Everyone who has written and is not forgotten. */
  all(): { producerId: number; epoch: number; lastSequence: number; lastSeen: number }[] {
    return [...this.producers].map(([producerId, { epoch, batches, lastSeen }]) => ({
      producerId,
      epoch,
      lastSequence: batches.at(-1)?.lastSequence ?? -1,
      lastSeen,
    }));
  }

  /**
   * The producer's newest batch, which compaction must leave in place so that its sequence is known after a restart.
   */
  isNewestBatch(batch: BatchInfo): boolean {
    const entry = this.producers.get(batch.producerId);
    return entry !== undefined && entry.batches.at(-1)?.lastOffset === batch.lastOffset;
  }
}
