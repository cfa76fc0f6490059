/** Ctrl-C for commands that complete what they have begun. */
import { EXIT } from './exit-codes';
import type { CliIo } from './io';

export interface Interruption {
  /** Aborted by the first signal; the command may abort it, too. */
  readonly stopping: AbortController;
  /** There was a signal. */
  readonly isSignalled: () => boolean;
}

/** Resolves to the exit code of `work`; after a second signal to `interrupted`, without waiting for `work`. */
export async function interruptible(
  io: Pick<CliIo, 'onSignal'>,
  work: (interruption: Interruption) => Promise<number>,
): Promise<number> {
  const stopping = new AbortController();
  let signals = 0;
  const second = new Promise<number>((end) =>
    io.onSignal(() => {
      if (++signals > 1) end(EXIT.interrupted);
      else stopping.abort();
    }),
  );
  return await Promise.race([second, work({ stopping, isSignalled: () => signals > 0 })]);
}
