import {
  type ConnectorConfig,
  ConnectError,
  type ConsumedBatch,
  type ConsumedPut,
  type ConsumedPutOptions,
  messageOf,
  type ProcessedSinkRecord,
  ProcessingFailure,
  type ProcessingTask,
  type RecordProcessing,
  type SinkRecord,
  type SinkTask,
  type SinkTaskContext,
  type TakenProcessing,
  type TopicPartition,
  type TopicPartitionOffset,
} from '@millrace/sdk';
import type { HostSession } from '../connection/host-session';
import { DataReader } from '../data/data-reader';
import { DataWriter } from '../data/data-writer';
import type { JavaPlugin } from '../java-plugin';
import type { Jvms } from '../jvm/jvms';
import type { HostValue } from '../wire/host-value';
import { javaError } from '../wire/java-error';
import { ProtocolError } from '../wire/protocol-error';
import { AheadRecords } from './ahead-records';
import { ConvertedRecords, positionsOf } from './converted-records';
import {
  bytesOf,
  integerOf,
  listOf,
  mapOf,
  overridesOf,
  partitionList,
  partitionOf,
  partitionsOf,
  textOf,
} from './host-maps';
import { SentRecords } from './sent-records';
import { countOf, readReported, SinkPartWriter } from './sink-records';
import { stageOf } from './source-batch';
import { TaskSession } from './task-session';

/** What is sent before an answer is waited for: records may be as large as a message. Bytes. */
const MOST_UNANSWERED = 64 * 1024 * 1024;

const PUT_AHEAD = 'putAhead';

/** @param taskClass unless the task's config has `task.class` */
export function javaSinkTask(plugin: JavaPlugin, taskClass: string, jvms: Jvms): SinkTask {
  return new JavaSinkTask(plugin, taskClass, jvms);
}

class JavaSinkTask implements SinkTask {
  preCommit?: (offsets: readonly TopicPartitionOffset[]) => Promise<readonly TopicPartitionOffset[]>;
  private readonly connection: TaskSession<SinkTaskContext>;
  private readonly sent = new SentRecords();
  /** What `putConsumed` has left. Null: nothing. */
  private converted: ConvertedRecords<HostValue> | null = null;
  private part!: SinkPartWriter;
  private readonly ahead = new AheadRecords();
  private reported: DataReader | null = null;

  constructor(
    private readonly plugin: JavaPlugin,
    taskClass: string,
    jvms: Jvms,
  ) {
    this.connection = new TaskSession('sink-task', plugin, taskClass, jvms);
  }

  async takeProcessing(processing: RecordProcessing, task: ProcessingTask): Promise<TakenProcessing> {
    const session = await this.connection.open(task);
    this.handle(session);
    const taken = await this.connection.take(processing);
    this.part = new SinkPartWriter(taken.converters ? null : new DataWriter());
    this.reported = taken.converters ? null : new DataReader();
    const overrides = overridesOf(session.opened);
    // Java's own `preCommit` calls `flush`.
    if (overrides.has('preCommit') || overrides.has('flush'))
      this.preCommit = (offsets) => this.commitOffsets(session, offsets);
    return taken;
  }

  async start(_config: ConnectorConfig, context: SinkTaskContext): Promise<void> {
    await this.connection.start(context, {
      assignment: partitionList(context.assignment()),
      errantRecords: context.errantRecordReporter !== null,
    });
  }

  async open(partitions: readonly TopicPartition[]): Promise<void> {
    await this.connection.get().call('open', partitionList(partitions));
  }

