/** Splits a partition's records into files by size, age and schema. Source: analytics-sink §4.1, §4.2. */
import { join } from 'node:path';
import { DataError, type SinkRecord, type TextRecord } from '@millrace/sdk';
import type { AnalyticsSettings } from '../config/settings';
import type { Format } from '../mapping/formats';
import type { TableMapping } from '../mapping/topic-mapping';
import { AvroRows } from '../records/avro-file';
import type { SinkMetrics } from '../sink-metrics';
import { rowOf, type Row } from '../records/row';
import { textOf } from '../records/text-record';
import { unwritable } from '../records/record-error';
import { nameOnDisk } from './file-names';
import { OffsetRanges, type Range } from './offset-ranges';
import { RecordLog } from './record-log';
import type { RowBuffers } from './row-buffers';
import { StagingFile, type SealedFile } from './staging-file';

/** Files that are completed while the next one is written. Each has a stream and a compressor. */
const MAX_SEALING = 2;

export interface Sealed {
  readonly file: SealedFile;
  readonly range: Range;
  /** Null without a dead letter queue. */
  readonly records: RecordLog | null;
}

interface PartitionBatcherOptions {
  readonly topic: string;
  readonly partition: number;
  readonly mapping: TableMapping;
  readonly folder: string;
  readonly settings: AnalyticsSettings;
  readonly metrics: Pick<SinkMetrics, 'recordsWritten'>;
  /** Monotonic. */
  readonly now: () => number;
  readonly buffers: RowBuffers;
  /** Rejects with the error of the disk: then `failure` is set. */
  readonly onSealing: (sealed: Promise<Sealed>) => void;
}

interface Open {
  readonly file: StagingFile;
  range: Range;
  readonly avro: AvroRows | null;
  readonly records: RecordLog | null;
  readonly since: number;
  readonly firstOffset: number;
  /** It must not be shipped: its records are delivered again. */
  isDiscarded: boolean;
}

export class PartitionBatcher {
  ranges = new OffsetRanges();
  private open: Open | null = null;
  /** Being completed, oldest first. */
  private sealing: { readonly open: Open; readonly done: Promise<Sealed> }[] = [];
  private sealFailure: unknown = null;
  private topicId: string | null = null;

  constructor(private readonly options: PartitionBatcherOptions) {}

  /** When the open file must be shipped, by the monotonic clock; Infinity if there is none. */
  get dueAt(): number {
    return this.open === null ? Infinity : this.open.since + this.options.settings.flushIntervalMs;
  }

  /** Of the disk; null: none so far. Call `discard`. */
  get failure(): unknown {
    return this.sealFailure ?? this.open?.file.failure ?? null;
  }

  /**
   * Null for most records, which need no promise. Otherwise too much is on its way to the disk.
   *
   * @throws DataError, synchronously or through the promise, for a record that does not match the format. Such a record
   *   is in no file.
   */
  add(record: SinkRecord): Promise<void> | null {
    const row = convertRecord(record, this.options.mapping.format, this.options.settings);
    if (row.kind === 'file') return this.addWholeFile(record, row.bytes);
    if (row.kind === 'avro') return this.addAvro(record, row);
    if (row.kind === 'skip') {
      this.ranges.skip(record.originalOffset);
      return null;
    }
    if (this.open?.avro) void this.seal();
    return this.addText(record, row.bytes);
  }

  /**
   * The same as `add` of the records from `from` on, whose values are texts, as long as their bytes can be copied and
   * nothing else of them is kept. Returns the first that is left, for which `add` must be called.
   */
  addLines(records: readonly TextRecord[], from: number): number {
    const { open, options } = this;
    const { format } = options.mapping;
    const { validateJson, flushBytes } = options.settings;
    if (open === null || open.avro !== null || !format.batched) return from;
    const room = flushBytes - open.file.rawBytes;
    const to = format.family === 'json' && validateJson ? endOfJson(records, from, room) : records.length;
    const next = open.file.appendLines(records, from, to, room) ?? from;
    if (next === from) return from;
    open.range.next = records[next - 1]!.offset + 1;
    options.metrics.recordsWritten.add(next - from);
    if (open.file.rawBytes >= flushBytes) void this.seal();
    return next;
  }

  /**
   * Call before the records of a `put` are added, with the id of the topic that they are from; null: unknown. When the
   * topic was deleted and created again, the records before are still delivered, and no offset of theirs is committed.
   * Resolves to whether it was.
   */
  async readFrom(topicId: string | null): Promise<boolean> {
    if (topicId === null || topicId === this.topicId) return false;
    const isOther = this.topicId !== null;
    if (isOther) {
      await this.seal();
      this.ranges = new OffsetRanges();
    }
    this.topicId = topicId;
    return isOther;
  }

  /** Whether the worker can deliver the records of the file again. */
  isRepeatable({ topicId }: SealedFile): boolean {
    return topicId === this.topicId;
  }

  /** A record that is in no file. The caller decrements `pending` once it is handled. */
  setAside(offset: number): Range {
    const open = this.open;
    if (open === null) return this.ranges.begin(offset, Date.now());
    open.range.next = offset + 1;
    open.range.pending++;
    return open.range;
  }

  /**
   * Passes everything added to the disk streams, and waits while these hold too much. Rejects with the first error of
   * the disk since `discard`.
   */
  async drain(): Promise<void> {
    this.open?.file.flush();
    await this.open?.records?.drain();
    await this.options.buffers.room();
    if (this.failure !== null) throw this.failure as Error;
  }

