/** Reads the channels that are polled, while the connector streams. */
import { sleep, type KafkaClientConfig, type Logger, type TaskConsumer, type TopicPartition } from '@millrace/sdk';
import type { PostgresConfig } from '../config/postgres-config';
import { FileChannel } from './file-channel';
import { KafkaChannel } from './kafka-channel';
import type { SignalInbox } from './signal-inbox';
import type { MarkedChannel } from './signal-mark';

export interface ChannelContext {
  readonly logger: Logger;
  readonly signal: AbortSignal;
  createConsumer(config: KafkaClientConfig, partition: TopicPartition): TaskConsumer;
}

export class SignalChannels {
  private readonly stopping = new AbortController();
  private readonly kafka: KafkaChannel | null;
  private readonly file: FileChannel | null;
  private readonly pollIntervalMs: number;
  private loops: Promise<unknown> = Promise.resolve();

  constructor(
    config: Pick<PostgresConfig, 'signals' | 'prefix' | 'part'>,
    private readonly context: ChannelContext,
    private readonly inbox: SignalInbox,
    marks: ReadonlyMap<MarkedChannel, string>,
  ) {
    const { prefix, part } = config;
    const { kafka, file, pollIntervalMs } = config.signals;
    this.pollIntervalMs = pollIntervalMs;
    // Each task of several slots reads all signals.
    const group: Record<string, string> =
      part === null ? {} : { 'group.id': `${kafka?.consumer['group.id']}-${part.number}` };
    const { logger } = context;
    this.kafka =
      kafka === null
        ? null
        : new KafkaChannel(
            context.createConsumer({ ...kafka.consumer, ...group }, { topic: kafka.topic, partition: 0 }),
            kafka.topic,
            prefix,
            inbox,
            logger,
            marks.get('kafka'),
          );
    this.file = file === null ? null : new FileChannel(file, inbox, logger, marks.get('file'));
  }

  start(): void {
    const channels = [this.kafka, this.file].filter((channel) => channel !== null);
    this.loops = Promise.all(channels.map((channel) => this.loop(channel)));
  }

  async close(): Promise<void> {
    this.stopping.abort();
    this.inbox.close();
    await this.kafka?.close().catch(() => undefined);
    await this.loops;
  }

  private async loop(channel: { poll(): Promise<void> }): Promise<void> {
    const signal = AbortSignal.any([this.stopping.signal, this.context.signal]);
    while (!signal.aborted) {
      await channel.poll().catch((error: unknown) => this.context.logger.warn(`PG_SIGNAL: ${String(error)}`));
      await sleep(this.pollIntervalMs, signal).catch(() => undefined);
    }
  }
}
