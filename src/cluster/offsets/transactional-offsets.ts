/** Writes offsets of a stopped exactly-once source in one transaction. Source: connect-runtime §3.8. */
import { KafkaError, type ClientConfig, type KafkaClients, type SendPermission } from '@millrace/kafka-client';
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
      // Of the membership that the change began in: in a later one, another worker may have started the tasks.
      const { epoch } = permission;
      const { topic, records } = await offsets.encode(connector, entries);
      const producer = clients.producer(config, permission);
      try {
        await producer.connect();
        // A permission holds back records, and not this request, which fences the tasks of another worker.
        if (permission.check(epoch) !== 'now') throw sessionLost(topic);
        await producer.initTransactions();
        await producer.prepare([topic]);
        producer.beginTransaction();
        let failure: KafkaError | null = null;
        for (const [key, value] of records) {
          await producer.whenReady();
          producer.send({ topic, key, value }, (error) => (failure ??= error), 0, epoch);
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

function sessionLost(topic: string): KafkaError {
  const text = `Offsets for ${topic} were not written: this worker has lost its place in the group, and the tasks may be assigned to other workers.`;
  return new KafkaError('SESSION_LOST', text, { topic });
}
