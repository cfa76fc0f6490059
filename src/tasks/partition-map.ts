/** A map by topic and partition. */
import type { TopicPartition } from '@millrace/sdk';

export class PartitionMap<V> {
  private readonly map = new Map<string, { readonly partition: TopicPartition; value: V }>();

  get(of: TopicPartition): V | undefined {
    return this.map.get(keyOf(of))?.value;
  }
  has(of: TopicPartition): boolean {
    return this.map.has(keyOf(of));
  }
  set(of: TopicPartition, value: V): void {
    const known = this.map.get(keyOf(of));
    if (known) known.value = value;
    else this.map.set(keyOf(of), { partition: { topic: of.topic, partition: of.partition }, value });
  }
  delete(of: TopicPartition): void {
    this.map.delete(keyOf(of));
  }
  clear(): void {
    this.map.clear();
  }
  get size(): number {
    return this.map.size;
  }
  *entries(): IterableIterator<[TopicPartition, V]> {
    for (const { partition, value } of this.map.values()) yield [partition, value];
  }
  partitions(): TopicPartition[] {
    return [...this.map.values()].map(({ partition }) => partition);
  }
}

function keyOf({ topic, partition }: TopicPartition): string {
  // Topic names hold no slash.
  return `${partition}/${topic}`;
}
