/** Reads request bodies within a limit for all requests in flight, before a signature is verified. */
import type { IncomingMessage } from 'node:http';

/** All bytes of the body. As soon as it exceeds `limit` or its share of the budget, the rest is discarded. */
export async function readBody(
  req: IncomingMessage,
  limit: number,
  held: Pick<HeldBody, 'grow'>,
): Promise<Buffer | 'too large' | 'busy'> {
  if (Number(req.headers['content-length'] ?? 0) > limit) return 'too large';
  return await new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    const refuse = (problem: 'too large' | 'busy'): void => {
      // The rest is still read, after the caller has released the body's share: it must not take another one.
      req.off('data', onData).resume();
      chunks = [];
      resolve(problem);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > limit) refuse('too large');
      else if (!held.grow(size)) refuse('busy');
      else chunks.push(chunk);
    };
    req.on('data', onData);
    req.on('end', () => resolve(Buffer.concat(chunks, size)));
    req.on('error', reject);
    req.on('close', () => reject(new Error('the client disconnected before its request was complete')));
  });
}

/** The limit for all requests, in bytes. */
export class BodyBudget {
  private used = 0;

  /** @param free counted for no body, so that large ones do not keep slash commands out */
  constructor(
    private readonly max: number,
    private readonly free: number,
  ) {}

  open(): HeldBody {
    let held = 0;
    return {
      grow: (size) => {
        const more = Math.max(0, size - this.free) - held;
        if (this.used + more > this.max) return false;
        held += more;
        this.used += more;
        return true;
      },
      close: () => {
        this.used -= held;
        held = 0;
      },
    };
  }
}

export interface HeldBody {
  /** False: there is no room for a body of that size. */
  readonly grow: (size: number) => boolean;
  readonly close: () => void;
}
