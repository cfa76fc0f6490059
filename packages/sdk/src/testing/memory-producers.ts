/** In-memory producers for a plugin's own records. */
import type { KafkaClientConfig, KafkaRecord, TaskProducer } from '../producer';

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
