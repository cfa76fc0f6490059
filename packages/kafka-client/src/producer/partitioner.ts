/** The partition of a record without an explicit one, as in Java's default partitioner. Source: kafka-client §2. */

const SEED = 0x9747b28c;
const M = 0x5bd1e995;

export function partitionForKey(key: Uint8Array, partitionCount: number): number {
  return partitionCount === 1 ? 0 : (murmur2(key) & 0x7fffffff) % partitionCount;
}

/**
 * The signed 32-bit hash of record keys, as Java prints it. Storage topics are compacted, so a key in a partition other
 * than Java's would have two live values. Source: connect-runtime §1.1.
 */
export function murmur2(bytes: Uint8Array): number {
  const length = bytes.length;
  let h = SEED ^ length;
  let i = 0;
  for (const blocks = length - (length % 4); i < blocks; i += 4) {
    let k = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    k = Math.imul(k, M);
    k ^= k >>> 24;
    h = Math.imul(h, M) ^ Math.imul(k, M);
  }
  const tail = length - i;
  if (tail >= 3) h ^= bytes[i + 2]! << 16;
  if (tail >= 2) h ^= bytes[i + 1]! << 8;
  if (tail >= 1) h = Math.imul(h ^ bytes[i]!, M);
  h = Math.imul(h ^ (h >>> 13), M);
  return h ^ (h >>> 15);
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
