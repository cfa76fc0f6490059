import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Returns a function that reads the next line of a process's output. It rejects when the output ends before that. */
export function linesOf(output: Readable): () => Promise<string> {
  const lines = createInterface({ input: output })[Symbol.asyncIterator]();
  return async () => {
    const { done, value } = await lines.next();
    if (done === true) throw new Error('the process ended its output before the awaited line');
    return value;
  };
}
