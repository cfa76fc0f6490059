/**
 * The log of one partition: append-only segments, what is known about its producers and transactions, and who waits for
 * more. Appending is synchronous, hence atomic; `durable` waits for the disk where the policy asks for it.
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
  /** The partition's own folder, made when missing; null: in memory. */
  readonly folder: string | null;
  readonly fsync: 'always' | 'never';
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
  readonly transactions = new TransactionIndex();
  private segments: Segment[] = [];
  private start = 0;
  private readonly waiting = new Set<() => void>();
  private removed = false;
  /** Of full segments whose bytes are on their way to the disk. */
  private sealing: Promise<unknown> | null = null;
  /** What was written may be gone: the disk has refused to keep it, and cannot be asked again. */
  private failure: Error | null = null;

  constructor(private readonly options: LogOptions) {
    if (options.folder !== null) this.recover(options.folder);
    if (this.segments.length === 0) this.addSegment(this.start);
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
    return this.transactions.firstOpenOffset() ?? this.endOffset;
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
    this.transactions.startsAt(this.start);
  }

  private learn(header: BatchHeader): void {
    this.producers.appended(header, this.options.now());
    this.transactions.appended(header);
  }

  /**
   * Gives the batch the next offset and writes it. The batch is changed in place. Returns its header as stored.
   * @param batch one valid batch.
   */
  append(batch: Buffer, { segmentBytes, segmentMs, appendTime }: AppendOptions): BatchHeader {
    if (this.removed) throw new Error('the partition has been deleted');
    if (this.failure) throw this.failure;
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
    this.addSegment(full.nextOffset);
    if (this.options.fsync === 'never') return;
    // Its bytes must not be less durable than those of the segment after it.
    const sealing = Promise.all([this.sealing, this.sync(full)]).finally(() => {
      if (this.sealing === sealing) this.sealing = null;
    });
    this.sealing = sealing;
    // Whoever waits for `durable` is told; nobody may.
    sealing.catch(() => undefined);
  }

  /** Resolves when what was appended so far is as safe as the policy asks. */
  async durable(): Promise<void> {
    if (this.options.fsync === 'never') return;
    await Promise.all([this.sealing, this.sync(this.active)]);
    if (this.failure) throw this.failure;
  }

  private async sync(segment: Segment): Promise<void> {
    try {
      await segment.sync();
    } catch (error) {
      if (this.removed || this.failure) throw error;
      this.failure = error as Error;
      this.options.log(
        `${this.options.folder} could not be brought to the disk: ${(error as Error).message}. Nothing is written to it before a restart.`,
      );
      throw error;
    }
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

  /**
   * Every batch from the log's start on, in order, until `visit` returns false. Segments older than `since` throughout
   * are left out.
   */
  forEachBatch(visit: (batch: Buffer) => boolean | void, since = -1): void {
    for (const segment of this.segments) {
      if (segment.maxTimestamp < since) continue;
      for (const batch of segment.batches()) {
        if (readHeader(batch).lastOffset >= this.start && visit(batch) === false) return;
      }
    }
  }

  /** Records before `offset` are gone from now on; whole segments of them are removed. */
  deleteBefore(offset: number): void {
    if (offset <= this.start) return;
    const start = Math.min(offset, this.endOffset);
    const { folder, fsync } = this.options;
    if (folder !== null) replaceFile(join(folder, START_FILE), String(start), fsync === 'always');
    this.start = start;
    while (this.segments.length > 1 && this.segments[0]!.nextOffset <= this.start) this.segments.shift()!.remove();
    this.transactions.startsAt(this.start);
  }

  /** Those that nothing is appended to any more, oldest first. */
  closedSegments(): readonly Segment[] {
    return this.segments.slice(0, -1);
  }

  /** An empty segment to fill with fewer of the same batches, for `replace`; `remove` it if it is of no use. */
  successorOf(old: Segment): Segment {
    return this.newSegment(old.baseOffset, '.tmp');
  }

  /** Puts it in a closed segment's place, when it is on the disk. Readers see the one or the other. */
  async replace(old: Segment, successor: Segment): Promise<void> {
    await successor.sync();
    const at = this.segments.indexOf(old);
    // Deleted meanwhile.
    if (this.removed || at < 0) return successor.remove();
    const { folder, fsync } = this.options;
    successor.succeed(old, folder === null ? null : join(folder, segmentName(old.baseOffset)));
    this.segments[at] = successor;
    old.close();
    if (folder !== null && fsync === 'always') syncFolder(folder);
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
    if (this.options.folder !== null) await Promise.all(this.segments.map((segment) => segment.sync()));
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
