/** Splits a partition's records into files by size, age and schema. Source: analytics-sink §4.1, §4.2. */
import { join } from 'node:path';
import { DataError, type SinkRecord } from '@millrace/sdk';
import type { AnalyticsSettings } from '../config/settings';
import type { Format } from '../mapping/formats';
import type { TableMapping } from '../mapping/topic-mapping';
import { AvroRows } from '../records/avro-file';
import type { SinkMetrics } from '../sink-metrics';
import { rowOf, type Row } from '../records/row';
import { unwritable } from '../records/record-error';
import { nameOnDisk } from './file-names';
import { OffsetRanges, type Range } from './offset-ranges';
import { RecordLog } from './record-log';
import { StagingFile, type SealedFile } from './staging-file';

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
  readonly onSealed: (sealed: Sealed) => void;
}

interface Open {
  readonly file: StagingFile;
  range: Range;
  readonly avro: AvroRows | null;
  readonly records: RecordLog | null;
  readonly since: number;
  readonly firstOffset: number;
}

export class PartitionBatcher {
  ranges = new OffsetRanges();
  private open: Open | null = null;
  private topicId: string | null = null;

  constructor(private readonly options: PartitionBatcherOptions) {}

  /** When the open file must be shipped, by the monotonic clock; Infinity if there is none. */
  get dueAt(): number {
    return this.open === null ? Infinity : this.open.since + this.options.settings.flushIntervalMs;
  }

  /**
   * Null for most records, which need no promise. Otherwise a file is being sealed.
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
    if (this.open?.avro) return this.seal().then(async () => void (await this.addText(record, row.bytes)));
    return this.addText(record, row.bytes);
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

  /** Resolves when everything added has been passed to the disk streams. */
  async drain(): Promise<void> {
    await this.open?.file.drain();
    await this.open?.records?.drain();
  }

  async sealIfDue(): Promise<void> {
    if (this.options.now() >= this.dueAt) await this.seal();
  }

  async seal(): Promise<void> {
    const open = this.open;
    if (open === null) return;
    if (open.avro) open.file.appendFraming(open.avro.block(true));
    await open.records?.drain();
    const file = await open.file.seal();
    this.open = null;
    this.options.onSealed({ file, range: open.range, records: open.records });
  }

  /**
   * Discards the open file, whose records must be delivered again. Returns its first offset, or null without a file.
   */
  async discard(): Promise<number | null> {
    const open = this.open;
    this.open = null;
    this.ranges.hold();
    if (open === null) return null;
    this.ranges.remove(open.range);
    await open.file.discard();
    await open.records?.remove();
    return open.firstOffset;
  }

  private addText(record: SinkRecord, bytes: Buffer): Promise<void> | null {
    const open = this.openFileFor(record, null);
    this.addToRange(open, record);
    open.file.append(bytes, record.originalOffset);
    return open.file.rawBytes >= this.options.settings.flushBytes ? this.seal() : null;
  }

  private async addWholeFile(record: SinkRecord, bytes: Buffer): Promise<void> {
    await this.seal();
    const open = this.openFileFor(record, null);
    this.addToRange(open, record);
    open.file.append(bytes, record.originalOffset);
    await this.seal();
  }

  private async addAvro(record: SinkRecord, { schema, value }: Row & { kind: 'avro' }): Promise<void> {
    if (this.open && !this.open.avro?.isFor(schema)) await this.seal();
    let rows = this.open?.avro ?? null;
    let size: number;
    try {
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
    if (open.file.rawBytes >= this.options.settings.flushBytes) await this.seal();
  }

  private openFileFor(record: SinkRecord, avro: AvroRows | null): Open {
    if (this.open) return this.open;
    const { topic, partition, mapping, folder, settings, now } = this.options;
    const options = { folder, topic, topicId: this.topicId, partition, mapping, firstOffset: record.originalOffset };
    this.open = {
      file: new StagingFile(options),
      range: this.ranges.begin(record.originalOffset, Date.now()),
      avro,
      records: settings.deadLetters
        ? new RecordLog(join(folder, nameOnDisk(topic, partition, `${record.originalOffset}.records`)))
        : null,
      since: now(),
      firstOffset: record.originalOffset,
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
