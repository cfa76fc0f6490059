/**
 * Reads the newest records of a topic, backwards from the ends of its partitions: in steps that grow until there
 * are enough. Bounded in records, bytes and time; the newest are read first.
 */
import { ConnectError } from '@millrace/sdk';
import type { ConsumerRecord } from '@millrace/kafka-client';
import { recordRanges, type RecordRange, type TopicReaders } from './record-ranges';

export interface NewestRecordsRequest<T> {
  readonly topic: string;
  readonly limit: number;
  /**
   * Called with records whose buffers it must not keep once it has returned or resolved. Null: not one of those that
   * are wanted.
   */
  readonly convert: (partition: number, record: ConsumerRecord) => T | null | Promise<T | null>;
  /** Ends the reading; what was read is returned. */
  readonly signal: AbortSignal;
  /** What is read at most. (Default: the whole topic) */
  readonly ranges?: readonly RecordRange[];
  /** (Default: 5,000 records and 16 MiB) */
  readonly bounds?: ReadBounds;
}

/** Of all partitions together. */
export interface ReadBounds {
  readonly records: number;
  readonly bytes: number;
}

export interface NewestRecords<T> {
  /** Records in the topic, or in the ranges. */
  readonly total: number;
  /** Those that were read, wanted or not. */
  readonly read: number;
  /** The newest first. */
  readonly records: readonly T[];
}

const BOUNDS: ReadBounds = { records: 5_000, bytes: 16 * 1024 * 1024 };
const FIRST_STEP = 10;
const GROWTH = 4;
const POLL_MS = 500;

/** A partition, read from its end down to `upper`. */
interface Range {
  readonly partition: number;
  readonly first: number;
  upper: number;
  /** Of the records that were read; Infinity: none yet. */
  oldest: number;
}

interface Found<T> {
  readonly at: number;
  readonly offset: number;
  readonly record: T;
}

/** @throws ConnectError `TOPIC_NOT_FOUND`, `RECORDS_READ`, KafkaError */
export async function newestRecords<T>(
  readers: TopicReaders,
  request: NewestRecordsRequest<T>,
): Promise<NewestRecords<T>> {
  const found = request.ranges ?? (await recordRanges(readers.admin, request.topic));
  const ranges = found.map(({ partition, first, end }): Range => ({ partition, first, upper: end, oldest: Infinity }));
  const total = ranges.reduce((sum, { first, upper }) => sum + upper - first, 0);
  const reading = new Reading(readers.consumer, request);
  const wake = (): void => readers.consumer.wakeup();
  request.signal.addEventListener('abort', wake);
  try {
    for (let step = FIRST_STEP; ; step *= GROWTH) {
      const open = ranges.filter((range) => reading.needs(range));
      const size = Math.min(step, reading.room(open.length));
      if (open.length === 0 || size < 1) break;
      if (!(await reading.read(open, size))) {
        if (step > FIRST_STEP) break;
        throw new ConnectError(`Topic ${request.topic} could not be read in time.`, {
          code: 'RECORDS_READ',
          place: { topic: request.topic },
        });
      }
    }
  } finally {
    request.signal.removeEventListener('abort', wake);
  }
  return { total, read: reading.count, records: reading.newest().map(({ record }) => record) };
}

class Reading<T> {
  private found: Found<T>[] = [];
  private records = 0;
  private bytes = 0;

  constructor(
    private readonly consumer: TopicReaders['consumer'],
    private readonly request: NewestRecordsRequest<T>,
  ) {}

  get count(): number {
    return this.records;
  }

  newest(): readonly Found<T>[] {
    keepNewest(this.found, this.request.limit);
    return this.found;
  }

  /** Older records of the partition may be among the newest of the topic. */
  needs({ first, upper, oldest }: Range): boolean {
    if (upper <= first) return false;
    const newest = this.newest();
    return newest.length < this.request.limit || oldest > (newest.at(-1)?.at ?? 0);
  }

  /** Records to read of each partition. */
  room(partitions: number): number {
    const { records, bytes } = this.request.bounds ?? BOUNDS;
    const average = this.records === 0 ? 0 : this.bytes / this.records;
    const byBytes = average === 0 ? Infinity : Math.floor((bytes - this.bytes) / average);
    return Math.floor(Math.min(records - this.records, byBytes) / Math.max(1, partitions));
  }

  /** False: ended by the signal, and what was read of this step does not count. */
  async read(ranges: readonly Range[], size: number): Promise<boolean> {
    const { topic, convert, limit, signal } = this.request;
    const { consumer } = this;
    const windows = new Map(ranges.map((range) => [range.partition, Math.max(range.first, range.upper - size)]));
    const found: Found<T>[] = [];
    let records = 0;
    let bytes = 0;
    consumer.assign(ranges.map(({ partition }) => ({ topic, partition })));
    for (const [partition, offset] of windows) consumer.seek({ topic, partition, offset });
    const isRead = ({ partition, upper }: Range): boolean => (consumer.position({ topic, partition }) ?? 0) >= upper;
    while (!ranges.every(isRead)) {
      if (signal.aborted) return false;
      for (const batch of await consumer.poll(POLL_MS)) {
        const range = ranges.find(({ partition }) => partition === batch.partition);
        for (const record of batch.records) {
          if (!range || record.offset >= range.upper) break;
          records++;
          bytes += bytesOf(record);
          range.oldest = Math.min(range.oldest, record.timestamp);
          let converted = convert(batch.partition, record);
          if (converted instanceof Promise) converted = await converted;
          if (converted !== null) found.push({ at: record.timestamp, offset: record.offset, record: converted });
          // What is kept may be large.
          if (found.length >= 2 * limit) keepNewest(found, limit);
        }
      }
    }
    for (const range of ranges) range.upper = windows.get(range.partition) as number;
    this.found.push(...found);
    this.records += records;
    this.bytes += bytes;
    return true;
  }
}

function keepNewest<T>(found: Found<T>[], limit: number): void {
  found.sort((a, b) => b.at - a.at || b.offset - a.offset);
  found.length = Math.min(found.length, limit);
}

function bytesOf({ key, value, headers }: ConsumerRecord): number {
  const ofHeaders = headers.reduce((sum, header) => sum + header.key.length + (header.value?.length ?? 0), 0);
  return (key?.length ?? 0) + (value?.length ?? 0) + ofHeaders;
}
