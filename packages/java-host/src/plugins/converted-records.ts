import type { ConsumedBatch, SinkRecord, TopicPartitionOffset } from '@millrace/sdk';

/** Records that the host has converted and not put, until the runtime processes them. */
export class ConvertedRecords<T> {
  private next = 0;

  /**
   * @param positions where they were consumed
   * @param outcomes of those that are not to be put, by their index in the order of the indexes
   */
  constructor(
    private readonly positions: readonly TopicPartitionOffset[],
    private readonly outcomes: readonly (readonly [number, T])[],
  ) {}

  /** How many are not taken. */
  get left(): number {
    return this.positions.length - this.next;
  }

  /** The outcomes of these records, by their index; null: they are not the next ones. */
  take(records: readonly SinkRecord[]): [number, T][] | null {
    const begin = this.next;
    if (!records.every((record, at) => isAt(record, this.positions[begin + at]))) return null;
    this.next += records.length;
    const ofThese = this.outcomes.filter(([index]) => index >= begin && index < this.next);
    return ofThese.map(([index, outcome]) => [index - begin, outcome]);
  }
}

/** Of the records from `from` to `to`, excluded. */
export function positionsOf(batches: readonly ConsumedBatch[], from: number, to: number): TopicPartitionOffset[] {
  const all = batches.flatMap(({ topic, partition, records }) =>
    records.map(({ offset }) => ({ topic, partition, offset })),
  );
  return all.slice(from, to);
}

function isAt(record: SinkRecord, position: TopicPartitionOffset | undefined): boolean {
  const { originalTopic, originalPartition, originalOffset } = record;
  if (position?.offset !== originalOffset) return false;
  return position.topic === originalTopic && position.partition === originalPartition;
}
