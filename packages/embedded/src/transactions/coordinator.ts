/**
 * Transactional ids: each request becomes a decision of transaction.ts, is kept in the log, and only then answered.
 * What was prepared is completed, now or after a restart: markers first, then the groups' offsets, then the record that
 * says so.
 */
import type { Clock } from '../clock';
import type { KeyValueLog } from '../storage/key-value-log';
import { ErrorCode } from '../protocol/errors';
import type { Partitions, TopicPartition } from '../partitions';
import { ProducerIds } from './producer-ids';
import * as decide from './transaction';
import type { ProducerIdentity, Transaction } from './transaction';

export interface TransactionCoordinatorDeps {
  readonly kept: KeyValueLog;
  readonly clock: Clock;
  readonly partitions: Partitions;
  /** Makes the offsets of a transaction count, or forgets them. May be called again after a crash. */
  endGroupTransaction(groupId: string, producerId: number, committed: boolean): Promise<void>;
  /** `transaction.max.timeout.ms` */
  readonly maxTimeoutMs: number;
  readonly log: (line: string) => void;
}

interface Entry {
  readonly id: string;
  /** Null until the first producer has its id. */
  now: Transaction | null;
  /** A change is on its way to the log: who asks meanwhile is told to come again. */
  busy: boolean;
  cancelTimeout: (() => void) | null;
  /** Resolves when what was prepared is complete. */
  finishing: Promise<void> | null;
}

/** `errorCode`, or who the producer now is. */
export type GivenIdentity = ProducerIdentity & { readonly errorCode: number };

const RETRY_MARKERS_MS = 100;
/** An end of transaction is answered when its markers are written, so that readers see it; but not later than this. */
const WAIT_FOR_MARKERS_MS = 500;

export class TransactionCoordinator {
  private readonly entries = new Map<string, Entry>();
  private readonly byProducer = new Map<number, Entry>();
  private closed = false;

  private constructor(
    private readonly deps: TransactionCoordinatorDeps,
    private readonly ids: ProducerIds,
  ) {}

  /** Partitions must be open: what a crash left prepared is completed at once. */
  static async open(deps: TransactionCoordinatorDeps): Promise<TransactionCoordinator> {
    const kept = new Map<string, string>();
    for await (const [key, value] of deps.kept.load()) kept.set(key, value);
    const coordinator = new TransactionCoordinator(deps, ProducerIds.restore(deps.kept, kept));
    for (const [key, value] of kept) {
      const [kind, id] = JSON.parse(key) as ['transaction', string] | ['producer-ids', undefined];
      if (kind === 'transaction') coordinator.restore(id, JSON.parse(value) as Transaction);
    }
    return coordinator;
  }

  private restore(id: string, now: Transaction): void {
    const entry = this.ensure(id);
    entry.now = now;
    this.byProducer.set(now.producerId, entry);
    this.watch(entry, now);
    if (decide.isPreparing(now)) this.finish(entry, now);
  }

  // ------------------------------------------------------------ requests

  async initProducer(
    transactionalId: string | null,
    timeoutMs: number,
    expected: ProducerIdentity | null,
  ): Promise<GivenIdentity> {
    if (transactionalId === null) {
      return { errorCode: ErrorCode.NONE, producerId: await this.ids.allocate(), epoch: 0 };
    }
    if (transactionalId === '') return refused(ErrorCode.INVALID_REQUEST);
    if (timeoutMs <= 0 || timeoutMs > this.deps.maxTimeoutMs) return refused(ErrorCode.INVALID_TRANSACTION_TIMEOUT);
    const entry = this.ensure(transactionalId);
    if (entry.busy) return refused(ErrorCode.CONCURRENT_TRANSACTIONS);
    return this.exclusively(entry, async () => {
      const { now } = entry;
      if (now === null) {
        return given(await this.save(entry, decide.newTransaction(await this.ids.allocate(), timeoutMs)));
      }
      const next = decide.initProducer(now, timeoutMs, expected);
      if (typeof next === 'number') return refused(next);
      if (next === now) return given(now);
      if (next === 'abort') {
        this.finish(entry, await this.save(entry, decide.fence(now)));
        return refused(ErrorCode.CONCURRENT_TRANSACTIONS);
      }
      if (next !== 'new-id') return given(await this.save(entry, next));
      const renamed = { ...decide.newTransaction(await this.ids.allocate(), timeoutMs), previous: expected };
      return given(await this.save(entry, renamed));
    });
  }

