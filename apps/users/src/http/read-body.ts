import type { IncomingMessage } from 'node:http';

/** A body that is not read to its end. */
export class BodyError extends Error {
  constructor(
    readonly status: 413 | 415,
    message: string,
  ) {
    super(message);
    this.name = 'BodyError';
  }
}

/** The client left in the middle of its body: nobody is there to be answered. */
export class ClientGoneError extends Error {
  constructor() {
    super('the client left before its request was complete');
    this.name = 'ClientGoneError';
  }
}

/**
 * All bytes of a request's body, whatever type it claims to be: `curl -d` calls JSON a form.
 * Rejects with BodyError as soon as the body is known to be longer than `limit` bytes, and leaves the rest unread.
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
