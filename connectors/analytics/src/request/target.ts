/** Where files go. */
import type { Shipment } from './queued-target';

export interface Target {
  /** Resolves when the file needs no more care. @throws ServiceError, GivenAwayError */
  ship(shipment: Shipment): Promise<void>;
}
