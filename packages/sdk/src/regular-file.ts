/**
 * Reads files whose paths are in configs. A pipe or a device could block a thread forever, be endless, or take what is
 * meant for others.
 */
import { closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats } from 'node:fs';
import { open, stat, type FileHandle } from 'node:fs/promises';

/** The path may name something else by the time it is opened. A terminal must not become that of the process. */
const FLAGS = constants.O_NONBLOCK | constants.O_NOCTTY;

/** Rejects like `open`, and for anything that is not a regular file. */
export async function openRegularFile(path: string, flags = constants.O_RDONLY): Promise<FileHandle> {
  // Opening alone has effects on some devices.
  requireRegular(await stat(path));
  const file = await open(path, flags | FLAGS);
  try {
    requireRegular(await file.stat());
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Rejects with an Error whose message is the reason, for instance when the file is larger. Files that the system
 * creates when they are read (those of /proc) have the size 0 and are read as empty.
 */
export async function readRegularFile(path: string, maxBytes: number): Promise<Buffer> {
  const file = await openRegularFile(path);
  try {
    const bytes = Buffer.alloc(sizeWithin(await file.stat(), maxBytes));
    let filled = 0;
    for (let read = -1; read !== 0 && filled < bytes.length; filled += read)
      read = (await file.read(bytes, filled, bytes.length - filled, filled)).bytesRead;
    return bytes.subarray(0, filled);
  } finally {
    await file.close();
  }
}

/** See `readRegularFile`. */
export function readRegularFileSync(path: string, maxBytes: number): Buffer {
  requireRegular(statSync(path));
  const file = openSync(path, constants.O_RDONLY | FLAGS);
  try {
    const stats = fstatSync(file);
    requireRegular(stats);
    const bytes = Buffer.alloc(sizeWithin(stats, maxBytes));
    let filled = 0;
    for (let read = -1; read !== 0 && filled < bytes.length; filled += read)
      read = readSync(file, bytes, filled, bytes.length - filled, filled);
    return bytes.subarray(0, filled);
  } finally {
    closeSync(file);
  }
}

function requireRegular(stats: Stats): void {
  if (!stats.isFile()) throw new Error('it is not a regular file');
}

function sizeWithin({ size }: Stats, maxBytes: number): number {
  if (size > maxBytes) throw new Error(`it has ${size} bytes; at most ${maxBytes} are allowed`);
  return size;
}
