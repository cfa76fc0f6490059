/**
 * Ends a connection whose client does not speak HTTP, or with too many bytes before the body. Node would close it over what it has not read,
 * and the reset that follows often overtakes the answer; so the answer goes first, and what still comes is read and thrown away.
 */
import type { Duplex } from 'node:stream';
import { startTimer } from '@millrace/sdk';

/** For a client that does not hang up by itself. A slow one is still sending, or has not read the answer, after a second or two. */
const LINGER_MS = 5_000;

const STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

const leaving = new WeakSet<Duplex>();

/** Listens to `clientError`, which comes again for everything that is read after the first. */
export function hangUp(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (leaving.has(socket)) return;
  leaving.add(socket);
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const timer = startTimer(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.end(`HTTP/1.1 ${STATUS[error.code ?? ''] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`);
}
