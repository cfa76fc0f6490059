/** A partition by name, and what the coordinators may do to its log. */

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

export interface ProducerInPartition {
  readonly producerId: number;
  readonly epoch: number;
  /** The partition, if the producer's transaction has no marker in it yet; otherwise null. */
  readonly openIn: TopicPartition | null;
}

export interface Partitions {
  exists(at: TopicPartition): boolean;
  /** Undefined if no topic has this id. */
  topicName(topicId: string): string | undefined;
  /** Each producer of each partition. */
  producers(): Iterable<ProducerInPartition>;
  /**
   * Appends a control batch that ends the producer's transaction in this partition, and raises the producer's epoch
   * there. Resolves to the marker's offset once it is flushed as the fsync policy requires. Rejects if the partition
   * does not exist.
   */
  appendMarker(
    at: TopicPartition,
    marker: { readonly producerId: number; readonly producerEpoch: number; readonly committed: boolean },
  ): Promise<number>;
}
