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
    const chunks: Buffer[] = [];
    let size = 0;
    req.on('data', (chunk: Buffer) => {
      size += chunk.length;
      const problem = size > limit ? 'too large' : held.grow(size) ? null : 'busy';
      if (problem === null) return void chunks.push(chunk);
      chunks.length = 0;
      resolve(problem);
    });
    req.on('end', () => resolve(Buffer.concat(chunks, size)));
    req.on('error', reject);
    req.on('close', () => reject(new Error('the client disconnected before its request was complete')));
  });
}
