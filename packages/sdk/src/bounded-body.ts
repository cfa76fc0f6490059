/** Bodies of HTTP responses, which clients keep in memory whatever their length. */
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';

export class BodyTooLarge extends Error {}

/**
 * The body of a response of `fetch`. Rejects with an Error whose message is the reason; the rest of the body is not
 * read.
 */
export async function boundedBody(response: Response, maxBytes: number): Promise<Buffer> {
  return await collect((response.body ?? []) as AsyncIterable<Uint8Array>, maxBytes, 'it');
}

export interface BoundedReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** When its head arrived, by `Date.now()`. */
  readonly receivedAt: number;
  readonly text: string;
}

/**
 * The reply to a request of `node:http` or `node:https`, which the caller ends, or destroys with the reason for which
 * this rejects. Rejects with the error of the connection, or with `BodyTooLarge`, and then closes the connection.
 */
export async function boundedReply(request: ClientRequest, maxBytes: number): Promise<BoundedReply> {
  return await new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response: IncomingMessage) => {
      const { statusCode: status = 0, headers } = response;
      const receivedAt = Date.now();
      collect(response, maxBytes, 'the reply').then(
        (body) => resolve({ status, headers, receivedAt, text: body.toString('utf8') }),
        reject,
      );
    });
  });
}

async function collect(body: AsyncIterable<Uint8Array>, maxBytes: number, name: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new BodyTooLarge(`${name} is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
