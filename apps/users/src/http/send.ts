/** Responses in the format of Go's `net/http`, byte-identical to those of the original program. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** How long a client may continue sending before its connection is closed. */
const LINGER_MS = 500;

/** Status and plain text, as Go's `http.Error` writes them. */
export function sendText(res: ServerResponse, status: number, text: string, headers: OutgoingHttpHeaders = {}): void {
  res.writeHead(status, { ...textHeaders(text), ...headers });
  res.end(text);
}

export function sendError(res: ServerResponse, status: number, text: string, headers?: OutgoingHttpHeaders): void {
  sendText(res, status, `${text}\n`, headers);
}

export function sendEmpty(res: ServerResponse, status: number, headers: OutgoingHttpHeaders = {}): void {
  // A 204 must not have a length.
  res.writeHead(status, status === 204 ? headers : { 'Content-Length': 0, ...headers });
  res.end();
}

/**
 * Responds to a request whose body is not accepted, and closes the connection. Discards incoming bytes for a moment
 * first: closing a connection with unread bytes resets it, and the client would lose the response.
 */
export function sendErrorAndClose(req: IncomingMessage, res: ServerResponse, status: number, text: string): void {
  const body = `${text}\n`;
  res.writeHead(status, { ...textHeaders(body), Connection: 'close' });
  res.write(body);
  const end = (): void => {
    clearTimeout(timer);
    res.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  if (req.readableEnded || req.destroyed) return end();
  req.once('end', end).once('close', end).resume();
}

function textHeaders(body: string): OutgoingHttpHeaders {
  return {
    'Content-Type': 'text/plain; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    'Content-Length': Buffer.byteLength(body),
  };
}
