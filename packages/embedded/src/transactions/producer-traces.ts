/**
 * What partitions and groups have of each producer when the broker starts. After a power failure it may be newer than
 * the coordinator's log, whose end was not flushed.
 */
import type { ProducerInPartition, TopicPartition } from '../partitions';

export interface ProducerTrace {
  /** The highest that a partition has; -1: none has one. */
  readonly epoch: number;
  /** Where the producer's transaction is open. */
  readonly partitions: readonly TopicPartition[];
  readonly groups: readonly string[];
}

/** By producer id. */
export function producerTraces(
  inPartitions: Iterable<ProducerInPartition>,
  pendingOffsets: Iterable<{ readonly groupId: string; readonly producerId: number }>,
): Map<number, ProducerTrace> {
  const traces = new Map<number, { epoch: number; partitions: TopicPartition[]; groups: string[] }>();
  const ensure = (producerId: number) => {
    let trace = traces.get(producerId);
    if (trace === undefined) traces.set(producerId, (trace = { epoch: -1, partitions: [], groups: [] }));
    return trace;
  };
  for (const { producerId, epoch, openIn } of inPartitions) {
    const trace = ensure(producerId);
    trace.epoch = Math.max(trace.epoch, epoch);
    if (openIn !== null) trace.partitions.push(openIn);
  }
  for (const { groupId, producerId } of pendingOffsets) ensure(producerId).groups.push(groupId);
  return traces;
}
