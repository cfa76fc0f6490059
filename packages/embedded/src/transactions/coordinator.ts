/**
 * The transaction coordinator. Each request is decided by transaction.ts and written to the log before the response.
 * A prepared transaction is completed, if necessary after a restart: markers and group offsets first, then its state.
 */
import type { Clock } from '../clock';
import type { KeyValueLog } from '../storage/key-value-log';
import { ErrorCode } from '../protocol/errors';
import type { Partitions, TopicPartition } from '../partitions';
import { ProducerIds } from './producer-ids';
import { producerTraces, type ProducerTrace } from './producer-traces';
import * as decide from './transaction';
import type { ProducerIdentity, Transaction } from './transaction';

export interface TransactionCoordinatorDeps {
  readonly stateLog: KeyValueLog;
  readonly clock: Clock;
  readonly partitions: Partitions;
  /** Groups with offsets of transactions that have not ended, and the producers of these. */
  pendingOffsets(): Iterable<{ readonly groupId: string; readonly producerId: number }>;
  /** Commits or discards the offsets of a transaction. May be repeated after a crash. */
  endGroupTransaction(groupId: string, producerId: number, committed: boolean): Promise<void>;
  /** `transaction.max.timeout.ms` */
  readonly maxTimeoutMs: number;
  readonly log: (line: string) => void;
}

interface Entry {
  readonly id: string;
  /** Null until the first producer id is stored. */
  transaction: Transaction | null;
  /** A change is being written: other requests get CONCURRENT_TRANSACTIONS and retry. */
  transitionPending: boolean;
  cancelTimeout: (() => void) | null;
  /** Resolves when the prepared transaction is complete. */
  completing: Promise<void> | null;
}

/** The identity of the producer, or an error code. */
type InitResult = ProducerIdentity & { readonly errorCode: number };

const RETRY_MS = 100;
/** EndTxn waits this long for the markers, so that consumers usually see the result when the producer continues. */
const WAIT_FOR_MARKERS_MS = 500;

export class TransactionCoordinator {
  private readonly entries = new Map<string, Entry>();
  private readonly byProducer = new Map<number, Entry>();
  private closed = false;

  private constructor(
    private readonly deps: TransactionCoordinatorDeps,
    private readonly ids: ProducerIds,
  ) {}

  /** Partitions must be open: transactions that a crash left prepared are completed at once. */
  static async open(deps: TransactionCoordinatorDeps): Promise<TransactionCoordinator> {
    const stored = new Map<string, string>();
    for await (const [key, value] of deps.stateLog.load()) stored.set(key, value);
    const traces = producerTraces(deps.partitions.producers(), deps.pendingOffsets());
    const transactions: [string, Transaction][] = [];
    for (const [key, value] of stored) {
      const [kind, id] = JSON.parse(key) as ['transaction', string] | ['producer-ids', undefined];
      if (kind === 'transaction') transactions.push([id, JSON.parse(value) as Transaction]);
    }
    let used = -1;
    for (const producerId of traces.keys()) used = Math.max(used, producerId);
    for (const [, { producerId }] of transactions) used = Math.max(used, producerId);
    const coordinator = new TransactionCoordinator(deps, ProducerIds.restore(deps.stateLog, stored, used));
    for (const [id, transaction] of transactions) coordinator.restore(id, transaction, traces);
    for (const [producerId, trace] of traces) coordinator.abortUnknown(producerId, trace);
    return coordinator;
  }

  private restore(id: string, stored: Transaction, traces: ReadonlyMap<number, ProducerTrace>): void {
    const entry = this.ensure(id);
    const trace = traces.get(stored.producerId);
    const current = trace === undefined ? stored : decide.recover(stored, trace);
    if (current.state !== stored.state) {
      this.deps.log(`Aborting the transaction of '${id}': its state was lost when the machine failed`);
    }
    entry.transaction = current;
    this.byProducer.set(current.producerId, entry);
    this.scheduleTimeout(entry, current);
    if (decide.isPreparing(current)) this.complete(entry, current);
  }

  /** Ends a transaction that no transactional id has, because its state was lost when the machine failed. */
  private abortUnknown(producerId: number, { epoch, partitions, groups }: ProducerTrace): void {
    if (this.byProducer.has(producerId) || partitions.length + groups.length === 0) return;
    this.deps.log(`Aborting a transaction of producer ${producerId}: its state was lost when the machine failed`);
    const id = String(producerId);
    void this.writeEnd(id, { producerId, epoch, partitions, groups }, false);
  }

  // ------------------------------------------------------------ requests

