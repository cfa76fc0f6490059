/** Hands a file over and waits until its rows are in the table. Source: analytics-sink §5.8. */
import { type Logger, sleep } from '@millrace/sdk';
import type { SealedFile } from '../batcher/staging-file';
import { ServiceError } from '../service/service-error';
import type { Shipment, Target } from './target';

const FIRST_POLL_MS = 250;
const MAX_POLL_MS = 10_000;

export interface FileStatus {
  /** As the service says it, e.g. `Succeeded`. */
  readonly status: string;
  readonly errorCode?: string;
  readonly details?: string;
}

/** One of the service's ways to tell what became of a file. */
export interface Confirmation {
  /**
   * Resolves when the service has the file, with what asks for its status; null: not known now. @throws ServiceError,
   * PartitionRevokedError
   */
  begin(shipment: Shipment): Promise<() => Promise<FileStatus | null>>;
}

type Verdict = 'loaded' | 'partly' | 'refused' | 'under way';
const VERDICTS: ReadonlyMap<string, Verdict> = new Map([
  ['Succeeded', 'loaded'],
  // By its tag it was in the table already.
  ['Skipped', 'loaded'],
  ['PartiallySucceeded', 'partly'],
  ['Failed', 'refused'],
  ['Canceled', 'refused'],
]);

export class ConfirmedTarget implements Target {
  constructor(
    private readonly confirmation: Confirmation,
    private readonly timeoutMs: number,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /**
   * Resolves when the rows are in the table. @throws ServiceError, with the service's own code when it refused the
   * file; PartitionRevokedError
   */
  async ship(shipment: Shipment): Promise<void> {
    const { file, owner, onAccepted } = shipment;
    const ask = await this.confirmation.begin(shipment);
    onAccepted?.();
    const deadline = Date.now() + this.timeoutMs;
    for (let wait = FIRST_POLL_MS; ; wait = Math.min(wait * 2, MAX_POLL_MS)) {
      await sleep(wait, owner.signal);
      owner.signal.throwIfAborted();
      const found = await this.askFor(ask);
      const verdict = VERDICTS.get(found?.status ?? '') ?? 'under way';
      if (verdict === 'partly')
        this.logger.warn(`The service has loaded a part of ${file.name} into ${tableOf(file)}: ${told(found)}`);
      if (verdict === 'loaded' || verdict === 'partly') return;
      if (verdict === 'refused')
        throw new ServiceError(
          `The service could not load ${file.name} into ${tableOf(file)}: ${told(found)}`,
          'permanent',
          { ...(found?.errorCode && { serviceCode: found.errorCode }) },
        );
      if (Date.now() > deadline)
        throw new ServiceError(
          `The service did not say within ${this.timeoutMs} ms whether ${file.name} was loaded`,
          'transient',
        );
    }
  }

  private async askFor(ask: () => Promise<FileStatus | null>): Promise<FileStatus | null> {
    try {
      return await ask();
    } catch (error) {
      // The service has the file: handing it over again because of a lost answer would load it twice.
      if (error instanceof ServiceError && error.kind !== 'permanent') return null;
      throw error;
    }
  }
}

function told(found: FileStatus | null): string {
  return `${found?.errorCode ?? ''} ${found?.details ?? ''}`.trim();
}

export function tableOf({ mapping }: SealedFile): string {
  return `${mapping.database}.${mapping.table}`;
}
