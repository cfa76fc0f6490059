/**
 * Ends a connection whose client does not speak HTTP, or with too many bytes before the body. Node would close it over
 * what it has not read, and the reset that follows often overtakes the answer; so the answer goes first, and what still
 * comes is read and thrown away.
 */
import { METHODS, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { startTimer } from '@millrace/sdk';
import { encodeJson } from '../json/encode';
import { routingError } from './rest-error';

/**
 * For a client that does not hang up by itself. A slow one is still sending, or has not read the answer, after a second
 * or two.
 */
const LINGER_MS = 5_000;

const STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  HPE_INVALID_VERSION: '505 HTTP Version Not Supported',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};
const METHOD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) \S+ HTTP\//;

interface ClientError extends NodeJS.ErrnoException {
  /** Of what the parser says. */
  readonly reason?: string;
  readonly rawPacket?: Buffer;
}

const leaving = new WeakSet<Duplex>();

/** Listens to `clientError`, which comes again for everything that is read after the first. */
export function hangUp(error: ClientError, socket: Duplex): void {
  if (leaving.has(socket)) return;
  leaving.add(socket);
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  if (error.code === 'HPE_INVALID_METHOD' && isUnknownMethod(error.rawPacket)) {
    refuseMethod(socket);
    return;
  }
  const status = STATUS[error.code ?? ''] ?? '400 Bad Request';
  const message = `The request is not valid HTTP/1.1: ${error.reason ?? error.message}`;
  end(socket, lastAnswer(status, mayBeHead(error) ? null : message));
}

/**
 * A packet that begins with a method Node knows has what is wrong behind a first request, such as a body longer than it
 * was said to be.
 */
function isUnknownMethod(packet: Buffer | undefined): boolean {
  const method = methodOf(packet);
  return method !== undefined && !METHODS.includes(method);
}

/** To a HEAD no body may be sent. The packet may be one behind that with the method. */
function mayBeHead({ code, rawPacket }: ClientError): boolean {
  const method = methodOf(rawPacket);
  return method === undefined ? code !== 'HPE_INVALID_METHOD' : method === 'HEAD';
}

function methodOf(packet: Buffer | undefined): string | undefined {
  return METHOD.exec(packet?.toString('latin1', 0, 4096) ?? '')?.[1];
}

/** One that gets no further than the parser: unknown to it, or `CONNECT`, which is for proxies. */
export function refuseMethod(socket: Duplex): void {
  end(socket, lastAnswer('405 Method Not Allowed', routingError(405).message));
}

/** A body that nobody waits for any more may end, so that the connection can be used again, but not for ever. */
export function cutOffRest(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    if (request.complete) return;
    const timer = startTimer(() => request.socket.destroy(), LINGER_MS);
    for (const event of ['end', 'close']) request.once(event, () => clearTimeout(timer));
  });
}

function end(socket: Duplex, answer: Buffer): void {
  const timer = startTimer(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => socket.destroy());
  socket.resume();
  socket.end(answer);
}

/** @param message null: without a body */
function lastAnswer(status: string, message: string | null): Buffer {
  const body = message === null ? Buffer.alloc(0) : encodeJson({ error_code: Number(status.slice(0, 3)), message });
  const type = message === null || status.startsWith('405') ? '' : 'Content-Type: application/json\r\n';
  const head = `HTTP/1.1 ${status}\r\nConnection: close\r\n${type}Content-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}
