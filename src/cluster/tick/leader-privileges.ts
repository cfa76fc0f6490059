/**
 * The leader's right to write to the config topic in transactions: claimed when this worker becomes leader, and again
 * after a failed write. Sources: connect-runtime §1.4.7, §3.1 step 3.
 */
import { messageOf, sleep } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import type { ConfigStore } from '../../storage/config/config-store';

const BACKOFF_MS = 250;

export interface LeaderPrivilegesOptions {
  readonly configs: Pick<
    ConfigStore,
    'isTransactional' | 'canWriteAsLeader' | 'claimTransactions' | 'relinquishTransactions'
  >;
  readonly membership: { readonly isLeader: boolean; readonly generation: number };
  readonly readTimeoutMs: number;
  /** Aborted when the worker stops. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

export class LeaderPrivileges {
  /** Generation of the group under which the transactions were claimed. */
  private generation: number | null = null;

  constructor(private readonly options: LeaderPrivilegesOptions) {}

  /** This worker leads, and cannot write before the next `keep`. */
  get areMissing(): boolean {
    const { configs, membership } = this.options;
    if (!configs.isTransactional || !membership.isLeader) return false;
    // Another worker may have led between two generations.
    return !configs.canWriteAsLeader || this.generation !== membership.generation;
  }

  /** False: this worker leads and cannot write; a later tick retries. */
  async keep(): Promise<boolean> {
    const { configs, membership, readTimeoutMs, signal, logger } = this.options;
    if (!this.areMissing) {
      if (!membership.isLeader && this.generation !== null) {
        this.generation = null;
        await configs.relinquishTransactions();
      }
      return true;
    }
    const { generation } = membership;
    try {
      await configs.claimTransactions(readTimeoutMs);
      this.generation = generation;
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      logger.warn(
        `Cannot claim the leader's transactions for the config topic, retrying while this worker leads: ${messageOf(error)}`,
      );
      await sleep(BACKOFF_MS, signal);
      return false;
    }
  }
}
