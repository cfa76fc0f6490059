/**
 * The log of one partition: append-only segments, producer states, transaction index and listeners. Appends are
 * synchronous, hence atomic; `durable` waits for the disk if the fsync policy requires it.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile, syncFolder } from '../storage/files';
import { assignAppendTime, assignOffset, readHeader, type BatchHeader } from './batch';
import { ProducerStates } from './producer-state';
import { Segment } from './segment';
import { fileStorage, memoryStorage } from './segment-storage';
import { TransactionIndex } from './transaction-index';

export interface LogOptions {
  /** The partition's folder, created if missing; null: in memory. */
  readonly folder: string | null;
  readonly fsync: 'always' | 'never';
  readonly now: () => number;
  readonly log: (line: string) => void;
}

export interface AppendOptions {
  readonly segmentBytes: number;
  readonly segmentMs: number;
  /** Replaces the timestamps of the records, unless null. */
  readonly appendTime: number | null;
}

const SEGMENT_NAME = /^(\d{20})\.log$/;
const START_FILE = 'log-start-offset';

function segmentName(baseOffset: number): string {
  return `${String(baseOffset).padStart(20, '0')}.log`;
}

export class PartitionLog {
  readonly producers = new ProducerStates();
  readonly transactions = new TransactionIndex();
  private segments: Segment[] = [];
  private logStartOffset = 0;
  private readonly listeners = new Set<() => void>();
  private isClosed = false;
  /** Pending flush of full segments. */
  private flushing: Promise<unknown> | null = null;
  /** Set after a failed fsync: what is on disk is unknown, and a repeated fsync would not report it. */
  private failure: Error | null = null;

  constructor(private readonly options: LogOptions) {
    if (options.folder !== null) this.recover(options.folder);
    if (this.segments.length === 0) this.addSegment(this.logStartOffset);
  }

  get startOffset(): number {
    return this.logStartOffset;
  }

  /** Offset of the next record. Without other replicas this is also the high watermark. */
  get endOffset(): number {
    return this.active.nextOffset;
  }

  /** Records at or after this offset may belong to open transactions. */
  get lastStableOffset(): number {
    return this.transactions.firstOpenOffset() ?? this.endOffset;
  }

  get bytes(): number {
    return this.segments.reduce((sum, segment) => sum + segment.size, 0);
  }

  /** Of the active segment; -1 if it is empty. */
  get newestTimestamp(): number {
    return this.active.size === 0 ? -1 : this.active.largestTimestamp;
  }

  /** Closed or deleted: no more appends. */
  get closed(): boolean {
    return this.isClosed;
  }

  private get active(): Segment {
    return this.segments[this.segments.length - 1]!;
  }

  private newSegment(baseOffset: number, suffix = ''): Segment {
    const { folder } = this.options;
    const path = folder === null ? null : join(folder, `${segmentName(baseOffset)}${suffix}`);
    return new Segment(baseOffset, path === null ? memoryStorage() : fileStorage(path));
  }

  private addSegment(baseOffset: number): void {
    const { folder, fsync } = this.options;
    const segment = this.newSegment(baseOffset);
    if (folder !== null && fsync === 'always') syncFolder(folder);
    this.segments.push(segment);
  }

  private recover(folder: string): void {
    mkdirSync(folder, { recursive: true });
    const names = readdirSync(folder);
    for (const name of names) if (name.endsWith('.tmp')) rmSync(join(folder, name));
    if (names.includes(START_FILE)) this.logStartOffset = Number(readFileSync(join(folder, START_FILE), 'utf8')) || 0;
    const bases = names.flatMap((name) => SEGMENT_NAME.exec(name)?.[1] ?? []).map(Number);
    bases.sort((a, b) => a - b);
    for (const [i, baseOffset] of bases.entries()) {
      const segment = this.newSegment(baseOffset);
      const isLast = i === bases.length - 1;
      const cut = segment.recover(isLast, (header) => this.updateState(header));
      if (cut > 0)
        this.options.log(
          `Truncated ${cut} bytes of an incomplete write at the end of ${join(folder, segmentName(baseOffset))}.`,
        );
      this.segments.push(segment);
    }
    const first = this.segments[0];
    if (first) this.logStartOffset = Math.max(this.logStartOffset, first.baseOffset);
    this.transactions.startsAt(this.logStartOffset);
  }

  private updateState(header: BatchHeader): void {
    this.producers.onAppend(header, this.options.now());
    this.transactions.onAppend(header);
  }

  /**
   * Assigns the next offset to the batch, in place, and writes it. Returns its header as stored.
   * @param batch exactly one valid batch
   */
  append(batch: Buffer, { segmentBytes, segmentMs, appendTime }: AppendOptions): BatchHeader {
    if (this.isClosed) throw new Error('The partition has been deleted.');
    if (this.failure) throw this.failure;
    if (appendTime !== null) assignAppendTime(batch, appendTime);
    assignOffset(batch, this.endOffset);
    const header = readHeader(batch);
    const { active } = this;
    const isFull = active.size + batch.length > segmentBytes;
    if (active.size > 0 && isFull) this.roll();
    else this.rollIfOlder(segmentMs);
    this.active.append(batch, header);
    this.updateState(header);
    this.notifyListeners();
    return header;
  }

