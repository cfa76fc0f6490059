/**
 * Standard input of the worker process. `process.stdin` is empty in task threads, so this reads the file descriptor,
 * without blocking a thread while no data arrives.
 */
import { createReadStream, fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { ReadStream, isatty } from 'node:tty';
import { ConnectError } from '@millrace/sdk';
import type { Input } from './input';

const STDIN = 0;

export class StandardInput implements Input {
  readonly name = 'standard input';
  readonly file = null;
  private readonly stream: Readable;
  private failure: Error | null = null;

  /** @param stream (Default: descriptor 0, which stays open after `close`) */
  constructor(stream: Readable = openStandardInput()) {
    this.stream = stream;
    stream.on('error', (error) => (this.failure = error));
    // Node.js fills the stream's buffer only if there is a listener.
    stream.on('readable', () => undefined);
  }

  /** Throws ConnectError `FILE_SOURCE_READ`. */
  async read(room: Buffer): Promise<number | 'nothing'> {
    if (this.failure) {
      throw new ConnectError(`Cannot read standard input: ${this.failure.message}.`, {
        code: 'FILE_SOURCE_READ',
        cause: this.failure,
      });
    }
    const waiting = this.stream.readableLength;
    if (waiting === 0) return 'nothing';
    const bytes = this.stream.read(Math.min(waiting, room.length)) as Buffer | null;
    return bytes?.copy(room) ?? 'nothing';
  }

  async close(): Promise<void> {
    this.stream.destroy();
  }
}

/** Distinguishes the same kinds as Node.js. libuv never closes descriptor 0, so a later task can continue reading. */
function openStandardInput(): Readable {
  if (isatty(STDIN)) return new ReadStream(STDIN);
  const stats = fstatSync(STDIN);
  if (stats.isFIFO() || stats.isSocket()) return new Socket({ fd: STDIN, readable: true, writable: false });
  return createReadStream('', { fd: STDIN, autoClose: false });
}
