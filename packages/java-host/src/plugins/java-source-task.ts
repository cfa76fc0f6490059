import {
  type ConnectorConfig,
  type OffsetReader,
  type ProcessedSourceRecord,
  type ProcessingTask,
  type RecordMetadata,
  type RecordProcessing,
  type SourceOffset,
  type SourcePartition,
  type SourceRecord,
  type SourceTask,
  type SourceTaskContext,
  settledWithin,
  type TakenProcessing,
} from '@millrace/sdk';
import type { HostSession } from '../connection/host-session';
import type { JavaPlugin } from '../java-plugin';
import type { Jvms } from '../jvm/jvms';
import type { HostValue } from '../wire/host-value';
import { ProtocolError } from '../wire/protocol-error';
import { CommitOutcomes } from './commit-outcomes';
import { bytesOf, listOf, mapOf, overridesOf } from './host-maps';
import type { JavaSourceRecord } from './source-batch';
import { PART_ABORTS, PART_COMMITS, PART_OF_MORE, SourceBatches, type SourcePart } from './source-batch';
import { refusePreview, TaskSession } from './task-session';

/** For a poll that is under way when the task is stopped, before its last `commit`. */
const LAST_POLL_MS = 1000;

/** @param taskClass unless the task's config has `task.class` */
export function javaSourceTask(plugin: JavaPlugin, taskClass: string, jvms: Jvms): SourceTask {
  return new JavaSourceTask(plugin, taskClass, jvms);
}

class JavaSourceTask implements SourceTask {
  commit?: () => Promise<void>;
  commitRecord?: (record: SourceRecord, metadata: RecordMetadata | null) => void;
  private readonly connection: TaskSession<SourceTaskContext>;
  private batches!: SourceBatches;
  private outcomes: CommitOutcomes | null = null;
  /** It has taken nothing, so that the runtime does not ask for the outcomes of records. */
  private tookNothing = false;
  /**
   * Whether a batch is asked for while the runtime works on the one before. Not of a task with `commit`, which may
   * acknowledge all that `poll` has returned: a batch that waits here when the task is stopped would be lost.
   */
  private readsAhead = true;
  /** The batch whose parts are being returned has further ones. */
  private hasMore = false;
  /** A `commit` was held back until the runtime has all parts of a batch. */
  private commitIsDue = false;
  private isPolling = false;
  /** Null: it is not stopped. Otherwise whether the runtime had handed over all records by then. */
  private stoppedInPoll: boolean | null = null;
  /** The part that was asked for. Null: none. */
  private ahead: Promise<SourcePart | null> | null = null;
  /** Parts whose records the runtime works on. */
  private readonly delivered: number[] = [];
  /** Ends the wait for a part. Null: there is none. */
  private wake: (() => void) | null = null;

  constructor(
    private readonly plugin: JavaPlugin,
    taskClass: string,
    jvms: Jvms,
  ) {
    this.connection = new TaskSession('source-task', plugin, taskClass, jvms);
  }

  /** With exactly-once delivery the runtime gets whole batches. */
  get isWithinBatch(): boolean {
    return this.hasMore && !this.connection.started().exactlyOnce;
  }

  async takeProcessing(processing: RecordProcessing, task: ProcessingTask): Promise<TakenProcessing> {
    const session = await this.connection.open(task);
    session.handle('offsets', (partitions) => this.readOffsets(partitions));
    const taken = await this.connection.take(processing);
    this.tookNothing = taken.steps === 0 && !taken.converters;
    this.batches = new SourceBatches(taken.converters, (part, index) => this.retry(session, part, index));
    const overrides = overridesOf(session.opened);
    this.readsAhead = !overrides.has('commit');
    if (overrides.has('commit')) this.commit = () => this.commitTask(session);
    if (overrides.has('commitRecord')) {
      const outcomes = new CommitOutcomes(session);
      this.outcomes = outcomes;
      this.commitRecord = (record, metadata) => outcomes.add(record, metadata);
    }
    return taken;
  }

  async start(_config: ConnectorConfig, context: SourceTaskContext): Promise<void> {
    refusePreview(context.preview, this.plugin);
    const onStop = (): void => {
      this.stoppedInPoll = this.isPolling;
      this.wake?.();
    };
    context.signal.addEventListener('abort', onStop, { once: true });
    await this.connection.start(context, { transactions: context.transactionContext !== null });
  }

  async poll(): Promise<readonly ProcessedSourceRecord[] | null> {
    this.isPolling = true;
    try {
      return await this.pollOnce(this.connection.get());
    } finally {
      this.isPolling = false;
    }
  }

  private async pollOnce(session: HostSession): Promise<readonly ProcessedSourceRecord[] | null> {
    for (const part of this.delivered.splice(0)) session.event('release', part);
    if (this.commitIsDue && !this.hasMore) await this.commitHeldBack(session);
    const part = await this.next(session);
    if (part === null) return null;
    const records = this.connection.started().exactlyOnce ? await this.join(session, part.records) : part.records;
    if (records === null) return null;
    if (this.tookNothing) throwFailures(records);
    return records;
  }

