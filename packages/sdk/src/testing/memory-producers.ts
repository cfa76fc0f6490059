/** What a plug-in's own producers write, in memory. */
import type { KafkaClientConfig, KafkaRecord, TaskProducer } from '../producer';

export class MemoryProducers {
  readonly records: KafkaRecord[] = [];
  /** Of each producer made. */
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
