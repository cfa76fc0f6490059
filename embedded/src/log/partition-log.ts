/**
 * The log of one partition: append-only segments, what is known about its producers and transactions, and who waits for
 * more. Appending is synchronous, hence atomic; `durable` waits for the disk where the policy asks for it.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TransactionIndex } from '../ports';
import { assignAppendTime, assignOffset, readHeader, type BatchHeader } from './batch';
import { ProducerStates } from './producer-state';
import { Segment } from './segment';
import { fileStorage, memoryStorage } from './storage';

export interface LogOptions {
  /** The partition's own folder, made when missing; null: in memory. */
  readonly folder: string | null;
  readonly fsync: 'always' | 'never';
  readonly transactions: TransactionIndex;
  readonly now: () => number;
  readonly log: (line: string) => void;
}

export interface AppendOptions {
  readonly segmentBytes: number;
  readonly segmentMs: number;
  /** Set: the records' timestamps become this one. */
  readonly appendTime: number | null;
}

const SEGMENT_NAME = /^(\d{20})\.log$/;
const START_FILE = 'log-start-offset';

function segmentName(baseOffset: number): string {
  return `${String(baseOffset).padStart(20, '0')}.log`;
}

export class PartitionLog {
  readonly producers = new ProducerStates();
  private segments: Segment[] = [];
  private start = 0;
  private readonly waiting = new Set<() => void>();
  private removed = false;

  constructor(private readonly options: LogOptions) {
    if (options.folder !== null) this.recover(options.folder);
    if (this.segments.length === 0) this.segments.push(this.newSegment(this.start));
  }

  get startOffset(): number {
    return this.start;
  }

  /** The next record's. There are no other replicas, so this is the high watermark as well. */
  get endOffset(): number {
    return this.active.nextOffset;
  }

  /** Records from here on may belong to open transactions. */
  get lastStableOffset(): number {
    return this.options.transactions.firstOpenOffset() ?? this.endOffset;
  }

  get transactions(): TransactionIndex {
    return this.options.transactions;
  }

  get bytes(): number {
    return this.segments.reduce((sum, segment) => sum + segment.size, 0);
  }

  /** Of the segment being written; -1: it has no record. */
  get newestTimestamp(): number {
    return this.active.maxTimestamp;
  }

  /** Nothing can be written any more. */
  get closed(): boolean {
    return this.removed;
  }

  private get active(): Segment {
    return this.segments[this.segments.length - 1]!;
  }

  private newSegment(baseOffset: number): Segment {
    const { folder } = this.options;
    return new Segment(
      baseOffset,
      folder === null ? memoryStorage() : fileStorage(join(folder, segmentName(baseOffset))),
    );
  }

  private recover(folder: string): void {
    mkdirSync(folder, { recursive: true });
    const names = readdirSync(folder);
    for (const name of names) if (name.endsWith('.tmp')) rmSync(join(folder, name));
    if (names.includes(START_FILE)) this.start = Number(readFileSync(join(folder, START_FILE), 'utf8')) || 0;
    const bases = names.flatMap((name) => SEGMENT_NAME.exec(name)?.[1] ?? []).map(Number);
    bases.sort((a, b) => a - b);
    for (const [i, baseOffset] of bases.entries()) {
      const segment = this.newSegment(baseOffset);
      const isLast = i === bases.length - 1;
      const cut = segment.recover(isLast, (header) => this.learn(header));
      if (cut > 0)
        this.options.log(`Cut ${cut} bytes of an unfinished write off ${join(folder, segmentName(baseOffset))}.`);
      this.segments.push(segment);
    }
    const first = this.segments[0];
    if (first) this.start = Math.max(this.start, first.baseOffset);
    this.options.transactions.startsAt(this.start);
  }

  private learn(header: BatchHeader): void {
    this.producers.appended(header, this.options.now());
    this.options.transactions.appended(header);
  }

  /**
   * Gives the batch the next offset and writes it. The batch is changed in place. Returns its header as stored.
   * @param batch one valid batch.
   */
  append(batch: Buffer, { segmentBytes, segmentMs, appendTime }: AppendOptions): BatchHeader {
    if (this.removed) throw new Error('the partition has been deleted');
    if (appendTime !== null) assignAppendTime(batch, appendTime);
    assignOffset(batch, this.endOffset);
    const header = readHeader(batch);
    const { active } = this;
    const isFull = active.size + batch.length > segmentBytes;
    if (active.size > 0 && isFull) this.roll();
    else this.rollIfOlder(segmentMs);
    this.active.append(batch, header);
    this.learn(header);
    this.wake();
    return header;
  }

  /** Segments are given up by age too, as nothing is compacted or deleted in the one being written. */
  rollIfOlder(ms: number): void {
    const { firstAppendedAt } = this.active;
    if (firstAppendedAt !== null && this.options.now() - firstAppendedAt > ms) this.roll();
  }

