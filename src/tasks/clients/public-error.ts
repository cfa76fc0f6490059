import { ConnectError, RetriableError, messageOf } from '@millrace/sdk';
import { KafkaError } from '@millrace/kafka-client';

/** The SDK's error for a Kafka error. A timeout is retriable, too. */
export function publicError(error: unknown): unknown {
  if (!(error instanceof KafkaError)) return error;
  const options = {
    code: error.code,
    cause: error,
    place: {
      ...(error.topic !== null && { topic: error.topic }),
      ...(error.partition !== null && { partition: error.partition }),
    },
  };
  const mayPass = error.retriable || error.code === 'DELIVERY_TIMEOUT' || error.code === 'CONNECTION_FAILED';
  return mayPass ? new RetriableError(messageOf(error), options) : new ConnectError(messageOf(error), options);
}
