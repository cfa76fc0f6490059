/** Waits for the readers of pipes: `process.exit` discards what they have not taken yet. */
import type { Writable } from 'node:stream';
import { settledWithin } from '@millrace/sdk';

/** Time for a reader once the process must not wait for it. ms */
const HURRIED_MS = 1000;

/**
 * Resolves when everything written to `outputs` was taken, or its reader has closed its end.
 * @param hurry when aborted, 1 s is left: a reader that has stopped must not keep a process that was told to end
 */
export async function outputTaken(outputs: readonly Writable[], hurry: AbortSignal): Promise<void> {
  const taken = Promise.all(outputs.map(flushed));
  const hurried = new Promise<void>((resolve) => {
    if (hurry.aborted) resolve();
    else hurry.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([taken, hurried]);
  await settledWithin(taken, HURRIED_MS, undefined);
}

async function flushed(output: Writable): Promise<void> {
  if (output.writableLength === 0 || output.destroyed) return;
  await new Promise<void>((resolve) => {
    output.once('close', resolve);
    output.write('', () => resolve());
  });
}