  async stop(): Promise<void> {
    const session = this.connection.get();
    if (this.connection.hasEnded) return;
    this.outcomes?.flush();
    // The end of the session drops what waits. The task's own commit may not be due: see `holdsBack`.
    if (this.outcomes !== null) await session.call('commit', false);
    await session.call('stop');
  }

  release(): void {
    this.connection.release();
  }

  /** The next part; null: there are no records, or the task is stopped. */
  private async next(session: HostSession): Promise<SourcePart | null> {
    const { signal } = this.connection.started();
    if (signal.aborted) return null;
    const asked = this.ahead ?? this.ask(session);
    this.ahead = asked;
    await this.settled(asked);
    // Records that arrive later are neither sent nor acknowledged: they are polled again after a restart.
    if (signal.aborted) return null;
    this.ahead = null;
    const part = await asked;
    if (part === null) return null;
    this.delivered.push(part.number);
    this.outcomes?.expect(part.records);
    this.requestTransactions(part);
    this.hasMore = (part.transaction & PART_OF_MORE) !== 0;
    // While the runtime works on this one. What follows in a batch has been polled already.
    if (this.hasMore || this.readsAhead) this.ahead = this.ask(session);
    return part;
  }

  /** Resolves early when the task is stopped: the call may hang. */
  private async settled(asked: Promise<unknown>): Promise<void> {
    if (this.connection.started().signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      const done = (): void => resolve();
      asked.then(done, done);
    });
    this.wake = null;
  }

  /** Read as soon as it arrives: schemas are defined in the order of frames. */
  private ask(session: HostSession): Promise<SourcePart | null> {
    const { transactionContext } = this.connection.started();
    const part = session
      .call('poll')
      .then((batch) => (batch === null ? null : this.batches.read(bytesOf(batch, 'poll'), transactionContext)));
    // Seen by the next poll, if there is one.
    part.catch(() => undefined);
    return part;
  }

  /** The whole batch, for its transaction. Null: the task is stopped meanwhile. */
  private async join(
    session: HostSession,
    first: readonly JavaSourceRecord[],
  ): Promise<readonly JavaSourceRecord[] | null> {
    if (!this.hasMore) return first;
    const records = [...first];
    while (this.hasMore) {
      const part = await this.next(session);
      if (part === null) return null;
      for (const record of part.records) records.push(record);
    }
    return records;
  }

  private requestTransactions({ transaction }: SourcePart): void {
    const { transactionContext } = this.connection.started();
    if ((transaction & PART_COMMITS) !== 0) transactionContext?.commitTransaction();
    if ((transaction & PART_ABORTS) !== 0) transactionContext?.abortTransaction();
  }

  private async retry(session: HostSession, part: number, index: number): Promise<ProcessedSourceRecord> {
    // What the task has requested for it is known already.
    const batch = await session
      .call('retry', part, index)
      .then((bytes) => this.batches.read(bytesOf(bytes, 'retry'), null));
    const [record] = batch.records;
    if (record === undefined) throw new ProtocolError('the result of retry has no record');
    return record;
  }

  private async commitTask(session: HostSession): Promise<void> {
    // The next poll says why.
    if (this.connection.hasEnded) return;
    this.outcomes?.flush();
    const isHeldBack = await this.holdsBack();
    // In a transaction, what the next poll finds handed over may not be committed: its end calls `commit` again.
    this.commitIsDue = isHeldBack && !this.connection.started().exactlyOnce;
    if (!isHeldBack) await session.call('commit');
  }

  /**
   * The runtime has handed all that was polled to its producer, as it has, or will, whenever it calls `commit`. The
   * task must not poll before: what the JVM then has is not handed over.
   */
  private async commitHeldBack(session: HostSession): Promise<void> {
    this.commitIsDue = false;
    this.outcomes?.flush();
    const committed = session.call('commit');
    // The next call says why, if the session has ended.
    committed.catch(() => undefined);
    await this.settled(committed);
  }

  /** Whether `poll` has returned records in the JVM that the runtime has not, or has not sent before it stopped. */
  private async holdsBack(): Promise<boolean> {
    if (this.hasMore || this.stoppedInPoll === false) return true;
    if (this.stoppedInPoll === null || this.ahead === null) return false;
    const last = this.ahead.catch(() => undefined);
    return (await settledWithin(last, LAST_POLL_MS, undefined)) !== null;
  }

  private async readOffsets(partitions: HostValue | undefined): Promise<HostValue> {
    const offsets: OffsetReader = this.connection.started().offsets;
    const asked = listOf(partitions, 'offsets').map((one) => ({ ...mapOf(one, 'offsets') }) as SourcePartition);
    return (await offsets.offsets(asked)) as (SourceOffset | null)[] as HostValue;
  }
}

function throwFailures(records: readonly ProcessedSourceRecord[]): void {
  for (const { outcome } of records) if (outcome !== null && outcome !== 'filtered') throw outcome.error;
}
