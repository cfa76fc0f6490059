/** What a read_committed consumer sees of the plugin `counters`: 1, 2, 3 … in each partition. */
import type { Admin, AssignedConsumer } from '@millrace/kafka-client';

export interface Counted {
  readonly records: number;
  readonly repeated: number;
  readonly lost: number;
}

/** Of a topic that nothing writes to any more. */
export async function countRecords(admin: Admin, consumer: AssignedConsumer, topic: string): Promise<Counted> {
  const [described] = await admin.describeTopics([topic]);
  const partitions = (described?.partitions ?? []).map((_, partition) => ({ topic, partition }));
  const ends = await admin.listOffsets(partitions, 'latest');
  consumer.assign(partitions);
  const last = partitions.map(() => 0);
  let [records, repeated, lost] = [0, 0, 0];
  while (ends.some((end) => (consumer.position(end) ?? 0) < end.offset))
    for (const batch of await consumer.poll(500))
      for (const { value } of batch.records) {
        const n = Number(String(value));
        const newest = last[batch.partition] as number;
        records++;
        if (n <= newest) repeated++;
        else lost += n - newest - 1;
        last[batch.partition] = Math.max(n, newest);
      }
  return { records, repeated, lost };
}