  async initProducer(
    transactionalId: string | null,
    timeoutMs: number,
    expected: ProducerIdentity | null,
  ): Promise<InitResult> {
    if (transactionalId === null) {
      return { errorCode: ErrorCode.NONE, producerId: await this.ids.allocate(), epoch: 0 };
    }
    if (transactionalId === '') return failed(ErrorCode.INVALID_REQUEST);
    if (timeoutMs <= 0 || timeoutMs > this.deps.maxTimeoutMs) return failed(ErrorCode.INVALID_TRANSACTION_TIMEOUT);
    const entry = this.ensure(transactionalId);
    if (entry.transitionPending) return failed(ErrorCode.CONCURRENT_TRANSACTIONS);
    return this.withTransition(entry, async () => {
      const current = entry.transaction;
      if (current === null) {
        return initialized(await this.save(entry, decide.newTransaction(await this.ids.allocate(), timeoutMs)));
      }
      const next = decide.initProducer(current, timeoutMs, expected);
      if (typeof next === 'number') return failed(next);
      if (next === current) return initialized(current);
      if (next === 'abort') {
        this.complete(entry, await this.save(entry, decide.fence(current)));
        return failed(ErrorCode.CONCURRENT_TRANSACTIONS);
      }
      if (next !== 'new-id') return initialized(await this.save(entry, next));
      const renamed = { ...decide.newTransaction(await this.ids.allocate(), timeoutMs), previous: expected };
      return initialized(await this.save(entry, renamed));
    });
  }

  /** Resolves to an error code. */
  add(
    transactionalId: string,
    producer: ProducerIdentity,
    more: { partitions?: readonly TopicPartition[]; groups?: readonly string[] },
  ): Promise<number> {
    return this.change(transactionalId, (current) => decide.add(current, producer, more, this.deps.clock.now()));
  }

  /** Resolves to an error code, usually after the markers are written. */
  async end(transactionalId: string, producer: ProducerIdentity, committed: boolean): Promise<number> {
    const errorCode = await this.change(
      transactionalId,
      (current) => decide.end(current, producer, committed),
      (entry, prepared) => this.complete(entry, prepared),
    );
    const completing = this.entries.get(transactionalId)?.completing ?? null;
    if (errorCode === ErrorCode.NONE && completing !== null) await this.waitAtMost(completing, WAIT_FOR_MARKERS_MS);
    return errorCode;
  }

  // ------------------------------------------------------------ checks for groups and partitions

  /** Whether offsets of the group may be added to the ongoing transaction, as an error code. */
  checkOffsets(transactionalId: string, producer: ProducerIdentity, groupId: string): number {
    const current = this.entries.get(transactionalId)?.transaction;
    if (current == null || current.producerId !== producer.producerId) return ErrorCode.INVALID_PRODUCER_ID_MAPPING;
    if (current.epoch !== producer.epoch) return ErrorCode.INVALID_PRODUCER_EPOCH;
    return current.state === 'Ongoing' && current.groups.includes(groupId)
      ? ErrorCode.NONE
      : ErrorCode.INVALID_TXN_STATE;
  }

  /**
   * Whether the producer may append to the partition in its transaction, as an error code. The caller must append in
   * the same event loop turn, so that no marker comes in between.
   */
  checkAppend(producer: ProducerIdentity, at: TopicPartition): number {
    const current = this.byProducer.get(producer.producerId)?.transaction;
    if (current == null) return ErrorCode.INVALID_PRODUCER_ID_MAPPING;
    if (current.epoch !== producer.epoch) return ErrorCode.INVALID_PRODUCER_EPOCH;
    return current.state === 'Ongoing' && decide.includesPartition(current, at)
      ? ErrorCode.NONE
      : ErrorCode.INVALID_TXN_STATE;
  }

  /** The first error of several partitions. */
  checkAppends(producer: ProducerIdentity, partitions: readonly TopicPartition[]): number {
    for (const at of partitions) {
      const errorCode = this.checkAppend(producer, at);
      if (errorCode !== ErrorCode.NONE) return errorCode;
    }
    return ErrorCode.NONE;
  }

  /** Transactional ids and their transactions. */
  all(): [string, Transaction][] {
    return [...this.entries.values()].flatMap(({ id, transaction }) =>
      transaction === null ? [] : [[id, transaction]],
    );
  }

  /** Waits briefly for transactions that are being completed; a restart completes the rest. */
  async close(): Promise<void> {
    this.closed = true;
    for (const entry of this.entries.values()) entry.cancelTimeout?.();
    await this.waitAtMost(
      Promise.all([...this.entries.values()].map(({ completing }) => completing)),
      WAIT_FOR_MARKERS_MS,
    );
  }

  // ------------------------------------------------------------ state changes

  private ensure(id: string): Entry {
    let entry = this.entries.get(id);
    if (entry === undefined) {
      entry = { id, transaction: null, transitionPending: false, cancelTimeout: null, completing: null };
      this.entries.set(id, entry);
    }
    return entry;
  }

  private async change(
    transactionalId: string,
    decision: (current: Transaction) => Transaction | number,
    onSaved: (entry: Entry, next: Transaction) => void = () => undefined,
  ): Promise<number> {
    const entry = this.entries.get(transactionalId);
    if (entry === undefined || entry.transaction === null) return ErrorCode.INVALID_PRODUCER_ID_MAPPING;
    const current = entry.transaction;
    const next = decision(current);
    if (typeof next === 'number') return next;
    if (entry.transitionPending) return ErrorCode.CONCURRENT_TRANSACTIONS;
    if (next === current) return ErrorCode.NONE;
    await this.withTransition(entry, async () => onSaved(entry, await this.save(entry, next)));
    return ErrorCode.NONE;
  }