  async putConsumed(batches: readonly ConsumedBatch[], options: ConsumedPutOptions): Promise<ConsumedPut> {
    const session = this.connection.get();
    this.dropConverted(session);
    // What is left of earlier batches is filtered or skipped.
    this.discard(session, this.sent.discardPut([]));
    const { ahead } = this;
    const { most, ms } = options;
    if (!ahead.has(batches)) {
      this.skipAhead();
      if (!ahead.send(session, batches, this.sent.next))
        return { taken: 0, left: Math.min(most, countOf(batches)), error: null, puts: [] };
    }
    const { first, end } = ahead.sent;
    const [answer] = await Promise.all([
      session.call(PUT_AHEAD, first, most, ms),
      // While the JVM works, and not while it waits for the rest of these.
      session.flushed().then(() => ahead.send(session, options.next(), end)),
    ]);
    const done = mapOf(answer, PUT_AHEAD);
    const taken = integerOf(done.taken, PUT_AHEAD);
    const left = integerOf(done.left, PUT_AHEAD);
    this.sent.skip(taken);
    if (left > 0) {
      const positions = positionsOf(batches, taken, taken + left);
      this.converted = new ConvertedRecords(positions, indexed(done.outcomes, PUT_AHEAD));
    }
    const puts = listOf(done.puts, PUT_AHEAD).map((one) => {
      const [records, ms] = listOf(one, PUT_AHEAD);
      return { records: integerOf(records, PUT_AHEAD), ms: Number(ms) };
    });
    return { taken, left, error: done.error === null ? null : javaError(done.error ?? null), puts };
  }

  async process(records: readonly SinkRecord[]): Promise<readonly ProcessedSinkRecord[]> {
    const session = this.connection.get();
    const results: ProcessedSinkRecord[] = records.slice();
    const known = this.converted?.take(records) ?? null;
    if (known !== null) {
      for (const record of records) this.sent.add(record);
      for (const [at, outcome] of known) results[at] = this.result(session, records[at] as SinkRecord, outcome);
      return results;
    }
    this.dropConverted(session);
    this.skipAhead();
    const converting: Promise<void>[] = [];
    let positions: number[] = [];
    let unanswered = 0;
    const send = (): void => {
      const sent = positions;
      positions = [];
      unanswered += this.part.size;
      const outcomes = session.callWithBytes('convert', (out) => this.part.writeTo(out));
      converting.push(outcomes.then((list) => this.apply(session, list, sent, records, results)));
    };
    for (const [position, record] of records.entries()) {
      try {
        this.part.add(this.sent.add(record), record);
        positions.push(position);
      } catch (error) {
        // Data that has no form in Java never gets one.
        const failed = (): Promise<never> => Promise.reject(error as Error);
        results[position] = new ProcessingFailure('VALUE_CONVERTER', this.plugin.class, error as Error, failed);
      }
      if (!this.part.isFull) continue;
      send();
      if (unanswered < MOST_UNANSWERED) continue;
      await Promise.all(converting);
      unanswered = 0;
    }
    if (!this.part.isEmpty) send();
    await Promise.all(converting);
    return results;
  }

  async put(records: readonly SinkRecord[]): Promise<void> {
    const session = this.connection.get();
    // Where the host has taken nothing, the runtime does not call `process`.
    const unknown = this.sent.unknownOf(records);
    let put = records;
    if (unknown.length > 0) {
      const filtered = this.requireProcessed(unknown, await this.process(unknown));
      if (filtered.size > 0) put = records.filter((record) => !filtered.has(record));
    }
    await session.call('put', this.sent.rangesOf(put));
    this.discard(session, this.sent.discardPut(records));
  }

  async close(partitions: readonly TopicPartition[]): Promise<void> {
    const session = this.connection.get();
    await session.call('close', partitionList(partitions));
    this.discard(session, this.sent.discardOf(partitions));
  }

  async stop(): Promise<void> {
    const session = this.connection.get();
    if (!this.connection.hasEnded) await session.call('stop');
  }

  release(): void {
    this.connection.release();
  }

  private requireProcessed(
    records: readonly SinkRecord[],
    results: readonly ProcessedSinkRecord[],
  ): ReadonlySet<SinkRecord> {
    const filtered = new Set<SinkRecord>();
    for (const [at, result] of results.entries()) {
      if (result === null) filtered.add(records[at] as SinkRecord);
      else if (result instanceof ProcessingFailure) throw result.error;
    }
    return filtered;
  }

  private apply(
    session: HostSession,
    outcomes: HostValue,
    positions: readonly number[],
    records: readonly SinkRecord[],
    results: ProcessedSinkRecord[],
  ): void {
    for (const [index, outcome] of indexed(outcomes, 'convert')) {
      const position = positions[index];
      if (position === undefined) throw new ProtocolError('the result of convert names an unknown record');
      results[position] = this.result(session, records[position] as SinkRecord, outcome);
    }
  }

