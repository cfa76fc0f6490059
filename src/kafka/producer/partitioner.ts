/** The partition of a record without an explicit one, as in Java's default partitioner. Source: kafka-client §2. */
import { murmur2 } from './murmur2';

export function partitionForKey(key: Uint8Array, partitionCount: number): number {
  return partitionCount === 1 ? 0 : (murmur2(key) & 0x7fffffff) % partitionCount;
}

/**
 * Keeps records without a key on one partition until its batch is sent or full, then switches to the next: fewer and
 * fuller batches than with a partition per record.
 */
export class StickyPartition {
  private current = -1;
  private switchPartition = false;

  /** @param random chooses the first partition. */
  constructor(private readonly random: () => number = Math.random) {}

  /** @param isAvailable partitions without a leader are skipped while another one has a leader. */
  choose(partitionCount: number, isAvailable: (partition: number) => boolean): number {
    if (this.current >= 0 && !this.switchPartition && this.current < partitionCount) return this.current;
    let candidate = this.current < 0 ? Math.floor(this.random() * partitionCount) : (this.current + 1) % partitionCount;
    for (let checked = 1; checked < partitionCount && !isAvailable(candidate); checked++) {
      candidate = (candidate + 1) % partitionCount;
    }
    this.switchPartition = false;
    this.current = candidate;
    return candidate;
  }

  /** The batch of this partition was sent or is full: the next record goes to another partition. */
  batchEnded(partition: number): void {
    if (partition === this.current) this.switchPartition = true;
  }
}
