/** Writes offsets of a stopped exactly-once source in one transaction. Source: connect-runtime §3.8. */
import type { KafkaError } from '../../kafka/errors';
import type { ClientConfig, KafkaClients, SendPermission } from '../../kafka/port';
import type { SourceOffsets, WrittenOffset } from '../../storage/offsets/offset-store';
import type { OffsetRecords } from '../../tasks/host';

export interface EncodedOffsets extends Pick<SourceOffsets, 'list' | 'setPartitionOrder'> {
  encode(connector: string, offsets: readonly WrittenOffset[]): Promise<OffsetRecords>;
  copy(connector: string, offsets: readonly WrittenOffset[]): Promise<void>;
}

export interface TransactionalOffsetsOptions {
  readonly offsets: EncodedOffsets;
  readonly clients: Pick<KafkaClients, 'producer'>;
  /** With the transactional id of the connector's first task, whose zombies it fences. */
  readonly producer: ClientConfig;
  readonly permission: SendPermission;
}

/** For aborting a failed transaction, which tasks would otherwise wait for when they read their offsets. */
const ABORT_MS = 1_000;

export function transactionalOffsets({
  offsets,
  clients,
  producer: config,
  permission,
}: TransactionalOffsetsOptions): Pick<SourceOffsets, 'list' | 'setPartitionOrder' | 'write'> {
  return {
    list: async (connector) => await offsets.list(connector),
    setPartitionOrder: (connector, order) => offsets.setPartitionOrder(connector, order),
    write: async (connector, entries) => {
      const { topic, records } = await offsets.encode(connector, entries);
      const producer = clients.producer(config, permission);
      try {
        await producer.connect();
        await producer.initTransactions();
        await producer.prepare([topic]);
        producer.beginTransaction();
        let failure: KafkaError | null = null;
        for (const [key, value] of records) {
          await producer.whenReady();
          producer.send({ topic, key, value }, (error) => (failure ??= error));
        }
        await producer.flush();
        if (failure !== null) throw failure as KafkaError;
        await producer.commitTransaction();
      } finally {
        await producer.close(ABORT_MS);
      }
      await offsets.copy(connector, entries);
    },
  };
}
