/** One change of the config topic from its decision to its end, and what may be said of it when it fails. */
import { ConnectError, isConnectError, withDeadline } from '@millrace/sdk';
import { KafkaError } from '../../kafka/errors';
import type { ChangePermission, Decider } from './change-permission';
import type { CompactedLog, KeyValue } from '../log/compacted-log';

/** Budget of one change, however many steps it has. Milliseconds. */
const TIMEOUT_MS = 30_000;

/** A change whose worker lost its place in the group before it was written, as far as anyone knows. */
export interface OvertakenChange extends ConnectError {
  readonly code: 'CONFIG_WRITE_DROPPED' | 'CONFIG_WRITE_IN_DOUBT';
}

export function isOvertaken(error: unknown): error is OvertakenChange {
  return isConnectError(error) && error.code.startsWith('CONFIG_WRITE_') && isSessionLost(error.cause);
}

const isSessionLost = (cause: unknown): boolean => cause instanceof KafkaError && cause.code === 'SESSION_LOST';

export class ConfigChange {
  private readonly epoch: number | undefined;
  private over = false;
  private mayBeMade = false;

  constructor(
    private readonly log: CompactedLog,
    private readonly permission: ChangePermission | null,
    decider: Decider,
  ) {
    this.epoch = permission?.begin(decider);
  }

  /**
   * After the budget is spent no further step is taken and nothing more is sent: a commit record that followed late
   * could fall between the records of the next attempt and make its set incomplete. What was sent already keeps its
   * place before them.
   */
  async run(failure: string, steps: (change: ConfigChange) => Promise<void>): Promise<void> {
    try {
      await withDeadline(steps(this), TIMEOUT_MS, () => new Error(`no answer within ${TIMEOUT_MS} ms`));
    } catch (cause) {
      throw this.failed(failure, cause);
    } finally {
      this.over = true;
      if (this.epoch !== undefined) this.permission?.end(this.epoch);
    }
  }

  async readToEnd(): Promise<void> {
    this.expectTime();
    await this.log.readToEnd();
  }

  /** Writes what has no effect before something else is written. */
  async prepare(records: readonly KeyValue[]): Promise<void> {
    this.expectTime();
    await this.log.write(records, this.epoch);
  }

  /**
   * All at once: records of one write share a batch, unless they are larger than one, and Kafka stores a batch or
   * nothing of it.
   */
  async write(records: readonly KeyValue[]): Promise<void> {
    this.expectTime();
    this.mayBeMade = true;
    try {
      await this.log.write(records, this.epoch);
    } catch (error) {
      if (isConnectError(error) || (error instanceof KafkaError && !error.inDoubt)) this.mayBeMade = false;
      throw error;
    }
  }

  private expectTime(): void {
    if (this.over) throw new Error('the time for this change is over');
  }

  private failed(failure: string, cause: unknown): ConnectError {
    if (this.mayBeMade)
      return new ConnectError(`${failure}. It may have been written all the same: look before you ask for it again.`, {
        code: 'CONFIG_WRITE_IN_DOUBT',
        cause,
      });
    // Whoever leads the group by now may be asked for it.
    if (isSessionLost(cause)) return new ConnectError(failure, { code: 'CONFIG_WRITE_DROPPED', cause });
    return new ConnectError(failure, { code: 'CONFIG_WRITE_FAILED', cause });
  }
}
