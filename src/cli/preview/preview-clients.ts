/** The Kafka clients of a previewed task: its own consumers read, its own producers discard their records. */
import { ConnectError } from '@millrace/sdk';
import type { KafkaClients } from '../../kafka/port';
import { previewProducer } from '../../tasks/source/preview-delivery';

/** @param load creates real clients, when the task wants a consumer */
export function previewClients(load: () => KafkaClients, onDiscarded: () => void): KafkaClients {
  const none = (): never => {
    throw new ConnectError('A preview has no such Kafka client.');
  };
  return {
    // Reports each record as delivered.
    producer: () =>
      previewProducer(({ topic, partition }, onDelivery, token = -1) => {
        onDiscarded();
        setImmediate(() => onDelivery?.(null, token, topic, partition ?? 0, 0));
      }),
    assignedConsumer: (...given) => load().assignedConsumer(...given),
    admin: none,
    groupConsumer: none,
    groupMember: none,
  };
}
