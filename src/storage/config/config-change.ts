/** Writes one change of the config topic, and reports whether a failed change may have been stored. */
import { ConnectError, isConnectError, withDeadline } from '@millrace/sdk';
import { KafkaError } from '@millrace/kafka-client';
import type { ChangePermission, Decider } from './change-permission';
import type { CompactedLog, LogEntry } from '../log/compacted-log';
import { isSlow, isTopicDeleted } from '../log/topic-presence';

/** Timeout of one change with all its steps. Milliseconds. */
const TIMEOUT_MS = 30_000;

/** Java's text for a leader that cannot write any more. Source: connect-rest §2.6. */
const LEADER_FENCED =
  'Failed to write to config topic; this may be due to a transient error and the request can be safely retried';

/** Where the records of a change are written. */
export interface ChangeWriter {
  /** Failed writes of a transaction take no effect. */
  readonly transactional: boolean;
  write(records: readonly LogEntry[], epoch?: number): Promise<void>;
}

/** A change whose worker lost its group session before Kafka confirmed it. */
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
  private mayBeStored = false;
  /** A transaction has failed. */
  private fenced = false;

  constructor(
    private readonly log: Pick<CompactedLog, 'readToEnd' | 'readWritten' | 'checkTopic'>,
    private readonly writer: ChangeWriter,
    private readonly permission: ChangePermission | null,
    decider: Decider,
  ) {
    this.epoch = permission?.begin(decider);
  }

  /**
   * After the timeout no further step runs and nothing more is sent: a late commit record could fall between the
   * records of the next attempt and make its set incomplete. Records that were sent already stay before them.
   */
  async run(failure: string, steps: (change: ConfigChange) => Promise<void>): Promise<void> {
    try {
      await withDeadline(
        this.unlessDeleted(steps(this)),
        TIMEOUT_MS,
        () => new Error(`no answer within ${TIMEOUT_MS} ms`),
      );
    } catch (cause) {
      throw this.failed(failure, cause);
    } finally {
      this.over = true;
      if (this.epoch !== undefined) this.permission?.end(this.epoch);
    }
  }

  /** Rejects if the topic was deleted, for which the producer would wait. */
  private async unlessDeleted(steps: Promise<void>): Promise<void> {
    if (await isSlow(steps)) await Promise.race([steps, this.topicDeleted()]);
    await steps;
  }

  private async topicDeleted(): Promise<never> {
    await this.log.checkTopic?.().catch((error: unknown) => {
      if (isTopicDeleted(error)) throw error;
    });
    return await new Promise<never>(() => undefined);
  }

  async readToEnd(): Promise<void> {
    this.checkTimeout();
    await this.log.readToEnd();
  }

  /**
   * What this change and those before it have written, and all before that: in one partition, the acknowledgement says
   * how far to read. The offsets of a transaction say nothing about the end of others.
   */
  async readBack(): Promise<void> {
    this.checkTimeout();
    await (this.writer.transactional ? this.log.readToEnd() : this.log.readWritten());
  }

  /** Writes records that take effect only with a later record. */
  async prepare(records: readonly LogEntry[]): Promise<void> {
    this.checkTimeout();
    await this.send(records);
  }

  /**
   * Writes all records at once. They share a batch unless they exceed its size, and Kafka stores a batch completely or
   * not at all.
   */
  async write(records: readonly LogEntry[]): Promise<void> {
    this.checkTimeout();
    this.mayBeStored = true;
    try {
      await this.send(records);
    } catch (error) {
      if (isConnectError(error) || (error instanceof KafkaError && !error.inDoubt)) this.mayBeStored = false;
      throw error;
    }
  }

  private async send(records: readonly LogEntry[]): Promise<void> {
    const { writer, epoch } = this;
    if (!writer.transactional) {
      await writer.write(records, epoch);
      return;
    }
    try {
      await writer.write(records, epoch);
    } catch (error) {
      this.fenced = true;
      throw error;
    }
  }

  private checkTimeout(): void {
    if (this.over) throw new Error('the change has timed out');
  }

  private failed(failure: string, cause: unknown): ConnectError {
    // The transaction was not committed, so the decision can be made again. An error of the commit has another cause.
    if (this.fenced && isSessionLost(cause)) return new ConnectError(failure, { code: 'CONFIG_WRITE_DROPPED', cause });
    if (this.fenced) return new ConnectError(LEADER_FENCED, { code: 'CONFIG_WRITE_FENCED', cause });
    if (isTopicDeleted(cause))
      return new ConnectError(`${failure}: ${cause.message}`, { code: 'CONFIG_WRITE_FAILED', cause });
    if (this.mayBeStored)
      return new ConnectError(`${failure}. It may have been written nevertheless: check before you retry.`, {
        code: 'CONFIG_WRITE_IN_DOUBT',
        cause,
      });
    // The request can be forwarded to the new leader.
    if (isSessionLost(cause)) return new ConnectError(failure, { code: 'CONFIG_WRITE_DROPPED', cause });
    return new ConnectError(failure, { code: 'CONFIG_WRITE_FAILED', cause });
  }
}
