/** The newest offset of each source partition since the last `take`. */
import type { SourceOffset, SourcePartition } from '@millrace/sdk';
import type { NewOffsets } from '../host';
import { PartitionNumbers } from './partition-numbers';

export class NewestOffsets {
  private readonly numbers = new PartitionNumbers();
  private readonly offsets: (SourceOffset | null)[] = [];
  private readonly changed = new Set<number>();

  set(partition: SourcePartition | null, offset: SourceOffset | null): void {
    const number = this.numbers.of(partition);
    this.offsets[number] = offset;
    this.changed.add(number);
  }

  get isEmpty(): boolean {
    return this.changed.size === 0;
  }

  take(): NewOffsets {
    const taken = [...this.changed].map(
      (number) => [this.numbers.partition(number), this.offsets[number] as SourceOffset | null] as const,
    );
    this.changed.clear();
    return taken;
  }
}