  /** Other records come than those that were sent ahead: the host drops these at the next put. */
  private skipAhead(): void {
    const { end } = this.ahead.sent;
    if (end > this.sent.next) this.sent.skip(end - this.sent.next);
  }

  /** The runtime processes them no more: it will consume them again. */
  private dropConverted(session: HostSession): void {
    const left = this.converted?.left ?? 0;
    this.converted = null;
    if (left === 0) return;
    const first = this.sent.next;
    this.sent.skip(left);
    this.discard(session, [[first, first + left - 1]]);
  }

  private result(session: HostSession, record: SinkRecord, outcome: HostValue): ProcessedSinkRecord {
    if (outcome === null) return null;
    const { stage, class: className, error } = mapOf(outcome, 'convert');
    return new ProcessingFailure<ProcessedSinkRecord>(
      stageOf(textOf(stage, 'convert')),
      textOf(className, 'convert'),
      javaError(error ?? null),
      () => this.retry(session, record),
    );
  }

  /** Null: it is to be put; false: it is filtered. */
  private async retry(session: HostSession, record: SinkRecord): Promise<ProcessedSinkRecord> {
    const number = this.sent.numberOf(record);
    if (number === undefined) throw new ConnectError('The record is no longer one of this task.');
    const outcome = await session.call('retry', number);
    return outcome === null ? record : this.result(session, record, outcome === false ? null : outcome);
  }

  private async commitOffsets(
    session: HostSession,
    offsets: readonly TopicPartitionOffset[],
  ): Promise<readonly TopicPartitionOffset[]> {
    const given = offsets.map(({ topic, partition, offset }) => [topic, partition, offset]);
    const chosen = listOf(await session.call('preCommit', given), 'preCommit');
    return chosen.map((one) => ({
      ...partitionOf(one, 'preCommit'),
      offset: integerOf(listOf(one, 'preCommit')[2], 'preCommit'),
    }));
  }

  private discard(session: HostSession, ranges: HostValue[]): void {
    if (ranges.length > 0) session.event('discard', ranges);
  }

  /** What the task asks for. The host checks that partitions are assigned. */
  private handle(session: HostSession): void {
    const on = (method: string, run: (context: SinkTaskContext, ...args: readonly HostValue[]) => void): void =>
      session.handle(method, (...args) => {
        const context = this.connection.started();
        try {
          run(context, ...args);
        } catch (error) {
          if (error instanceof ProtocolError) throw error;
          // The partition may have been revoked meanwhile.
          context.logger.warn(`Ignoring ${method}() of the task: ${messageOf(error)}`, { error });
        }
      });
    on('seek', (context, topic, partition, offset) =>
      context.seek({
        topic: textOf(topic, 'seek'),
        partition: integerOf(partition, 'seek'),
        offset: integerOf(offset, 'seek'),
      }),
    );
    on('pause', (context, partitions) => context.pause(partitionsOf(partitions, 'pause')));
    on('resume', (context, partitions) => context.resume(partitionsOf(partitions, 'resume')));
    on('timeout', (context, ms) => context.timeout(integerOf(ms, 'timeout')));
    on('requestCommit', (context) => context.requestCommit());
    session.handle('report', (record, error) => this.report(record, error));
  }

  private async report(bytes: HostValue | undefined, error: HostValue | undefined): Promise<null> {
    const { number, record } = readReported(bytesOf(bytes, 'report'), this.reported);
    const reporter = this.connection.started().errantRecordReporter;
    if (reporter === null) throw new ConnectError('The connector has neither a dead letter topic nor an error log.');
    const cause = error === null || error === undefined ? null : javaError(error);
    // The runtime knows the bytes of its own record; of another one it takes these.
    await reporter.report(this.sent.recordOf(number) ?? record, cause);
    return null;
  }
}

function indexed(outcomes: HostValue | undefined, call: string): [number, HostValue][] {
  return listOf(outcomes, call).map((one) => {
    const [index, outcome] = listOf(one, call);
    return [integerOf(index, call), outcome ?? null];
  });
}
