import type { IncomingMessage } from 'node:http';
import type { HeldBody } from './body-budget';

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
