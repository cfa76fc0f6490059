/** What exactly-once source tasks request of the group before they start. Source: connect-runtime §3.9. */
import { backoffMs, ConnectError, messageOf, monotonicNow, RetriableError, sleep } from '@millrace/sdk';
import type { ConnectorTaskId } from '../../connector-task-id';
import { about } from '../../logging/line-subject';
import type { Logger } from '../../logging/logger';
import type { ConfigStore } from '../../storage/config/config-store';
import type { ExactlyOnceGate } from '../../tasks/host';
import { taskName } from '../../tasks/task-id';
import { HerderError, NotHereError, UnreachableWorkerError } from '../errors';

/** How long fencing is retried while the leader is unknown, unreachable, or busy with a rebalance. Milliseconds. */
const RETRY_MS = 60_000;
const BACKOFF = { firstMs: 250, maxMs: 5_000, jitter: [0.8, 1.2] } as const;
/** Java's is unlimited: the task is stopped if it takes too long. Milliseconds. */
const READ_MS = 600_000;
const POLL_MS = 100;
/** Errors of a leader that is killed or stops, or that another one has fenced. */
const LEADER_GONE = /^(?:IO Error trying to forward|Worker is shutting down$|Failed to write to config topic)/;

export interface HerderGateOptions {
  readonly configs: Pick<ConfigStore, 'snapshot' | 'readToEnd'>;
  /** By this worker as leader; rejects with NotHereError if it does not lead. */
  readonly fence: (connector: string) => Promise<void>;
  /** Requests fencing of the leader. */
  readonly requestFencing: (connector: string) => Promise<void>;
  /** Runs a request on the tick, between rebalances. */
  readonly run: <T>(stage: string, run: () => Promise<T>) => Promise<T>;
  /** Whether this worker owns the task. `unknown`: the coordinator has not responded for a session timeout. */
  readonly ownership: (id: ConnectorTaskId) => 'owned' | 'revoked' | 'unknown';
  readonly logger: Logger;
}

export class HerderGate implements ExactlyOnceGate {
  constructor(private readonly options: HerderGateOptions) {}

  async fence(connector: string): Promise<void> {
    const { fence, requestFencing, logger } = this.options;
    const deadline = monotonicNow() + RETRY_MS;
    for (let failures = 1; ; failures++) {
      try {
        await fence(connector).catch(async (error: unknown) => {
          if (!(error instanceof NotHereError)) throw error;
          await requestFencing(connector).catch((remote: unknown) => {
            const gone = remote instanceof HerderError && LEADER_GONE.test(remote.message);
            throw gone ? new HerderError(503, remote.message, { cause: remote }) : remote;
          });
        });
        return;
      } catch (error) {
        const wait = backoffMs(failures, BACKOFF);
        if (!isMomentary(error) || monotonicNow() + wait > deadline) throw retriable(error, connector);
        logger.debug(
          `Cannot fence the earlier tasks of connector ${connector} yet, retrying in ${wait} ms`,
          about({ connector }, { error }),
        );
        await sleep(wait);
      }
    }
  }

  async confirm(id: ConnectorTaskId, generation: number): Promise<void> {
    const { configs, run } = this.options;
    const deadline = monotonicNow() + READ_MS;
    await configs.readToEnd(READ_MS);
    for (;;) {
      try {
        const stage = `performing a preflight check for task ${taskName(id)}`;
        if (await run(stage, async () => this.isCurrent(id, generation))) return;
      } catch (error) {
        // A rebalance took long.
        if (!(error instanceof HerderError) || error.status !== 409 || monotonicNow() > deadline) throw error;
      }
      await sleep(POLL_MS);
    }
  }

  /** False: not known yet. Throws ConnectError TASK_START_OUTDATED. */
  private isCurrent(id: ConnectorTaskId, generation: number): boolean {
    const name = taskName(id);
    if (this.options.configs.snapshot().generation(id.connector) !== generation)
      throw outdated(
        `Cannot start source task ${name} with exactly-once support as the connector has already generated a new set of task configs`,
      );
    const ownership = this.options.ownership(id);
    if (ownership === 'revoked')
      throw outdated(`Cannot start source task ${name} as it has already been revoked from this worker`);
    return ownership === 'owned';
  }
}

/** A rebalance, new task configs, a session key that has just been replaced, or a leader that is starting. */
function isMomentary(error: unknown): boolean {
  return (
    error instanceof UnreachableWorkerError ||
    (error instanceof HerderError && [403, 409, 503].includes(error.status)) ||
    (error instanceof ConnectError && error.code.startsWith('CONFIG_WRITE_'))
  );
}

/** Of the leader's storage as well, which is on this worker if it leads. */
function retriable(error: unknown, connector: string): RetriableError {
  return new RetriableError(
    `Failed to perform round of zombie fencing for connector ${connector}: ${messageOf(error)}`,
    {
      code: 'FENCING_FAILED',
      cause: error,
    },
  );
}

function outdated(message: string): ConnectError {
  return new ConnectError(message, { code: 'TASK_START_OUTDATED' });
}
