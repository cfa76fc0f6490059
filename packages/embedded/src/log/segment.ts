/**
 * A segment of record batches in offset order, with a sparse offset index in memory: about one entry per 4 KiB. The
 * index is rebuilt when the segment is opened, so it always matches the stored batches.
 */
import { batchBytes, HEADER_BYTES, hasValidChecksum, readHeader, type BatchHeader } from './batch';
import type { SegmentStorage } from './segment-storage';

const INDEX_EVERY_BYTES = 4096;
const SCAN_BYTES = 256 * 1024;
/** The header of a control batch, and its record, which contains the type of the marker. */
const HEADER_AND_MARKER = HEADER_BYTES + 17;

interface IndexEntry {
  readonly offset: number;
  readonly position: number;
}

export class Segment {
  private readonly index: IndexEntry[] = [];
  private indexedTo = -INDEX_EVERY_BYTES;
  /** Offset after the last batch; the base offset while the segment is empty. */
  nextOffset: number;
  /** -1: none of its records has one. */
  maxTimestamp = -1;
  /** Time of the first append, or of the last after a recovery, as files only store that. Null: empty. */
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

  /** Milliseconds; unchanged by compaction. */
  get lastAppendedAt(): number {
    return this.storage.modifiedAt;
  }

  /** For retention: of records without a timestamp, the time of the last append, as in Apache Kafka. */
  get largestTimestamp(): number {
    return this.maxTimestamp >= 0 ? this.maxTimestamp : this.lastAppendedAt;
  }

  /**
   * Reads all batches, calling `onBatch` for each, and truncates the segment at the first invalid one: the torn
   * tail after a crash. Returns the number of truncated bytes.
   * @param checkSums validate the checksum of every batch; only the last segment can have a torn tail.
   */
  recover(checkSums: boolean, onBatch: (header: BatchHeader) => void): number {
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
      this.indexBatch(header, position);
      onBatch(header);
      position += size;
    }
    if (position < before) this.storage.truncate(position);
    return before - position;
  }

  append(batch: Buffer, header: BatchHeader): void {
    const position = this.size;
    this.storage.append(batch);
    this.indexBatch(header, position);
  }

  private indexBatch(header: BatchHeader, position: number): void {
    if (position - this.indexedTo >= INDEX_EVERY_BYTES) {
      this.index.push({ offset: header.baseOffset, position });
      this.indexedTo = position;
    }
    this.nextOffset = header.lastOffset + 1;
    this.maxTimestamp = Math.max(this.maxTimestamp, header.maxTimestamp);
    this.firstAppendedAt ??= this.storage.modifiedAt;
  }

  /** Position of an indexed batch at or before the one with that offset. */
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
   * Whole batches that start before `end`, beginning with the one that contains `offset`, or the next one if compaction
   * has removed it.
   * @param atLeastOne return the first batch even if it exceeds `maxBytes`
   */
  read(offset: number, end: number, maxBytes: number, atLeastOne: boolean): Buffer {
    let from = this.positionBefore(offset);
    let bytes = this.storage.read(from, Math.max(maxBytes, 0) + 2 * INDEX_EVERY_BYTES);
    let at = 0;
    // The index entry may be before the requested batch: skip to it.
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

  /** All batches, each complete. */
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

  /** Takes over the end offset, timestamps and file of the segment that this compacted one replaces. */
  takeOver(old: Segment, path: string | null): void {
    this.nextOffset = old.nextOffset;
    this.firstAppendedAt = old.firstAppendedAt;
    this.storage.setModifiedAt(old.lastAppendedAt);
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
