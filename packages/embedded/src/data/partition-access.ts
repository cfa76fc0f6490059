/** The coordinators' access to partitions: looks them up and appends transaction markers. */
import { controlBatch } from '../log/batch';
import type { Partitions } from '../partitions';
import type { TopicRegistry } from '../topics/registry';

export function partitionAccess(topics: TopicRegistry, now: () => number): Partitions {
  return {
    exists: (at) => topics.partition(at) !== undefined,
    topicName: (topicId) => topics.byId(topicId)?.name,
    *producers() {
      for (const { name, partitions } of topics.all()) {
        for (const [partition, log] of partitions.entries()) {
          for (const { producerId, epoch } of log.producers.all()) {
            const isOpen = log.transactions.openSince(producerId) !== null;
            yield { producerId, epoch, openIn: isOpen ? { topic: name, partition } : null };
          }
        }
      }
    },
    appendMarker: async (at, marker) => {
      const partition = topics.partition(at);
      if (!partition) throw new Error(`Partition ${at.topic}-${at.partition} does not exist.`);
      const { segmentBytes, segmentMs } = topics.get(at.topic)!.settings;
      const stored = partition.append(controlBatch(marker, now()), { segmentBytes, segmentMs, appendTime: null });
      await partition.durable();
      return stored.baseOffset;
    },
  };
}