  sealIfDue(): void {
    if (this.options.now() >= this.dueAt) void this.seal();
  }

  /**
   * Completes the open file in the background. Resolves when this and the files before it are complete; rejects when
   * one of them cannot be, because of the disk.
   */
  seal(): Promise<unknown> {
    const { open } = this;
    const before = this.sealing.at(-1)?.done ?? Promise.resolve();
    if (open === null) return before;
    this.open = null;
    if (open.avro) open.file.appendFraming(open.avro.block(true));
    // After a failure, the records of the later files are delivered again too, so these are not shipped.
    const done = Promise.all([open.file.seal(), open.records?.drain(), before]).then(([file]) => {
      if (open.isDiscarded) throw new Error(`${file.name} is discarded`);
      this.sealing = this.sealing.filter((one) => one.open !== open);
      return { file, range: open.range, records: open.records };
    });
    done.catch((error: unknown) => {
      if (!open.isDiscarded) this.sealFailure ??= error;
    });
    this.sealing.push({ open, done });
    this.options.onSealing(done);
    return done;
  }

  /**
   * Discards the open file and those that are being completed: their records must be delivered again. Returns the first
   * offset, or null without a file.
   */
  async discard(): Promise<number | null> {
    const all = [...this.sealing.map(({ open }) => open), ...(this.open === null ? [] : [this.open])];
    this.open = null;
    this.sealing = [];
    this.sealFailure = null;
    this.ranges.hold();
    const [oldest] = all;
    if (oldest === undefined) return null;
    this.ranges.remove(oldest.range);
    for (const open of all) open.isDiscarded = true;
    for (const { file, records } of all) {
      await file.discard();
      await records?.remove();
    }
    return oldest.firstOffset;
  }

  /** Null: no wait is needed. Rejects when the disk fails meanwhile. */
  room(): Promise<void> | null {
    const { buffers } = this.options;
    if (this.sealing.length <= MAX_SEALING && !buffers.isFull) return null;
    const oldest = this.sealing.length > MAX_SEALING ? this.sealing[0]?.done : null;
    return Promise.all([buffers.room(), oldest]).then(() => undefined);
  }

  private addText(record: SinkRecord, bytes: Buffer): Promise<void> | null {
    const open = this.openFileFor(record, null);
    this.addToRange(open, record);
    open.file.append(bytes, record.originalOffset);
    return this.sealIfFull(open);
  }

  private sealIfFull({ file }: Open): Promise<void> | null {
    if (file.rawBytes >= this.options.settings.flushBytes) void this.seal();
    return this.room();
  }

  private addWholeFile(record: SinkRecord, bytes: Buffer): Promise<void> | null {
    void this.seal();
    const open = this.openFileFor(record, null);
    this.addToRange(open, record);
    open.file.append(bytes, record.originalOffset);
    void this.seal();
    return this.room();
  }

  private async addAvro(record: SinkRecord, { schema, value }: Row & { kind: 'avro' }): Promise<void> {
    let rows: AvroRows | null;
    let size: number;
    try {
      if (this.open && !this.open.avro?.isFor(schema)) void this.seal();
      rows = this.open?.avro ?? null;
      rows ??= new AvroRows(schema);
      size = rows.add(schema, value);
    } catch (error) {
      throw unwritable(record, this.options.mapping.format.wireName, error);
    }
    const isNew = this.open === null;
    const open = this.openFileFor(record, rows);
    if (isNew) open.file.appendFraming(rows.header());
    this.addToRange(open, record);
    open.file.append(rows.block(false), record.originalOffset, size);
    await this.sealIfFull(open);
  }

  private openFileFor(record: SinkRecord, avro: AvroRows | null): Open {
    if (this.open) return this.open;
    const { topic, partition, mapping, folder, settings, now } = this.options;
    const options = { folder, topic, topicId: this.topicId, partition, mapping, firstOffset: record.originalOffset };
    this.open = {
      file: new StagingFile(options, this.options.buffers),
      range: this.ranges.begin(record.originalOffset, Date.now()),
      avro,
      records: settings.deadLetters
        ? new RecordLog(join(folder, nameOnDisk(topic, partition, `${record.originalOffset}.records`)))
        : null,
      since: now(),
      firstOffset: record.originalOffset,
      isDiscarded: false,
    };
    return this.open;
  }

  private addToRange(open: Open, record: SinkRecord): void {
    open.range.next = record.originalOffset + 1;
    open.records?.append(record);
    this.options.metrics.recordsWritten.add();
  }
}

/** Attributes every conversion failure to the record. Errors thrown after this are those of the disk. */
function convertRecord(record: SinkRecord, format: Format, settings: AnalyticsSettings): Row {
  try {
    return rowOf(record, format, settings);
  } catch (error) {
    if (error instanceof DataError) throw error;
    throw unwritable(record, format.wireName, error);
  }
}

/** Index after the records from `from` on that are one JSON document each, until they have `maxBytes`. */
function endOfJson(records: readonly TextRecord[], from: number, maxBytes: number): number {
  let bytes = 0;
  let at = from;
  for (; at < records.length && bytes < maxBytes; at++) {
    const record = records[at]!;
    if (record.valueStart < 0) break;
    try {
      JSON.parse(textOf(record));
    } catch {
      break;
    }
    bytes += record.valueEnd - record.valueStart;
  }
  return at;
}
