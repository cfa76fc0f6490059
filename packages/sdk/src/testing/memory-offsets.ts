/** Source offsets in memory. As in the real store, values read back are those that JSON can represent. */
import { offsetFault } from '../checks/offset-fault';
import type { OffsetValue, SourceOffset, SourcePartition } from '../record';
import type { OffsetReader } from '../task';

export class MemoryOffsets implements OffsetReader {
  private readonly stored = new Map<string, SourceOffset>();

  /** @param initial offsets from an earlier run, e.g. `[[{ file: 'a' }, { position: 10 }]]`. */
  constructor(initial: readonly (readonly [SourcePartition, SourceOffset])[] = []) {
    for (const [partition, offset] of initial) this.write(partition, offset);
  }

  async offset(partition: SourcePartition): Promise<SourceOffset | null> {
    return this.get(partition);
  }

  async offsets(partitions: readonly SourcePartition[]): Promise<(SourceOffset | null)[]> {
    return partitions.map((partition) => this.get(partition));
  }

  /** Null if no offset is stored. */
  get(partition: SourcePartition): SourceOffset | null {
    return this.stored.get(partitionKey(partition)) ?? null;
  }

  /** Changes of the copy leave these offsets unchanged. */
  copy(): MemoryOffsets {
    const copy = new MemoryOffsets();
    for (const [partition, offset] of this.stored) copy.stored.set(partition, offset);
    return copy;
  }

  /** A null offset deletes the partition's offset. Throws TypeError for values that cannot be stored. */
  write(partition: SourcePartition, offset: SourceOffset | null): void {
    if (offset === null) this.stored.delete(partitionKey(partition));
    else this.stored.set(partitionKey(partition), readBack(offset, 'source offset'));
  }
}

/** Independent of the order of members, as in a worker. */
export function partitionKey(partition: SourcePartition): string {
  const members = Object.entries(readBack(partition, 'source partition')).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(members, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}

function readBack(map: Readonly<Record<string, OffsetValue>>, what: string): Record<string, OffsetValue> {
  const found = offsetFault(map, what);
  if (found !== null) throw new TypeError(found.reason);
  return Object.fromEntries(
    Object.entries(map).map(([key, value]) => {
      if (value instanceof Uint8Array) return [key, Buffer.from(value).toString('base64')];
      if (typeof value === 'bigint' && Number.isSafeInteger(Number(value))) return [key, Number(value)];
      return [key, value];
    }),
  );
}
