/** Passes a file to the service and waits until its rows are in the table. Source: analytics-sink §5.8. */
import { type Logger, sleep, monotonicNow } from '@millrace/sdk';
import type { SealedFile } from '../batcher/staging-file';
import { ServiceError } from '../service/service-error';
import type { Shipment, Target } from './target';

const FIRST_POLL_MS = 250;
const MAX_POLL_MS = 10_000;

export interface FileStatus {
  /** The service's own term, e.g. `Succeeded`. */
  readonly status: string;
  readonly errorCode?: string;
  readonly details?: string;
}

/** One of the service's ways to report the outcome of a file. */
export interface Confirmation {
  /**
   * Resolves when the service has accepted the file. Returns a function that reads the file's status, or null while
   * that is unknown.
   *
   * @throws ServiceError, PartitionRevokedError
   */
  begin(shipment: Shipment): Promise<() => Promise<FileStatus | null>>;
}

type Verdict = 'loaded' | 'skipped' | 'partly loaded' | 'rejected' | 'pending';
const VERDICTS: ReadonlyMap<string, Verdict> = new Map([
  ['Succeeded', 'loaded'],
  // The table already holds rows with the file's tag.
  ['Skipped', 'skipped'],
  ['PartiallySucceeded', 'partly loaded'],
  ['Failed', 'rejected'],
  ['Canceled', 'rejected'],
]);

export class ConfirmedTarget implements Target {
  constructor(
    private readonly confirmation: Confirmation,
    private readonly timeoutMs: number,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /**
   * Resolves when the rows are in the table.
   *
   * @throws ServiceError, with the service's own code when it rejected the file; PartitionRevokedError
   */
  async ship(shipment: Shipment): Promise<void> {
    const { file, owner, onAccepted } = shipment;
    const read = await this.confirmation.begin(shipment);
    onAccepted?.();
    const deadline = monotonicNow() + this.timeoutMs;
    for (let wait = FIRST_POLL_MS; ; wait = Math.min(wait * 2, MAX_POLL_MS)) {
      await sleep(wait, owner.signal);
      owner.signal.throwIfAborted();
      const found = await this.readStatus(read);
      const verdict = VERDICTS.get(found?.status ?? '') ?? 'pending';
      if (verdict === 'partly loaded')
        this.logger.warn(`The service loaded only a part of ${file.name} into ${tableOf(file)}: ${describe(found)}`);
      if (verdict === 'skipped')
        this.logger.warn(`The service skipped ${file.name} for ${tableOf(file)}: ${describe(found)}`);
      if (verdict === 'loaded' || verdict === 'skipped' || verdict === 'partly loaded') return;
      if (verdict === 'rejected')
        throw new ServiceError(
          `The service could not load ${file.name} into ${tableOf(file)}: ${describe(found)}`,
          'permanent',
          { ...(found?.errorCode && { serviceCode: found.errorCode }) },
        );
      if (monotonicNow() > deadline)
        throw new ServiceError(
          `The service did not report within ${this.timeoutMs} ms whether ${file.name} was loaded`,
          'transient',
        );
    }
  }

  private async readStatus(read: () => Promise<FileStatus | null>): Promise<FileStatus | null> {
    try {
      return await read();
    } catch (error) {
      // The service has the file. Posting it again because a status request failed would load it twice.
      if (error instanceof ServiceError && error.kind !== 'permanent') return null;
      throw error;
    }
  }
}

function describe(found: FileStatus | null): string {
  return `${found?.errorCode ?? ''} ${found?.details ?? ''}`.trim();
}

export function tableOf({ mapping }: SealedFile): string {
  return `${mapping.database}.${mapping.table}`;
}
