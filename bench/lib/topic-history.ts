/** What the topics of versioned rows say, read to their end. */
import { Kafka, logLevel } from 'kafkajs';
import { GONE } from './versioned-rows';

interface Event {
  readonly op: string;
  readonly before: { readonly id: number } | null;
  readonly after: { readonly id: number; readonly v: number } | null;
}

export class TopicHistory {
  /** Version of the last event of each row, by "table id". */
  readonly last = new Map<string, number>();
  /** "table id version" of every event. */
  readonly events = new Set<string>();
  /** Streamed changes that came first after a later change of the same row. */
  outOfOrder = 0;
  records = 0;
  /** Events with `op` r. */
  snapshotRows = 0;
  private readonly newest = new Map<string, number>();

  add(table: string, event: Event): void {
    const id = (event.after ?? event.before)?.id;
    const row = `${table} ${id}`;
    const version = event.op === 'd' ? GONE : (event.after?.v as number);
    const change = `${row} ${version}`;
    this.records++;
    this.last.set(row, version);
    if (event.op === 'r') this.snapshotRows++;
    else if (!this.events.has(`streamed ${change}`)) {
      this.events.add(`streamed ${change}`);
      // A repeated change may follow later ones; a change that is seen for the first time must not.
      if (version < (this.newest.get(row) ?? -1)) this.outOfOrder++;
      this.newest.set(row, version);
    }
    this.events.add(change);
  }
}

/** Reads the topics `<prefix>.public.<table>` from the beginning to their current end. */
export async function readHistory(
  bootstrapServers: string,
  prefix: string,
  tables: readonly string[],
): Promise<TopicHistory> {
  const kafka = new Kafka({ brokers: bootstrapServers.split(','), logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  const ends = new Map<string, number>();
  for (const table of tables)
    for (const { partition, high } of await admin.fetchTopicOffsets(`${prefix}.public.${table}`))
      if (Number(high) > 0) ends.set(`${table} ${partition}`, Number(high));
  await admin.disconnect();
  const history = new TopicHistory();
  const consumer = kafka.consumer({ groupId: `${prefix}-history-${Date.now()}` });
  await consumer.connect();
  await consumer.subscribe({ topics: tables.map((table) => `${prefix}.public.${table}`), fromBeginning: true });
  await new Promise<void>((resolve, reject) => {
    consumer
      .run({
        eachMessage: async ({ topic, partition, message }) => {
          const table = topic.slice(`${prefix}.public.`.length);
          if (message.value !== null) history.add(table, JSON.parse(message.value.toString()) as Event);
          if (Number(message.offset) + 1 >= (ends.get(`${table} ${partition}`) ?? 0))
            ends.delete(`${table} ${partition}`);
          if (ends.size === 0) resolve();
        },
      })
      .catch(reject);
  });
  await consumer.disconnect();
  return history;
}
