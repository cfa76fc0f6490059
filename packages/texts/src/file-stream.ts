/** Reads files that may be pipes, for instance `<(command)` of a shell. */
import { constants, createReadStream, openSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal, type Readable } from 'node:stream';

/**
 * A pipe that no process writes to blocks the thread that opens or reads it, and a process cannot exit while one of its
 * threads is blocked. A socket waits without a thread.
 * @param signal ends a stream that is not complete
 */
export function fileStream(path: string, signal?: AbortSignal): Readable {
  const stream = statSync(path).isFIFO() ? pipeStream(path) : createReadStream(path);
  return signal === undefined ? stream : addAbortSignal(signal, stream);
}

function pipeStream(path: string): Readable {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}

/** UTF-8. */
export async function readText(path: string, signal?: AbortSignal): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of fileStream(path, signal)) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
