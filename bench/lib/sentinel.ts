/** A row that is changed to see whether changes arrive, and whether its values are those of the table. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel, type Consumer } from 'kafkajs';
import type { ChangingPostgres } from './changing-postgres';

const RAW = Buffer.from([0, 255, 65]);
const SPAN = '1 day 02:03:04';
/** `interval.handling.mode=string`. */
const SPAN_TEXT = 'P0Y0M1DT2H3M4S';

interface Event {
  readonly after: { readonly n: number; readonly raw: string; readonly span: string } | null;
}

export class Sentinel {
  /** Values that are not those of the row. */
  wrong = 0;
  private arrived = 0;
  private sent = 0;
  private consumer: Consumer | null = null;

  constructor(private readonly postgres: ChangingPostgres) {}

  static readonly TABLE = 'sentinel';

  async create(): Promise<void> {
    await this.postgres.query(
      `CREATE TABLE ${Sentinel.TABLE} (id int PRIMARY KEY, n bigint NOT NULL, raw bytea NOT NULL, span interval NOT NULL)`,
    );
    await this.postgres.query(`INSERT INTO ${Sentinel.TABLE} VALUES (1, 0, '\\x${RAW.toString('hex')}', '${SPAN}')`);
  }

  async read(bootstrapServers: string, topic: string): Promise<void> {
    const kafka = new Kafka({ brokers: bootstrapServers.split(','), logLevel: logLevel.NOTHING });
    this.consumer = kafka.consumer({ groupId: `${topic}-${process.pid}` });
    await this.consumer.connect();
    await this.consumer.subscribe({ topics: [topic], fromBeginning: true });
    await this.consumer.run({
      eachMessage: async ({ message }) => {
        if (message.value === null) return;
        const { after } = JSON.parse(message.value.toString()) as Event;
        if (after === null) return;
        if (after.raw !== RAW.toString('base64') || after.span !== SPAN_TEXT) this.wrong++;
        this.arrived = Math.max(this.arrived, after.n);
      },
    });
  }

  /** Changes the row, and resolves with how long the change took to arrive; null: longer than `limitMs`. */
  async beat(limitMs: number): Promise<number | null> {
    const n = ++this.sent;
    const began = performance.now();
    await this.postgres.query(`UPDATE ${Sentinel.TABLE} SET n = ${n}`);
    while (this.arrived < n) {
      if (performance.now() - began > limitMs) return null;
      await sleep(50);
    }
    return performance.now() - began;
  }

  async stop(): Promise<void> {
    await this.consumer?.disconnect();
  }
}