  private async withTransition<T>(entry: Entry, work: () => Promise<T>): Promise<T> {
    entry.transitionPending = true;
    try {
      return await work();
    } finally {
      entry.transitionPending = false;
    }
  }

  private async save(entry: Entry, next: Transaction): Promise<Transaction> {
    await this.deps.stateLog.append(JSON.stringify(['transaction', entry.id]), JSON.stringify(next));
    if (entry.transaction !== null && entry.transaction.producerId !== next.producerId)
      this.byProducer.delete(entry.transaction.producerId);
    this.byProducer.set(next.producerId, entry);
    this.scheduleTimeout(entry, next);
    entry.transaction = next;
    return next;
  }

  // ------------------------------------------------------------ completing

  private complete(entry: Entry, prepared: Transaction): void {
    entry.completing = this.writeCompletion(entry, prepared).finally(() => (entry.completing = null));
  }

  private async writeCompletion(entry: Entry, prepared: Transaction): Promise<void> {
    await this.writeEnd(entry.id, prepared, prepared.state === 'PrepareCommit');
    // A prepared transaction accepts no other change, so no lock is needed.
    await this.untilDone(`store the end of the transaction of '${entry.id}'`, () =>
      this.save(entry, decide.complete(prepared)),
    );
  }

  /** @param id for the log */
  private async writeEnd(
    id: string,
    { partitions, groups, producerId, epoch }: Pick<Transaction, 'partitions' | 'groups' | 'producerId' | 'epoch'>,
    committed: boolean,
  ): Promise<void> {
    await Promise.all([
      ...partitions.map((at) =>
        this.untilDone(`write the marker of '${id}' to ${at.topic}-${at.partition}`, async () => {
          // A deleted partition needs no marker.
          if (!this.deps.partitions.exists(at)) return;
          await this.deps.partitions.appendMarker(at, { producerId, producerEpoch: epoch, committed });
        }),
      ),
      ...groups.map((groupId) =>
        this.untilDone(`end the offsets of group '${groupId}' in the transaction of '${id}'`, () =>
          this.deps.endGroupTransaction(groupId, producerId, committed),
        ),
      ),
    ]);
  }

  /** Repeats work that fails, for instance on a full disk, until the broker stops; a restart resumes it. */
  private async untilDone(what: string, work: () => Promise<unknown>): Promise<void> {
    let isReported = false;
    while (!this.closed) {
      try {
        await work();
        return;
      } catch (error) {
        if (!isReported) this.deps.log(`Cannot ${what}, retrying: ${String(error)}`);
        isReported = true;
        await new Promise<void>((resolve) => this.deps.clock.schedule(RETRY_MS, resolve));
      }
    }
  }

  private waitAtMost(work: Promise<unknown>, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.deps.clock.schedule(ms, resolve);
      void work.then(() => {
        cancel();
        resolve();
      });
    });
  }

  // ------------------------------------------------------------ timeouts

  private scheduleTimeout(entry: Entry, next: Transaction): void {
    if (next.state === 'Ongoing' && next.startedAt === entry.transaction?.startedAt && entry.cancelTimeout !== null)
      return;
    entry.cancelTimeout?.();
    entry.cancelTimeout = null;
    if (next.state !== 'Ongoing') return;
    const left = Math.max(0, next.startedAt + next.timeoutMs - this.deps.clock.now());
    entry.cancelTimeout = this.deps.clock.schedule(left, () => void this.abortTimedOut(entry));
  }

  private async abortTimedOut(entry: Entry, isRetry = false): Promise<void> {
    const retry = (): void => {
      entry.cancelTimeout = this.deps.clock.schedule(RETRY_MS, () => void this.abortTimedOut(entry, isRetry));
    };
    const current = entry.transaction;
    if (current?.state !== 'Ongoing' || this.closed) return;
    if (entry.transitionPending) return retry();
    if (!isRetry) {
      this.deps.log(`Aborting the transaction of '${entry.id}': it exceeded its timeout of ${current.timeoutMs} ms`);
    }
    try {
      await this.withTransition(entry, async () => {
        this.complete(entry, await this.save(entry, decide.fence(current)));
      });
    } catch (error) {
      if (!isRetry) this.deps.log(`Cannot abort the transaction of '${entry.id}', retrying: ${String(error)}`);
      isRetry = true;
      retry();
    }
  }
}

const failed = (errorCode: number): InitResult => ({ errorCode, producerId: -1, epoch: -1 });
const initialized = ({ producerId, epoch }: ProducerIdentity): InitResult => ({
  errorCode: ErrorCode.NONE,
  producerId,
  epoch,
});