  /** Starts a new segment, so that the present one may be compacted or deleted. */
  roll(): void {
    if (this.active.size === 0) return;
    const full = this.active;
    // Its bytes must not be less durable than those of the segment after it.
    if (this.options.fsync === 'always')
      void full.sync().catch((error: Error) => this.options.log(`fsync: ${error.message}`));
    this.segments.push(this.newSegment(full.nextOffset));
  }

  /** Resolves when what was appended so far is as safe as the policy asks. */
  async durable(): Promise<void> {
    if (this.options.fsync === 'always') await this.active.sync();
  }

  /**
   * Whole batches from the one with `offset` on; empty at the end.
   * @param offset from startOffset to endOffset.
   * @param end batches that start there or later are left out.
   */
  read(offset: number, end: number, maxBytes: number, atLeastOne: boolean): Buffer {
    for (let i = this.segmentIndex(offset); i < this.segments.length; i++) {
      const segment = this.segments[i]!;
      if (segment.nextOffset <= offset) continue;
      if (segment.baseOffset >= end) break;
      const bytes = segment.read(offset, end, maxBytes, atLeastOne);
      if (bytes.length > 0 || maxBytes <= 0) return bytes;
      // The batches looked for may have been compacted away, unless there were some that only did not fit.
      if (segment.read(offset, end, 0, true).length > 0) return bytes;
    }
    return Buffer.alloc(0);
  }

  /** Of the last segment that begins at or before `offset`. */
  private segmentIndex(offset: number): number {
    let i = this.segments.length - 1;
    while (i > 0 && this.segments[i]!.baseOffset > offset) i--;
    return i;
  }

  /** Every batch from the log's start on, in order, until `visit` returns false. Segments older than `since` throughout are left out. */
  forEachBatch(visit: (batch: Buffer) => boolean | void, since = -1): void {
    let goOn = true;
    for (const segment of this.segments) {
      if (segment.maxTimestamp < since) continue;
      segment.forEachBatch((batch) => {
        if (readHeader(batch).lastOffset < this.start) return true;
        return (goOn = visit(batch) !== false);
      });
      if (!goOn) return;
    }
  }

  /** Records before `offset` are gone from now on; whole segments of them are removed. */
  deleteBefore(offset: number): void {
    if (offset <= this.start) return;
    this.start = Math.min(offset, this.endOffset);
    this.writeStart();
    while (this.segments.length > 1 && this.segments[0]!.nextOffset <= this.start) this.segments.shift()!.remove();
    this.options.transactions.startsAt(this.start);
  }

  private writeStart(): void {
    const { folder } = this.options;
    if (folder === null) return;
    const temporary = join(folder, `${START_FILE}.tmp`);
    writeFileSync(temporary, String(this.start), { flush: true });
    renameSync(temporary, join(folder, START_FILE));
  }

  /** Those that nothing is appended to any more, oldest first. */
  closedSegments(): readonly Segment[] {
    return this.segments.slice(0, -1);
  }

  /** Exchanges a closed segment's content for fewer of the same batches. Readers see the one or the other. */
  replace(old: Segment, batches: readonly Buffer[]): void {
    const { folder } = this.options;
    const at = this.segments.indexOf(old);
    if (at < 0 || at === this.segments.length - 1) throw new Error('only closed segments can be replaced');
    const temporary = folder === null ? null : join(folder, `${segmentName(old.baseOffset)}.tmp`);
    const storage = temporary === null ? memoryStorage() : fileStorage(temporary);
    for (const batch of batches) storage.append(batch);
    storage.seal(old.lastAppendedAt);
    if (folder !== null) {
      storage.close();
      old.close();
      renameSync(temporary!, join(folder, segmentName(old.baseOffset)));
    }
    const fresh = folder === null ? new Segment(old.baseOffset, storage) : this.newSegment(old.baseOffset);
    fresh.recover(false, () => {});
    // Offsets that were there stay taken.
    fresh.nextOffset = old.nextOffset;
    this.segments[at] = fresh;
  }

  /** Calls at each append and marker, and when the partition goes away, until the returned function is called. */
  onChange(callback: () => void): () => void {
    this.waiting.add(callback);
    return () => this.waiting.delete(callback);
  }

  private wake(): void {
    for (const callback of this.waiting) callback();
  }

  async close(): Promise<void> {
    this.removed = true;
    if (this.options.folder !== null) await this.active.sync();
    for (const segment of this.segments) segment.close();
    this.wake();
  }

  /** Closed, and its folder gone. */
  remove(): void {
    this.removed = true;
    for (const segment of this.segments) segment.remove();
    if (this.options.folder !== null) rmSync(this.options.folder, { recursive: true, force: true });
    this.wake();
  }
}
