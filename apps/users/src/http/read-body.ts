import type { IncomingMessage } from 'node:http';

/** A body that is not accepted, so it is not read to its end. */
export class BodyError extends Error {
  constructor(
    readonly status: 413 | 415,
    message: string,
  ) {
    super(message);
    this.name = 'BodyError';
  }
}

/** The client disconnected before its body was complete, so there is no response. */
export class ClientGoneError extends Error {
  constructor() {
    super('the client disconnected before its request was complete');
    this.name = 'ClientGoneError';
  }
}

/**
 * Reads the body of a request and ignores its content type, because `curl -d` declares JSON as a form.
 * Rejects with BodyError as soon as the body exceeds `limit` bytes, and leaves the rest unread.
 */
export async function readBody(req: IncomingMessage, limit: number): Promise<Buffer> {
  const encoding = req.headers['content-encoding']?.trim().toLowerCase();
  if (encoding && encoding !== 'identity') throw new BodyError(415, 'unsupported content encoding');
  const tooLarge = (): BodyError => new BodyError(413, 'request body too large');
  if (Number(req.headers['content-length'] ?? 0) > limit) throw tooLarge();

  return await new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (finish: () => void): void => {
      req.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      req.on('error', () => undefined);
      finish();
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > limit) settle(() => reject(tooLarge()));
    };
    const onEnd = (): void => settle(() => resolve(Buffer.concat(chunks, size)));
    const onClose = (): void => settle(() => reject(new ClientGoneError()));
    req.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
}
