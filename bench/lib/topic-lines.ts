/** What is left in a topic, e.g. after its compaction. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';

/** Its last records may be gone, so do not wait for them. */
const QUIET_MS = 2_000;

/** A line for each record: partition, offset, key and value. */
export async function topicLines(bootstrapServers: string, topic: string): Promise<string[]> {
  const kafka = new Kafka({ brokers: bootstrapServers.split(','), logLevel: logLevel.NOTHING });
  const consumer = kafka.consumer({ groupId: `${topic}-lines-${randomBytes(3).toString('hex')}` });
  const lines: string[] = [];
  let lastAt: number;
  await consumer.connect();
  const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve));
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ partition, message: { offset, key, value } }) => {
      lines.push(`${partition}:${offset} ${String(key)} ${String(value)}`);
      lastAt = Date.now();
    },
  });
  await joined;
  lastAt = Date.now();
  while (Date.now() - lastAt < QUIET_MS) await sleep(100);
  await consumer.disconnect();
  return lines;
}
