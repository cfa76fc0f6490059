/** The offsets of a topic, and the clients that read it. */
import { ConnectError } from '@millrace/sdk';
import type { Admin, AssignedConsumer } from '@millrace/kafka-client';

export interface TopicReaders {
  readonly admin: Pick<Admin, 'describeTopics' | 'listOffsets'>;
  /** Connected; reads committed records. */
  readonly consumer: Pick<AssignedConsumer, 'assign' | 'seek' | 'poll' | 'position' | 'wakeup'>;
}

export interface RecordRange {
  readonly partition: number;
  readonly first: number;
  /** After the last committed record. */
  readonly end: number;
}

/** Of each partition. Throws ConnectError `TOPIC_NOT_FOUND`, KafkaError. */
export async function recordRanges(admin: TopicReaders['admin'], topic: string): Promise<RecordRange[]> {
  const [description] = await admin.describeTopics([topic]);
  if (!description)
    throw new ConnectError(`Topic ${topic} does not exist, or the worker may not read it.`, {
      code: 'TOPIC_NOT_FOUND',
      place: { topic },
    });
  const partitions = description.partitions.map(({ partition }) => ({ topic, partition }));
  const [earliest, latest] = await Promise.all([
    admin.listOffsets(partitions, 'earliest'),
    admin.listOffsets(partitions, 'latest', 'read_committed'),
  ]);
  const offsetIn = (list: typeof latest, partition: number): number =>
    list.find((entry) => entry.partition === partition)?.offset ?? 0;
  return partitions.map(({ partition }) => {
    const first = offsetIn(earliest, partition);
    return { partition, first, end: Math.max(first, offsetIn(latest, partition)) };
  });
}
