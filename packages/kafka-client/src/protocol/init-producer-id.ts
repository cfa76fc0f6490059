import * as kafka from '@millrace/kafka-protocol';
import type { WireRequest } from '../wire';
import { request } from './api';

/**
 * From version 3 on a producer sends its current id and epoch, so that a fenced one cannot fence its successor
 * (KIP-360).
 */
export const INIT_PRODUCER_ID = kafka.withVersions(kafka.INIT_PRODUCER_ID, 0, 4);

export interface InitializedProducer {
  readonly errorCode: number;
  readonly producerId: number;
  readonly epoch: number;
}

/** @param current -1 and -1 for a new producer. */
export function initProducerIdRequest(
  version: number,
  transactionalId: string | null,
  transactionTimeoutMs: number,
  current: { producerId: number; epoch: number } = { producerId: -1, epoch: -1 },
): WireRequest<InitializedProducer> {
  const { producerId, epoch: producerEpoch } = current;
  return request(
    INIT_PRODUCER_ID,
    version,
    { transactionalId, transactionTimeoutMs, producerId, producerEpoch },
    ({ errorCode, producerId, producerEpoch }) => ({ errorCode, producerId, epoch: producerEpoch }),
  );
}
