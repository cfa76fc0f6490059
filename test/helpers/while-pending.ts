import { inspect } from 'node:util';

/**
 * Resolves with `event`, which is to happen while `run` is pending, for example a call that a request leads to. Rejects
 * at once if `run` ends first, such as with a refusal, instead of waiting for an event that never comes.
 */
export async function whilePending<T>(run: Promise<unknown>, event: Promise<T>): Promise<T> {
  const ended = run.then((result) => {
    throw new Error(`ended before the awaited event, with ${inspect(result)}`);
  });
  return await Promise.race([event, ended]);
}