  /** Resolves to an error code. */
  enlarge(
    transactionalId: string,
    who: ProducerIdentity,
    more: { partitions?: readonly TopicPartition[]; groups?: readonly string[] },
  ): Promise<number> {
    return this.change(transactionalId, (now) => decide.enlarge(now, who, more, this.deps.clock.now()));
  }

  /** Resolves to an error code, as a rule when readers can see the end. */
  async end(transactionalId: string, who: ProducerIdentity, committed: boolean): Promise<number> {
    const errorCode = await this.change(
      transactionalId,
      (now) => decide.end(now, who, committed),
      (entry, prepared) => this.finish(entry, prepared),
    );
    const finishing = this.entries.get(transactionalId)?.finishing ?? null;
    if (errorCode === ErrorCode.NONE && finishing !== null) await this.orAfter(finishing, WAIT_FOR_MARKERS_MS);
    return errorCode;
  }

  // ------------------------------------------------------------ questions of others

  /** May offsets of this group join the transaction that is going on? An error code. */
  checkOffsets(transactionalId: string, who: ProducerIdentity, groupId: string): number {
    const now = this.entries.get(transactionalId)?.now;
    if (now == null || now.producerId !== who.producerId) return ErrorCode.INVALID_PRODUCER_ID_MAPPING;
    if (now.epoch !== who.epoch) return ErrorCode.INVALID_PRODUCER_EPOCH;
    return now.state === 'Ongoing' && now.groups.includes(groupId) ? ErrorCode.NONE : ErrorCode.INVALID_TXN_STATE;
  }

  /**
   * May this producer append to the partition in its transaction? An error code. Asked in the same turn in which the
   * batch takes its place in the partition's queue, so that no marker comes in between.
   */
  checkAppend(who: ProducerIdentity, at: TopicPartition): number {
    const now = this.byProducer.get(who.producerId)?.now;
    if (now == null) return ErrorCode.INVALID_PRODUCER_ID_MAPPING;
    if (now.epoch !== who.epoch) return ErrorCode.INVALID_PRODUCER_EPOCH;
    return now.state === 'Ongoing' && decide.takesPart(now, at) ? ErrorCode.NONE : ErrorCode.INVALID_TXN_STATE;
  }

  /** The same about several partitions: the first error. */
  checkAppends(who: ProducerIdentity, partitions: readonly TopicPartition[]): number {
    for (const at of partitions) {
      const errorCode = this.checkAppend(who, at);
      if (errorCode !== ErrorCode.NONE) return errorCode;
    }
    return ErrorCode.NONE;
  }

  /** Transactional id → where it stands. */
  all(): [string, Transaction][] {
    return [...this.entries.values()].flatMap(({ id, now }) => (now === null ? [] : [[id, now]]));
  }

  /** What is being completed goes on until its next step; a restart does the rest. */
  async close(): Promise<void> {
    this.closed = true;
    for (const entry of this.entries.values()) entry.cancelTimeout?.();
    await this.orAfter(Promise.all([...this.entries.values()].map(({ finishing }) => finishing)), WAIT_FOR_MARKERS_MS);
  }

  // ------------------------------------------------------------ changing

  private ensure(id: string): Entry {
    let entry = this.entries.get(id);
    if (entry === undefined) {
      entry = { id, now: null, busy: false, cancelTimeout: null, finishing: null };
      this.entries.set(id, entry);
    }
    return entry;
  }

  private async change(
    transactionalId: string,
    decision: (now: Transaction) => Transaction | number,
    onSaved: (entry: Entry, next: Transaction) => void = () => undefined,
  ): Promise<number> {
    const entry = this.entries.get(transactionalId);
    if (entry === undefined || entry.now === null) return ErrorCode.INVALID_PRODUCER_ID_MAPPING;
    const { now } = entry;
    const next = decision(now);
    if (typeof next === 'number') return next;
    if (entry.busy) return ErrorCode.CONCURRENT_TRANSACTIONS;
    if (next === now) return ErrorCode.NONE;
    await this.exclusively(entry, async () => onSaved(entry, await this.save(entry, next)));
    return ErrorCode.NONE;
  }

