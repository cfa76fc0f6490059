/** All records of a topic. */
import type { FetchedBatch } from '../../../packages/kafka-client/src/port';
import type { Clients } from '../../helpers/kafka-clients';
import { waitFor } from '../../helpers/wait-for';

export type FetchedRecord = FetchedBatch['records'][number];

/**
 * Those of partition 0, once there are at least `count`: waits for the topic, too.
 * @param detail for the error if they do not come
 */
export async function recordsOf(
  clients: Clients,
  topic: string,
  count: number,
  detail: () => string,
): Promise<FetchedRecord[]> {
  await waitFor(
    `${topic} to be there`,
    async () => (await clients.admin.describeTopics([topic])).some(({ partitions }) => partitions.length > 0),
    { detail },
  );
  const tp = { topic, partition: 0 };
  const consumer = await clients.assigned();
  consumer.assign([tp]);
  await consumer.seekToBeginning([tp]);
  const records: FetchedRecord[] = [];
  const end = async (): Promise<number> => (await clients.admin.listOffsets([tp], 'latest'))[0]?.offset ?? 0;
  try {
    await waitFor(
      `${count} records in ${topic}`,
      async () => {
        for (const batch of await consumer.poll(200)) records.push(...batch.records);
        return records.length >= count && (consumer.position(tp) ?? 0) >= (await end());
      },
      { everyMs: 0, timeoutMs: 60_000, detail: () => `${records.length} have come\n${detail()}` },
    );
  } finally {
    await consumer.close();
  }
  return records;
}

export const textOf = ({ value }: FetchedRecord): string => String(value);
