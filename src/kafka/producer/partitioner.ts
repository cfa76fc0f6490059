/**
 * Which partition a record without an explicit one goes to, as Java's default partitioner decides. Source: kafka-client
 * §2.
 */
import { murmur2 } from './murmur2';

export function partitionForKey(key: Uint8Array, partitionCount: number): number {
  return partitionCount === 1 ? 0 : (murmur2(key) & 0x7fffffff) % partitionCount;
}

/**
 * Keeps records without a key on one partition until its batch is sent or full, then moves on: fewer, fuller batches
 * than spreading record by record.
 */
export class StickyPartition {
  private current = -1;
  private moveOn = false;

  /** @param random picks where to begin. */
  constructor(private readonly random: () => number = Math.random) {}

  /** @param isAvailable partitions without a leader are passed over while another one has a leader. */
  choose(partitionCount: number, isAvailable: (partition: number) => boolean): number {
    if (this.current >= 0 && !this.moveOn && this.current < partitionCount) return this.current;
    let candidate = this.current < 0 ? Math.floor(this.random() * partitionCount) : (this.current + 1) % partitionCount;
    for (let tried = 1; tried < partitionCount && !isAvailable(candidate); tried++) {
      candidate = (candidate + 1) % partitionCount;
    }
    this.moveOn = false;
    this.current = candidate;
    return candidate;
  }

  /** The batch of this partition was sent or is full: the next record starts another partition's. */
  batchEnded(partition: number): void {
    if (partition === this.current) this.moveOn = true;
  }
}
