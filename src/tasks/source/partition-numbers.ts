/** Numbers source partitions from 0, so that what is known of them can be kept in arrays. */
import type { SourcePartition } from '@millrace/sdk';

export class PartitionNumbers {
  private readonly partitions: (SourcePartition | null)[] = [];
  private readonly byIdentity = new Map<string, number>();
  private readonly byObject = new WeakMap<SourcePartition, number>();
  private lastPartition: SourcePartition | null = null;
  private lastNumber = -1;

  /** Cheap for the partition object of the last call, which most records share. */
  of(partition: SourcePartition | null): number {
    if (partition !== null && partition === this.lastPartition) return this.lastNumber;
    let number = partition === null ? undefined : this.byObject.get(partition);
    if (number === undefined) {
      const identity = identityOf(partition);
      number = this.byIdentity.get(identity) ?? this.add(identity, partition);
      if (partition !== null) this.byObject.set(partition, number);
    }
    this.lastPartition = partition;
    this.lastNumber = number;
    return number;
  }

  partition(number: number): SourcePartition | null {
    return this.partitions[number] as SourcePartition | null;
  }

  private add(identity: string, partition: SourcePartition | null): number {
    const number = this.partitions.push(partition) - 1;
    this.byIdentity.set(identity, number);
    return number;
  }
}

/** Member order matters: it determines the bytes of the key in the offsets topic. */
function identityOf(partition: SourcePartition | null): string {
  return JSON.stringify(partition, (_key, value: unknown) => {
    // 1n and 1 have the same text in the offsets topic.
    if (typeof value === 'bigint' || Number.isSafeInteger(value)) return { integer: String(value) };
    return value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('base64') } : value;
  });
}
