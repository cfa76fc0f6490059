/**
 * The group coordinator and the transaction coordinator. They depend on each other: groups accept offsets of open
 * transactions, and the end of a transaction commits or discards them.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock, type Clock } from './clock';
import { FileKeyValueLog } from './storage/file-key-value-log';
import { groupAdminHandlers } from './groups/admin-handlers';
import { membershipHandlers } from './groups/membership-handlers';
import { committedOffsetHandlers } from './groups/committed-offset-handlers';
import { GroupRegistry } from './groups/registry';
import { MemoryKeyValueLog, type KeyValueLog } from './storage/key-value-log';
import type { Partitions } from './partitions';
import type { Handler } from './requests/handler';
import { TransactionCoordinator } from './transactions/coordinator';
import { transactionHandlers } from './transactions/handlers';
import { transactionInspectionHandlers } from './transactions/inspection-handlers';

/** Kafka's defaults in milliseconds and bytes, except that on one machine the initial rebalance has no delay. */
const COORDINATOR_DEFAULTS = {
  /** `group.initial.rebalance.delay.ms` */
  initialRebalanceDelayMs: 0,
  /** `group.min.session.timeout.ms` */
  minSessionTimeoutMs: 6_000,
  /** `group.max.session.timeout.ms` */
  maxSessionTimeoutMs: 1_800_000,
  /** `offset.metadata.max.bytes` */
  maxMetadataBytes: 4_096,
  /** `transaction.max.timeout.ms` */
  maxTimeoutMs: 900_000,
  /** `offsets.retention.minutes` */
  offsetsRetentionMs: 604_800_000,
  /** `offsets.retention.check.interval.ms` */
  retentionCheckMs: 600_000,
};
export type CoordinatorSettings = typeof COORDINATOR_DEFAULTS;

export interface CoordinatorDeps {
  readonly partitions: Partitions;
  /** The broker's data folder; null: everything stays in memory. */
  readonly dataDir: string | null;
  /**
   * `always`: flushed to disk before a request is acknowledged. `never`: left to the operating system, which survives
   * SIGKILL but not a power failure.
   */
  readonly fsync: 'always' | 'never';
  readonly log: (line: string) => void;
}

export interface Coordinators {
  readonly handlers: ReadonlyMap<number, Handler>;
  readonly transactions: Pick<TransactionCoordinator, 'checkAppend'>;
  /** Deletes the offsets that groups have committed for the topic. */
  deleteCommittedOffsets(topic: string): Promise<void>;
  /** Completes or rejects waiting requests and closes the logs. */
  close(): Promise<void>;
}

/** The partitions must be open. State is stored in `groups.log` and `transactions.log` in the data folder. */
export async function openCoordinators(
  services: CoordinatorDeps,
  settings: Partial<CoordinatorSettings> = {},
  clock: Clock = systemClock,
): Promise<Coordinators> {
  const { partitions, log } = services;
  const merged = { ...COORDINATOR_DEFAULTS, ...settings };
  const [groupsLog, transactionsLog] = [await openLog(services, 'groups'), await openLog(services, 'transactions')];
  const groups = await GroupRegistry.open(groupsLog, clock, merged, log);
  const transactions = await TransactionCoordinator.open({
    stateLog: transactionsLog,
    clock,
    partitions,
    pendingOffsets: () => groups.offsets.pendingProducers(),
    endGroupTransaction: (...args) => groups.offsets.endTransaction(...args),
    maxTimeoutMs: merged.maxTimeoutMs,
    log,
  });
  const handlers = new Map([
    ...membershipHandlers(groups, merged),
    ...groupAdminHandlers(groups, partitions),
    ...committedOffsetHandlers({
      groups,
      clock,
      partitions,
      maxMetadataBytes: merged.maxMetadataBytes,
      checkTransaction: ({ transactionalId, producerId, producerEpoch, groupId }) =>
        transactions.checkOffsets(transactionalId, { producerId, epoch: producerEpoch }, groupId),
    }),
    ...transactionHandlers(transactions, partitions),
    ...transactionInspectionHandlers(transactions, partitions, clock),
  ]);
  const stopExpiring = repeat(clock, merged.retentionCheckMs, async () => {
    const problem = (error: unknown): void => log(`Cannot delete expired offsets: ${String(error)}`);
    await groups.expire(merged.offsetsRetentionMs).catch(problem);
  });
  return {
    handlers,
    transactions,
    deleteCommittedOffsets: (topic) => groups.offsets.deleteTopic(topic),
    async close() {
      const expired = stopExpiring();
      groups.close();
      await transactions.close();
      await expired;
      await Promise.all([groupsLog.close(), transactionsLog.close()]);
    },
  };
}

async function openLog({ dataDir, fsync, log }: CoordinatorDeps, name: string): Promise<KeyValueLog> {
  if (dataDir === null) return new MemoryKeyValueLog();
  await mkdir(dataDir, { recursive: true });
  return FileKeyValueLog.open(join(dataDir, `${name}.log`), { fsync, log });
}

/** Repeats `work`. The returned function stops it, and resolves when no run is in progress. */
function repeat(clock: Clock, everyMs: number, work: () => Promise<void>): () => Promise<void> {
  let ended = false;
  let running = Promise.resolve();
  let cancel = (): void => undefined;
  const next = (): void => {
    cancel = clock.schedule(everyMs, () => {
      running = work().then(() => (ended ? undefined : next()));
    });
  };
  next();
  return async () => {
    ended = true;
    cancel();
    await running;
  };
}
