/** Where files go. */
import type { SealedFile } from '../batcher/staging-file';
import type { Ownership } from './ownership';

export interface Shipment {
  readonly file: SealedFile;
  /** The same for all tries of a file. */
  readonly sourceId: string;
  readonly owner: Ownership;
  /** Told when the service has the file, for targets that wait for more than that. */
  readonly onAccepted?: () => void;
}

export interface Target {
  /** Resolves when the file needs no more care. @throws ServiceError, PartitionRevokedError */
  ship(shipment: Shipment): Promise<void>;
}
