/** A GET request whose answer is counted, not kept. */
import { get, type Agent } from 'node:http';

export interface Answered {
  readonly ms: number;
  /** Of the body as it was sent, compressed or not. */
  readonly bytes: number;
}

/** Rejects unless the answer is 200. */
export async function timedGet(
  agent: Agent,
  url: string,
  encoding: 'gzip' | 'identity' = 'identity',
): Promise<Answered> {
  const began = performance.now();
  const bytes = await new Promise<number>((resolve, reject) => {
    get(url, { agent, headers: { 'Accept-Encoding': encoding } }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
      let length = 0;
      response.on('data', (chunk: Buffer) => (length += chunk.length));
      response.on('end', () => resolve(length));
    }).on('error', reject);
  });
  return { ms: performance.now() - began, bytes };
}
