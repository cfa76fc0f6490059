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
