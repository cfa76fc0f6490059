/**
 * The Kafka channel: signals of partition 0 of a topic, with the topic prefix as key (cdc-postgres §4.9). The offset is
 * committed when the signals before it are applied. The connector's offset tells which of them arrive again: after a
 * crash in between, and when the group's offset has expired.
 */
import { messageOf, type ConsumedRecord, type Logger, type TaskConsumer } from '@millrace/sdk';
import { MAX_SIGNAL_LENGTH, parseSignal } from './signal';
import type { SignalInbox } from './signal-inbox';
import { kafkaMark, kafkaPosition, type KafkaPosition } from './signal-mark';

export class KafkaChannel {
  private failing = false;
  /** To be committed; null: nothing. */
  private next: number | null = null;
  /** What earlier runs have applied. */
  private readonly applied: KafkaPosition | null;
  /** Newest timestamp of a signal so far. */
  private newest: number;

  constructor(
    private readonly consumer: TaskConsumer,
    private readonly topic: string,
    private readonly prefix: string,
    private readonly inbox: SignalInbox,
    private readonly logger: Logger,
    /** Of the last run. */
    mark: string | null = null,
  ) {
    this.applied = kafkaPosition(mark, topic);
    this.newest = this.applied?.timestamp ?? -1;
  }

  async poll(): Promise<void> {
    try {
      const records = await this.consumer.poll(0);
      const last = records.at(-1);
      for (const record of records) await this.process(record);
      if (last !== undefined) this.next = last.offset + 1;
      if (this.next !== null && !this.inbox.closed) await this.consumer.commit(this.next);
      this.next = null;
      this.failing = false;
    } catch (error) {
      // Once per outage: the channel is read again at the next interval.
      if (!this.failing) this.logger.warn(`PG_SIGNAL: reading signal topic ${this.topic} failed: ${messageOf(error)}`);
      this.failing = true;
    }
  }

  async close(): Promise<void> {
    await this.consumer.close();
  }

  private async process(record: ConsumedRecord): Promise<void> {
    const { key, value, offset, timestamp } = record;
    const { applied } = this;
    const skip = (why: string): void =>
      this.logger.warn(`PG_SIGNAL: the signal at offset ${offset} of topic ${this.topic} ${why}; skipping it.`);
    if (key === null || Buffer.from(key).toString() !== this.prefix)
      return skip(`is for another connector: its key is not "${this.prefix}"`);
    if (value === null) return;
    if (value.length > MAX_SIGNAL_LENGTH) return skip(`is longer than ${MAX_SIGNAL_LENGTH} bytes`);
    if (applied !== null && offset <= applied.offset && timestamp <= applied.timestamp) {
      this.logger.info(`The signal at offset ${offset} of topic ${this.topic} was applied before; skipping it.`);
      return;
    }
    this.newest = Math.max(this.newest, timestamp);
    let signal;
    try {
      signal = parseSignal(Buffer.from(value).toString(), 'kafka');
    } catch (error) {
      return skip((error as Error).message);
    }
    await this.inbox.add(signal, kafkaMark(this.topic, { offset, timestamp: this.newest })).catch(() => undefined);
  }
}
