/**
 * A write that a full disk interrupted, and how to resume it so that every line is complete. The file is never
 * truncated, because that could remove lines that other tasks appended in the meantime.
 */
import type { FileHandle } from 'node:fs/promises';

interface Attempt {
  readonly bytes: Buffer;
  /** Number of these bytes that are in the file. */
  readonly written: number;
  readonly separator: Buffer;
}

const CHUNK = 64 * 1024;

export class PartialWrite {
  private constructor(
    private readonly attempt: Attempt,
    /** Size of the file after the write. Null: a pipe or device, which has no size. */
    private readonly end: number | null,
  ) {}

  static async of(handle: FileHandle, regular: boolean, attempt: Attempt): Promise<PartialWrite> {
    return new PartialWrite(attempt, regular ? (await handle.stat()).size : null);
  }

  /** Resolves to the index of the first byte that remains to be written. */
  async resume(handle: FileHandle): Promise<number> {
    const { bytes, written, separator } = this.attempt;
    const lineStart = startOfLine(bytes, written, separator);
    const half = bytes.subarray(lineStart, written);
    if (half.length === 0 || this.end === null || (await endsWith(handle, half))) return written;
    // Another task appended to the incomplete line, which corrupted its own. Repeat that line, then the incomplete one.
    const corrupted = await lineFrom(handle, this.end, separator);
    await writeAll(handle, corrupted);
    return lineStart;
  }
}

async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let written = 0; written < bytes.length;)
    written += (await handle.write(bytes, written, bytes.length - written)).bytesWritten;
}

function startOfLine(bytes: Buffer, written: number, separator: Buffer): number {
  const before = bytes.subarray(0, written).lastIndexOf(separator);
  return before < 0 ? 0 : before + separator.length;
}

async function endsWith(handle: FileHandle, half: Buffer): Promise<boolean> {
  const { size } = await handle.stat();
  const last = Buffer.alloc(half.length);
  const { bytesRead } = await handle.read(last, 0, last.length, Math.max(0, size - last.length));
  return bytesRead === last.length && last.equals(half);
}

/** Includes the separator. Empty if the line is not complete yet. */
async function lineFrom(handle: FileHandle, start: number, separator: Buffer): Promise<Buffer> {
  let read = Buffer.alloc(0);
  for (;;) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(CHUNK), 0, CHUNK, start + read.length);
    read = Buffer.concat([read, buffer.subarray(0, bytesRead)]);
    const end = read.indexOf(separator);
    if (end >= 0) return read.subarray(0, end + separator.length);
    if (bytesRead === 0) return Buffer.alloc(0);
  }
}
