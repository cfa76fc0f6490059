/** In-memory consumers and producers for records that a plugin reads and writes itself. */
import type { ConsumedRecord, TaskConsumer } from '../consumer';
import type { KafkaClientConfig, KafkaRecord, TaskProducer } from '../producer';
import type { TopicPartition } from '../record';

export class MemoryConsumers {
  /** What the consumers read; its offsets are the positions in this list. */
  readonly records: Omit<ConsumedRecord, 'offset'>[] = [];
  /** The config and partition of each created consumer. */
  readonly created: (readonly [KafkaClientConfig, TopicPartition])[] = [];
  /** The next offset to read after a restart. */
  committed = 0;

  add(key: string | null, value: string | null): void {
    const bytes = (text: string | null): Uint8Array | null => (text === null ? null : Buffer.from(text));
    this.records.push({ timestamp: 0, key: bytes(key), value: bytes(value), headers: [] });
  }

  readonly create = (config: KafkaClientConfig, partition: TopicPartition): TaskConsumer => {
    this.created.push([config, partition]);
    let next = this.committed;
    return {
      poll: async () => {
        const from = next;
        next = this.records.length;
        return this.records.slice(from).map((record, i) => ({ ...record, offset: from + i }));
      },
      seek: async (offset) => void (next = offset),
      commit: async (offset) => void (this.committed = offset),
      close: async () => undefined,
    };
  };
}

export class MemoryProducers {
  readonly records: KafkaRecord[] = [];
  /** The config of each created producer. */
  readonly configs: KafkaClientConfig[] = [];

  readonly create = (config: KafkaClientConfig): TaskProducer => {
    this.configs.push(config);
    return {
      connect: async () => undefined,
      send: async (records) => {
        for await (const record of records) this.records.push(record);
      },
      close: async () => undefined,
    };
  };
}
