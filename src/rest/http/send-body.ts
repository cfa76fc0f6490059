/** Writes the body of a response, and detects whether a slow client still reads. */
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';

const PIECE = 64 * 1024;

/** Over TLS, Node sees no progress within a write, and the idle limit would cut off a client that takes longer. */
export function sendBody(response: ServerResponse, bytes: Buffer): void {
  if (bytes.length <= PIECE || !(response.req.socket instanceof TLSSocket)) {
    // For HEAD, Node sends the headers without the body.
    response.end(bytes);
    return;
  }
  response.flushHeaders();
  Readable.from(piecesOf(bytes)).pipe(response);
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}
