/**
 * A run of record batches, in offset order, with a sparse index of its own in memory: one entry per 4 KiB or so. The
 * index is made again when the segment is opened, so it can never disagree with the bytes.
 */
import { batchBytes, HEADER_BYTES, hasValidChecksum, readHeader, type BatchHeader } from './batch';
import type { SegmentStorage } from './segment-storage';

const INDEX_EVERY_BYTES = 4096;
const SCAN_BYTES = 256 * 1024;
/** A control batch's header and the record that says what it is. */
const HEADER_AND_MARKER = HEADER_BYTES + 17;

interface IndexEntry {
  readonly offset: number;
  readonly position: number;
}

export class Segment {
  private readonly index: IndexEntry[] = [];
  private indexedTo = -INDEX_EVERY_BYTES;
  /** Offset after the last batch; the base offset while there is none. */
  nextOffset: number;
  maxTimestamp = -1;
  /** When its first batch was appended or, after recovery, its last: the one time a file keeps. Null: it is empty. */
  firstAppendedAt: number | null = null;

  constructor(
    readonly baseOffset: number,
    private readonly storage: SegmentStorage,
  ) {
    this.nextOffset = baseOffset;
  }

  get size(): number {
    return this.storage.size;
  }

  /** Milliseconds; compaction does not change it. */
  get lastAppendedAt(): number {
    return this.storage.modifiedAt;
  }

  /**
   * Reads all of it, calling `found` for each batch in order, and cuts off what is no complete, orderly batch: the tail
   * a crash has torn. Returns the bytes cut off.
   * @param checkSums of every batch; for the last segment, the only one that could have been torn.
   */
  recover(checkSums: boolean, found: (header: BatchHeader) => void): number {
    const before = this.size;
    let position = 0;
    let window = this.storage.read(0, SCAN_BYTES);
    let windowAt = 0;
    const view = (length: number): Buffer => {
      if (position + length > windowAt + window.length) {
        window = this.storage.read(position, Math.max(SCAN_BYTES, length));
        windowAt = position;
      }
      return window.subarray(position - windowAt, position - windowAt + length);
    };
    while (position + HEADER_BYTES <= before) {
      const size = batchBytes(view(HEADER_BYTES), 0);
      if (size < HEADER_BYTES || position + size > before) break;
      const batch = view(checkSums ? size : Math.min(size, HEADER_AND_MARKER));
      const header = readHeader(batch);
      if (header.magic !== 2 || header.baseOffset < this.nextOffset || header.lastOffset < header.baseOffset) break;
      if (checkSums && !hasValidChecksum(batch)) break;
      this.enter(header, position);
      found(header);
      position += size;
    }
    if (position < before) this.storage.truncate(position);
    return before - position;
  }

  append(batch: Buffer, header: BatchHeader): void {
    const position = this.size;
    this.storage.append(batch);
    this.enter(header, position);
  }

  private enter(header: BatchHeader, position: number): void {
    if (position - this.indexedTo >= INDEX_EVERY_BYTES) {
      this.index.push({ offset: header.baseOffset, position });
      this.indexedTo = position;
    }
    this.nextOffset = header.lastOffset + 1;
    this.maxTimestamp = Math.max(this.maxTimestamp, header.maxTimestamp);
    this.firstAppendedAt ??= this.storage.modifiedAt;
  }

  /** Where to start looking for the batch with that offset. */
  private positionBefore(offset: number): number {
    let low = 0;
    let high = this.index.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.index[middle]!.offset <= offset) low = middle;
      else high = middle - 1;
    }
    return this.index[low]?.position ?? 0;
  }

  /**
   * Whole batches from the one that holds `offset` on (or the next one after a hole), those only that start before
   * `end`.
   * @param atLeastOne the first batch comes even when it is larger than `maxBytes`.
   */
  read(offset: number, end: number, maxBytes: number, atLeastOne: boolean): Buffer {
    let from = this.positionBefore(offset);
    let bytes = this.storage.read(from, Math.max(maxBytes, 0) + 2 * INDEX_EVERY_BYTES);
    let at = 0;
    // The index leads to a batch at or before the one that is wanted.
    while (true) {
      if (at + HEADER_BYTES > bytes.length) {
        if (from + at + HEADER_BYTES > this.size) return bytes.subarray(0, 0);
        from += at;
        at = 0;
        bytes = this.storage.read(from, Math.max(maxBytes, SCAN_BYTES));
      }
      if (readHeader(bytes, at).lastOffset >= offset) break;
      at += batchBytes(bytes, at);
    }
    const first = at;
    while (at + HEADER_BYTES <= bytes.length) {
      const size = batchBytes(bytes, at);
      if (readHeader(bytes, at).baseOffset >= end) break;
      if (at === first && (size > maxBytes ? atLeastOne : at + size > bytes.length)) {
        return this.storage.read(from + at, size);
      }
      if (at + size - first > maxBytes || at + size > bytes.length) break;
      at += size;
    }
    return bytes.subarray(first, at);
  }

  /** Each batch, complete. */
  *batches(): Generator<Buffer> {
    let window: Buffer = Buffer.alloc(0);
    let windowAt = 0;
    for (let position = 0; position < this.size;) {
      const view = (length: number): Buffer => {
        if (position + length > windowAt + window.length) {
          window = this.storage.read(position, Math.max(SCAN_BYTES, length));
          windowAt = position;
        }
        return window.subarray(position - windowAt, position - windowAt + length);
      };
      const batch = view(batchBytes(view(HEADER_BYTES), 0));
      yield batch;
      position += batch.length;
    }
  }

  /** This one, of fewer batches, is to be what the other was: its offsets stay taken, and it is as old. */
  succeed(old: Segment, path: string | null): void {
    this.nextOffset = old.nextOffset;
    this.firstAppendedAt = old.firstAppendedAt;
    this.storage.stamp(old.lastAppendedAt);
    if (path !== null) this.storage.moveTo(path);
  }

  sync(): Promise<void> {
    return this.storage.sync();
  }

  close(): void {
    this.storage.close();
  }

  remove(): void {
    this.storage.remove();
  }
}
