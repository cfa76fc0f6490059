/** The Kafka clients of a previewed task: its own consumers read, its own producers discard their records. */
import { ConnectError } from '@millrace/sdk';
import type { KafkaClients, Producer } from '../../kafka/port';

/** @param load creates real clients, when the task wants a consumer */
export function previewClients(load: () => KafkaClients, onDiscarded: () => void): KafkaClients {
  const none = (): never => {
    throw new ConnectError('A preview has no such Kafka client.');
  };
  return {
    producer: () => discardingProducer(onDiscarded),
    assignedConsumer: (...given) => load().assignedConsumer(...given),
    admin: none,
    groupConsumer: none,
    groupMember: none,
  };
}

/** Reports each record as delivered. */
function discardingProducer(onDiscarded: () => void): Producer {
  const nothing = async (): Promise<void> => undefined;
  return {
    connect: nothing,
    send: ({ topic, partition }, onDelivery, token = -1) => {
      onDiscarded();
      setImmediate(() => onDelivery?.(null, token, topic, partition ?? 0, 0));
    },
    prepare: nothing,
    isPrepared: () => true,
    bufferedBytes: 0,
    whenReady: () => null,
    flush: nothing,
    initTransactions: nothing,
    beginTransaction: () => undefined,
    sendOffsetsToTransaction: nothing,
    commitTransaction: nothing,
    abortTransaction: nothing,
    close: nothing,
  };
}