  /** Rolls the active segment by age, because compaction and retention apply to closed segments only. */
  rollIfOlder(ms: number): void {
    const { firstAppendedAt } = this.active;
    if (firstAppendedAt !== null && this.options.now() - firstAppendedAt > ms) this.roll();
  }

  /** Starts a new segment, so that the active one can be compacted or deleted. */
  roll(): void {
    if (this.active.size === 0) return;
    const full = this.active;
    this.addSegment(full.nextOffset);
    if (this.options.fsync === 'never') return;
    // A segment must be flushed before later segments are acknowledged.
    const flushing = Promise.all([this.flushing, this.sync(full)]).finally(() => {
      if (this.flushing === flushing) this.flushing = null;
    });
    this.flushing = flushing;
    // `durable` reports the failure; without a caller of it, this promise must not be unhandled.
    flushing.catch(() => undefined);
  }

  /** Resolves when all previous appends are flushed as the fsync policy requires. */
  async durable(): Promise<void> {
    if (this.options.fsync === 'never') return;
    await Promise.all([this.flushing, this.sync(this.active)]);
    if (this.failure) throw this.failure;
  }

  private async sync(segment: Segment): Promise<void> {
    try {
      await segment.sync();
    } catch (error) {
      if (this.isClosed || this.failure) throw error;
      this.failure = error as Error;
      this.options.log(
        `Cannot flush ${this.options.folder} to disk; all writes to it fail until the broker is restarted: ${(error as Error).message}`,
      );
      throw error;
    }
  }

  /**
   * Whole batches, starting with the one that contains `offset`; empty at the end of the log.
   * @param offset from startOffset to endOffset
   * @param end exclusive: batches that start at or after it are omitted
   */
  read(offset: number, end: number, maxBytes: number, atLeastOne: boolean): Buffer {
    for (let i = this.segmentIndex(offset); i < this.segments.length; i++) {
      const segment = this.segments[i]!;
      if (segment.nextOffset <= offset) continue;
      if (segment.baseOffset >= end) break;
      const bytes = segment.read(offset, end, maxBytes, atLeastOne);
      if (bytes.length > 0 || maxBytes <= 0) return bytes;
      // Either the next batch does not fit, or compaction has removed the rest of this segment.
      if (segment.read(offset, end, 0, true).length > 0) return bytes;
    }
    return Buffer.alloc(0);
  }

  /** Index of the last segment whose base offset is at most `offset`. */
  private segmentIndex(offset: number): number {
    let i = this.segments.length - 1;
    while (i > 0 && this.segments[i]!.baseOffset > offset) i--;
    return i;
  }

  /**
   * Visits all batches in order until `visit` returns false. Segments that only contain timestamps before `since` are
   * skipped.
   */
  forEachBatch(visit: (batch: Buffer) => boolean | void, since = -1): void {
    for (const segment of this.segments) {
      if (segment.maxTimestamp < since) continue;
      for (const batch of segment.batches()) {
        if (readHeader(batch).lastOffset >= this.logStartOffset && visit(batch) === false) return;
      }
    }
  }

  /** Raises the log start offset and deletes the segments that are entirely below it. */
  deleteBefore(offset: number): void {
    if (offset <= this.logStartOffset) return;
    const start = Math.min(offset, this.endOffset);
    const { folder, fsync } = this.options;
    if (folder !== null) replaceFile(join(folder, START_FILE), String(start), fsync === 'always');
    this.logStartOffset = start;
    while (this.segments.length > 1 && this.segments[0]!.nextOffset <= this.logStartOffset)
      this.segments.shift()!.remove();
    this.transactions.startsAt(this.logStartOffset);
  }

  /** All segments except the active one, oldest first. */
  closedSegments(): readonly Segment[] {
    return this.segments.slice(0, -1);
  }

  /** An empty segment for the compacted batches of `old`. The caller passes it to `replace` or removes it. */
  successorOf(old: Segment): Segment {
    return this.newSegment(old.baseOffset, '.tmp');
  }

  /** Flushes the compacted segment and atomically replaces the closed one with it. */
  async replace(old: Segment, successor: Segment): Promise<void> {
    await successor.sync();
    const at = this.segments.indexOf(old);
    // The segment was deleted meanwhile.
    if (this.isClosed || at < 0) return successor.remove();
    const { folder, fsync } = this.options;
    successor.takeOver(old, folder === null ? null : join(folder, segmentName(old.baseOffset)));
    this.segments[at] = successor;
    old.close();
    if (folder !== null && fsync === 'always') syncFolder(folder);
  }

  /** Calls back on each append and when the log is closed, until the returned function is called. */
  onChange(callback: () => void): () => void {
    this.listeners.add(callback);
    return () => this.listeners.delete(callback);
  }

  private notifyListeners(): void {
    for (const callback of this.listeners) callback();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    if (this.options.folder !== null) await Promise.all(this.segments.map((segment) => segment.sync()));
    for (const segment of this.segments) segment.close();
    this.notifyListeners();
  }

  /** Closes the log and deletes its folder. */
  remove(): void {
    this.isClosed = true;
    for (const segment of this.segments) segment.remove();
    if (this.options.folder !== null) rmSync(this.options.folder, { recursive: true, force: true });
    this.notifyListeners();
  }
}
