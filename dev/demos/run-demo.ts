/** What the demos share: their output, and stopping everything that they started. */

const startedAt = Date.now();

/** Stopped in reverse order when the demo ends, however it ends. */
export const cleanUp: (() => Promise<unknown>)[] = [];

export function say(text = ''): void {
  console.log(text);
}

/** A headline with the seconds since the start. */
export function title(text: string): void {
  say(`\n[${((Date.now() - startedAt) / 1000).toFixed(1).padStart(5)} s] ${text}`);
}

/** Resolves with the first Ctrl-C or SIGTERM; a second one ends this process, and what it has started with it. */
export async function interrupted(): Promise<void> {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  await new Promise<void>((resolve) => {
    // The services and the handlers of signals do not keep this process alive.
    const alive = setInterval(() => undefined, 60_000);
    const onSignal = (): void => {
      clearInterval(alive);
      for (const signal of signals) process.off(signal, onSignal);
      resolve();
    };
    for (const signal of signals) process.on(signal, onSignal);
  });
}

/** Runs a demo and stops what it started. A failure sets the exit code to 1. */
export function runDemo(demo: () => Promise<void>): void {
  demo()
    .catch((error: Error) => {
      process.exitCode = 1;
      console.error(`\nThe demo failed: ${error.message}`);
    })
    .finally(async () => {
      for (const stop of cleanUp.reverse()) await stop().catch((error: Error) => console.error(error.message));
    });
}
