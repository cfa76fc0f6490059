/** Reads records of a topic without a consumer group. */
import { ConnectError } from '@millrace/sdk';
import type { Admin, FetchedBatch, TopicPartition } from '@millrace/kafka-client';
import type { OpenCluster } from './open-cluster';
import type { StartPosition } from './read-options';

export interface TopicToRead {
  readonly topic: string;
  /** (Default: all) */
  readonly partition?: number | undefined;
  readonly start: StartPosition;
  /** Wait for new records, instead of ending with the last one that exists at the beginning. */
  readonly follow: boolean;
  readonly stopping: AbortSignal;
}

const POLL_MS = 1000;

/**
 * Batches with the records that were asked for. Only committed records are read.
 * @throws ConnectError `TOPIC_NOT_FOUND`, KafkaError
 */
export async function* readTopic(cluster: OpenCluster, asked: TopicToRead): AsyncGenerator<FetchedBatch> {
  const { topic, stopping, follow } = asked;
  const remaining = new Map<number, PartitionRange>();
  for (const range of await rangesOf(cluster, asked))
    if (follow || range.from < range.end) remaining.set(range.partition, range);
  const consumer = cluster.clients.assignedConsumer({
    ...cluster.settings('consumer'),
    'isolation.level': 'read_committed',
  });
  const wake = (): void => consumer.wakeup();
  stopping.addEventListener('abort', wake);
  try {
    await consumer.connect();
    cluster.showLog();
    consumer.assign([...remaining.keys()].map((partition) => ({ topic, partition })));
    for (const { partition, from } of remaining.values()) consumer.seek({ topic, partition, offset: from });
    while (!stopping.aborted && remaining.size > 0) {
      const batches = await consumer.poll(POLL_MS);
      for (const batch of batches) {
        const end = follow ? Infinity : (remaining.get(batch.partition)?.end ?? 0);
        const records = batch.records.filter(({ offset }) => offset < end);
        if (records.length > 0) yield { ...batch, records };
        if (stopping.aborted) return;
      }
      if (!follow) finish(remaining, (partition) => consumer.position({ topic, partition }));
    }
  } finally {
    stopping.removeEventListener('abort', wake);
    await consumer.close();
  }
}

function finish(remaining: Map<number, PartitionRange>, position: (partition: number) => number | undefined): void {
  for (const { partition, end } of remaining.values())
    if ((position(partition) ?? 0) >= end) remaining.delete(partition);
}

/** What is read of each partition now. @throws ConnectError `TOPIC_NOT_FOUND`, KafkaError */
export async function rangesOf(
  cluster: OpenCluster,
  { topic, partition, start }: Pick<TopicToRead, 'topic' | 'partition' | 'start'>,
): Promise<PartitionRange[]> {
  const admin = cluster.clients.admin(cluster.settings('admin'));
  try {
    const [description] = await admin.describeTopics([topic]);
    if (!description) {
      throw new ConnectError(`Topic ${topic} does not exist on ${cluster.brokers}, or may not be read.`, {
        code: 'TOPIC_NOT_FOUND',
        place: { topic },
      });
    }
    const partitions: TopicPartition[] = description.partitions
      .map((each) => ({ topic, partition: each.partition }))
      .filter((each) => partition === undefined || each.partition === partition);
    if (partitions.length === 0) {
      throw new ConnectError(`Topic ${topic} has no partition ${partition}.`, { code: 'TOPIC_NOT_FOUND' });
    }
    return await rangesFrom(admin, partitions, start);
  } finally {
    await admin.close();
  }
}

export interface PartitionRange {
  readonly partition: number;
  /** First offset to read. */
  readonly from: number;
  /** Offset after the last one that exists now. */
  readonly end: number;
}

/** The offsets from which each partition is read. */
async function rangesFrom(
  admin: Pick<Admin, 'listOffsets'>,
  partitions: readonly TopicPartition[],
  start: StartPosition,
): Promise<PartitionRange[]> {
  const earliest = await admin.listOffsets(partitions, 'earliest');
  // Uncommitted records are skipped, so that waiting for an end that is not visible yet would last.
  const latest = await admin.listOffsets(partitions, 'latest', 'read_committed');
  const atTime = start.at === 'time' ? await admin.listOffsets(partitions, { timestamp: start.value }) : [];
  return partitions.map(({ partition }) => {
    const offsetIn = (list: typeof latest): number | undefined =>
      list.find((entry) => entry.partition === partition)?.offset;
    const first = offsetIn(earliest) ?? 0;
    const end = offsetIn(latest) ?? 0;
    const found = offsetIn(atTime) ?? -1;
    return { partition, end, from: Math.min(Math.max(startOf(start, first, end, found), first), end) };
  });
}

function startOf(start: StartPosition, first: number, end: number, found: number): number {
  switch (start.at) {
    case 'beginning':
      return first;
    case 'end':
      return end;
    case 'offset':
      return start.value;
    case 'last':
      return end - start.value;
    case 'time':
      return found < 0 ? end : found;
  }
}