  private async exclusively<T>(entry: Entry, work: () => Promise<T>): Promise<T> {
    entry.busy = true;
    try {
      return await work();
    } finally {
      entry.busy = false;
    }
  }

  private async save(entry: Entry, next: Transaction): Promise<Transaction> {
    await this.deps.kept.append(JSON.stringify(['transaction', entry.id]), JSON.stringify(next));
    if (entry.now !== null && entry.now.producerId !== next.producerId) this.byProducer.delete(entry.now.producerId);
    this.byProducer.set(next.producerId, entry);
    this.watch(entry, next);
    entry.now = next;
    return next;
  }

  // ------------------------------------------------------------ completing

  private finish(entry: Entry, prepared: Transaction): void {
    entry.finishing = this.finishNow(entry, prepared)
      .catch((error: unknown) =>
        this.deps.log(`The transaction of '${entry.id}' will be completed after a restart: ${String(error)}`),
      )
      .finally(() => (entry.finishing = null));
  }

  private async finishNow(entry: Entry, prepared: Transaction): Promise<void> {
    const { partitions, groups, producerId } = prepared;
    const committed = prepared.state === 'PrepareCommit';
    await Promise.all([
      ...partitions.map((at) => this.writeMarker(at, prepared, committed)),
      ...groups.map((groupId) => this.deps.endGroupTransaction(groupId, producerId, committed)),
    ]);
    // Nothing else can change what is prepared, so this needs no turn of its own.
    if (!this.closed) await this.save(entry, decide.complete(prepared));
  }

  private async writeMarker(at: TopicPartition, prepared: Transaction, committed: boolean): Promise<void> {
    const { producerId, epoch } = prepared;
    // A partition that was deleted needs none.
    while (!this.closed && this.deps.partitions.exists(at)) {
      try {
        await this.deps.partitions.appendMarker(at, { producerId, producerEpoch: epoch, committed });
        return;
      } catch (error) {
        this.deps.log(`Writing a transaction's marker to ${at.topic}-${at.partition} again: ${String(error)}`);
        await new Promise<void>((resolve) => this.deps.clock.schedule(RETRY_MARKERS_MS, resolve));
      }
    }
  }

  private orAfter(work: Promise<unknown>, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.deps.clock.schedule(ms, resolve);
      void work.then(() => {
        cancel();
        resolve();
      });
    });
  }

  // ------------------------------------------------------------ timeouts

  private watch(entry: Entry, next: Transaction): void {
    if (next.state === 'Ongoing' && next.startedAt === entry.now?.startedAt && entry.cancelTimeout !== null) return;
    entry.cancelTimeout?.();
    entry.cancelTimeout = null;
    if (next.state !== 'Ongoing') return;
    const left = Math.max(0, next.startedAt + next.timeoutMs - this.deps.clock.now());
    entry.cancelTimeout = this.deps.clock.schedule(left, () => void this.abortSlow(entry));
  }

  private async abortSlow(entry: Entry): Promise<void> {
    const { now } = entry;
    if (now?.state !== 'Ongoing' || this.closed) return;
    if (entry.busy) {
      entry.cancelTimeout = this.deps.clock.schedule(RETRY_MARKERS_MS, () => void this.abortSlow(entry));
      return;
    }
    this.deps.log(`The transaction of '${entry.id}' is aborted: it took more than ${now.timeoutMs} ms`);
    try {
      await this.exclusively(entry, async () => {
        this.finish(entry, await this.save(entry, decide.fence(now)));
      });
    } catch (error) {
      this.deps.log(`The transaction of '${entry.id}' could not be aborted: ${String(error)}`);
    }
  }
}

const refused = (errorCode: number): GivenIdentity => ({ errorCode, producerId: -1, epoch: -1 });
const given = ({ producerId, epoch }: ProducerIdentity): GivenIdentity => ({
  errorCode: ErrorCode.NONE,
  producerId,
  epoch,
});
