/**
 * Responds to requests that Node's HTTP parser rejects. Node would close the connection with unread bytes, and the
 * resulting reset often discards the response. So the response is sent first, and the remaining bytes are read and
 * discarded.
 */
import { METHODS, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { startTimer } from '@millrace/sdk';
import { encodeJson } from '../json/encode';
import { routingError } from './rest-error';

/**
 * How long a client may keep the connection open. A slow client may still be sending, or reading the response, after a
 * second or two.
 */
const LINGER_MS = 5_000;

const STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  HPE_INVALID_VERSION: '505 HTTP Version Not Supported',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};
/** Of any target: a blank in it is an error of the parser, too. */
const METHOD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) [^\r\n]+ HTTP\//;

interface ClientError extends NodeJS.ErrnoException {
  /** The parser's reason. */
  readonly reason?: string;
  readonly rawPacket?: Buffer;
}

const closing = new WeakSet<Duplex>();

/** Listener for `clientError`, which is emitted again for all bytes read after the first error. */
export function handleClientError(error: ClientError, socket: Duplex): void {
  if (closing.has(socket)) return;
  closing.add(socket);
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  if (error.code === 'HPE_INVALID_METHOD' && isUnknownMethod(error.rawPacket)) {
    rejectMethod(socket);
    return;
  }
  const status = STATUS[error.code ?? ''] ?? '400 Bad Request';
  const message = `The request is not valid HTTP/1.1: ${error.reason ?? error.message}`;
  closeWith(socket, finalResponse(status, mayBeHead(error) ? null : message));
}

/**
 * If the packet starts with a known method, the error is after that request, such as a body longer than its
 * Content-Length.
 */
function isUnknownMethod(packet: Buffer | undefined): boolean {
  const method = methodOf(packet);
  return method !== undefined && !METHODS.includes(method);
}

/** A response to HEAD must not have a body. The packet may not be the one with the method. */
function mayBeHead({ code, rawPacket }: ClientError): boolean {
  const method = methodOf(rawPacket);
  return method === undefined ? code !== 'HPE_INVALID_METHOD' : method === 'HEAD';
}

function methodOf(packet: Buffer | undefined): string | undefined {
  return METHOD.exec(packet?.toString('latin1', 0, 4096) ?? '')?.[1];
}

/** For methods that no route can receive: unknown to the parser, or `CONNECT`, which is for proxies. */
export function rejectMethod(socket: Duplex): void {
  closeWith(socket, finalResponse('405 Method Not Allowed', routingError(405).message));
}

/**
 * Lets a client finish a body that is no longer needed, so that the connection can be reused, but only for a limited
 * time.
 */
export function limitUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    if (request.complete) return;
    const timer = startTimer(() => request.socket.destroy(), LINGER_MS);
    for (const event of ['end', 'close']) request.once(event, () => clearTimeout(timer));
  });
}

function closeWith(socket: Duplex, response: Buffer): void {
  const timer = startTimer(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => socket.destroy());
  socket.resume();
  socket.end(response);
}

/** @param message null: without a body */
function finalResponse(status: string, message: string | null): Buffer {
  const body = message === null ? Buffer.alloc(0) : encodeJson({ error_code: Number(status.slice(0, 3)), message });
  const type = message === null || status.startsWith('405') ? '' : 'Content-Type: application/json\r\n';
  const head = `HTTP/1.1 ${status}\r\nConnection: close\r\n${type}Content-Length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}
