/** How large the records of a topic are. */
import { createKafkaClients } from '@millrace/kafka-client/clients';
import { silentLogger } from '../../src/logging/logger';

const MOST_POLLS = 100;

/** Average bytes of key and value, of the first records of partition 0. */
export async function recordBytes(bootstrapServers: string, topic: string, records = 1_000): Promise<number> {
  const consumer = createKafkaClients(silentLogger).assignedConsumer({
    'bootstrap.servers': bootstrapServers,
    'client.id': 'bench-record-bytes',
    'auto.offset.reset': 'earliest',
  });
  await consumer.connect();
  try {
    consumer.assign([{ topic, partition: 0 }]);
    let bytes = 0;
    let count = 0;
    for (let polls = 0; count < records && polls < MOST_POLLS; polls++)
      for (const batch of await consumer.poll(100))
        for (const { key, value } of batch.records) {
          bytes += (key?.length ?? 0) + (value?.length ?? 0);
          count++;
        }
    return bytes / count;
  } finally {
    await consumer.close();
  }
}
