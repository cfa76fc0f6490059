import type { WireRequest } from '../wire';
import { request, type Api } from './api';

/**
 * From version 3 on a producer sends its current id and epoch, so that a fenced one cannot fence its successor
 * (KIP-360).
 */
export const INIT_PRODUCER_ID: Api = { name: 'InitProducerId', key: 22, min: 0, max: 4, flexibleFrom: 2 };

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
  return request(
    INIT_PRODUCER_ID,
    version,
    (w) => {
      w.nullableString(transactionalId).int32(transactionTimeoutMs);
      if (version >= 3) w.int64(current.producerId).int16(current.epoch);
      w.tags();
    },
    (r) => {
      r.int32(); // throttle time
      const response = { errorCode: r.int16(), producerId: r.int64(), epoch: r.int16() };
      r.tags();
      return response;
    },
  );
}
