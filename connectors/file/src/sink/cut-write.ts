/**
 * A write that the disk had no room for beyond some byte, and how to go on with it so that every line is whole. Nothing
 * is ever cut back: other tasks may append to the same file, and what they have written behind must not go with it.
 */
import type { FileHandle } from 'node:fs/promises';

interface Attempt {
  readonly bytes: Buffer;
  /** How many of them are in the file. */
  readonly written: number;
  readonly separator: Buffer;
}

const CHUNK = 64 * 1024;

export class CutWrite {
  private constructor(
    private readonly attempt: Attempt,
    /** The file's size afterwards; null: pipes and devices have none. */
    private readonly end: number | null,
  ) {}

  static async of(handle: FileHandle, regular: boolean, attempt: Attempt): Promise<CutWrite> {
    return new CutWrite(attempt, regular ? (await handle.stat()).size : null);
  }

  /** From which of the bytes on to write. */
  async goOn(handle: FileHandle): Promise<number> {
    const { bytes, written, separator } = this.attempt;
    const lineStart = startOfLine(bytes, written, separator);
    const half = bytes.subarray(lineStart, written);
    if (half.length === 0 || this.end === null || (await endsWith(handle, half))) return written;
    // Another task has appended to our half line. The line of its own that it spoilt is repeated, then ours.
    const spoilt = await lineFrom(handle, this.end, separator);
    await writeAll(handle, spoilt);
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

/** With its end; empty when it has none yet. */
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
