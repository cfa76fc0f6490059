/** Reads the entries of a jar, within bounds. */
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { openRegularFile } from '@millrace/sdk';
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';

/** The list of entries is read in pieces of this size. Bytes. */
const WINDOW = 256 * 1024;
/** Bytes. */
const PIECE = 64 * 1024;
const MAX_ENTRIES = 500_000;
/** Of the list of entries. Bytes. */
const MAX_LISTED = 256 * 1024 * 1024;
const ENTRY_HEADER = 46;

/** A piece of the file in memory: the library reads each entry of the list by itself. */
class WindowReader extends RandomAccessReader {
  private readonly window = Buffer.allocUnsafe(WINDOW);
  private start = 0;
  private length = 0;

  constructor(private readonly file: FileHandle) {
    super();
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    const copy = (): number =>
      this.window.copy(buffer, offset, position - this.start, Math.min(position - this.start + length, this.length));
    if (this.has(position, length)) return callback(null, copy());
    const whole = length > WINDOW ? this.fill(buffer.subarray(offset, offset + length), position) : this.move(position);
    whole.then((read) => callback(null, length > WINDOW ? read : copy()), callback);
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.pieces(start, end));
  }

  private async *pieces(start: number, end: number): AsyncGenerator<Buffer> {
    for (let at = start; at < end;) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE, end - at));
      const read = await this.fill(piece, at);
      if (read === 0) return;
      yield piece.subarray(0, read);
      at += read;
    }
  }

  private has(position: number, length: number): boolean {
    return position >= this.start && position + length <= this.start + this.length;
  }

  private async move(position: number): Promise<number> {
    this.length = 0;
    const read = await this.fill(this.window, position);
    this.start = position;
    this.length = read;
    return read;
  }

  private async fill(buffer: Buffer, position: number): Promise<number> {
    let filled = 0;
    for (let read = -1; read !== 0 && filled < buffer.length; filled += read)
      read = (await this.file.read(buffer, filled, buffer.length - filled, position + filled)).bytesRead;
    return filled;
  }
}

export interface JarFile {
  /** Calls for each entry until `see` returns false; its path is Latin 1 unless it is `META-INF`'s. */
  entries(see: (path: string, entry: Entry) => boolean): Promise<void>;
  /**
   * The start of an entry, uncompressed.
   * @param limit bytes
   */
  read(entry: Entry, limit: number): Promise<{ readonly bytes: Buffer; readonly isWhole: boolean }>;
}

/** Closes the file afterwards. Rejects with an Error whose message is the reason for a file that is not a jar. */
export async function withJar<T>(path: string, use: (jar: JarFile) => Promise<T>): Promise<T> {
  const file = await openRegularFile(path);
  try {
    const { size } = await file.stat();
    const zip = await fromRandomAccessReaderPromise(new WindowReader(file), size, {
      autoClose: false,
      // Paths are compared, never opened.
      decodeStrings: false,
      validateEntrySizes: true,
    });
    // An error after the last entry has no other listener.
    zip.on('error', () => undefined);
    if (zip.entryCount > MAX_ENTRIES)
      throw new Error(`it has ${zip.entryCount} entries; at most ${MAX_ENTRIES} are read`);
    return await use({
      entries: async (see) => await listEntries(zip, see),
      read: async (entry, limit) => await readStart(await zip.openReadStreamPromise(entry), limit),
    });
  } finally {
    await file.close();
  }
}

async function listEntries(zip: ZipFile, see: (path: string, entry: Entry) => boolean): Promise<void> {
  let listed = 0;
  for await (const entry of zip.eachEntry()) {
    listed += ENTRY_HEADER + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
    if (listed > MAX_LISTED) throw new Error(`its list of entries has more than ${MAX_LISTED} bytes`);
    if (!see(entry.fileNameRaw.toString('utf8'), entry)) return;
  }
}

async function readStart(stream: Readable, limit: number): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of stream as AsyncIterable<Buffer>) {
      parts.push(part);
      length += part.length;
      if (length > limit) return { bytes: Buffer.concat(parts).subarray(0, limit), isWhole: false };
    }
    return { bytes: Buffer.concat(parts), isWhole: true };
  } finally {
    stream.destroy();
  }
}
