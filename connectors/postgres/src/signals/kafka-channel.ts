/**
 * The Kafka channel: signals of partition 0 of a topic, with the topic prefix as key (cdc-postgres §4.9). The offset is
 * committed when the signals before it are applied, so a restart neither loses nor repeats them.
 */
import { messageOf, type ConsumedRecord, type Logger, type TaskConsumer } from '@millrace/sdk';
import { MAX_SIGNAL_LENGTH, parseSignal } from './parse-signal';
import type { SignalInbox } from './signal-inbox';

export class KafkaChannel {
  private failing = false;

  constructor(
    private readonly consumer: TaskConsumer,
    private readonly topic: string,
    private readonly prefix: string,
    private readonly inbox: SignalInbox,
    private readonly logger: Logger,
  ) {}

  async poll(): Promise<void> {
    try {
      const records = await this.consumer.poll(0);
      const last = records.at(-1);
      this.failing = false;
      if (last === undefined) return;
      for (const record of records) await this.process(record);
      if (!this.inbox.closed) await this.consumer.commit(last.offset + 1);
    } catch (error) {
      // Once per outage: the channel is read again at the next interval.
      if (!this.failing) this.logger.warn(`PG_SIGNAL: reading signal topic ${this.topic} failed: ${messageOf(error)}`);
      this.failing = true;
    }
  }

  async close(): Promise<void> {
    await this.consumer.close();
  }

  private async process({ key, value, offset }: ConsumedRecord): Promise<void> {
    const skip = (why: string): void =>
      this.logger.warn(`PG_SIGNAL: the signal at offset ${offset} of topic ${this.topic} ${why}; skipping it.`);
    if (key === null || Buffer.from(key).toString() !== this.prefix)
      return skip(`is for another connector: its key is not "${this.prefix}"`);
    if (value === null) return;
    if (value.length > MAX_SIGNAL_LENGTH) return skip(`is longer than ${MAX_SIGNAL_LENGTH} bytes`);
    let signal;
    try {
      signal = parseSignal(Buffer.from(value).toString(), 'kafka');
    } catch (error) {
      return skip((error as Error).message);
    }
    await this.inbox.add(signal).catch(() => undefined);
  }
}
