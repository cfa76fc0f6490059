/** Ways to deliver a file to the service. */
import type { SealedFile } from '../batcher/staging-file';
import type { Ownership } from './ownership';

export interface Shipment {
  readonly file: SealedFile;
  /** The same for all attempts of a file. */
  readonly sourceId: string;
  readonly owner: Ownership;
  /** Called when the service has accepted the file, by targets that then wait for its rows. */
  readonly onAccepted?: () => void;
}

export interface Target {
  /** Resolves when the file is delivered. @throws ServiceError, PartitionRevokedError */
  ship(shipment: Shipment): Promise<void>;
}
