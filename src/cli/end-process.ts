/**
 * Ends this process, whatever hangs. `process.exit` waits for threads that V8 cannot stop, in native code or in a
 * blocking call (a read from a FIFO), and for the running requests of libuv's pool (a file, a DNS name).
 */
import type { Writable } from 'node:stream';
import type { CliIo } from '@millrace/cli';
import type * as Terminal from '@millrace/cli/terminal';
import type * as Sdk from '@millrace/sdk';
import { runningThreads, terminateThreads } from '../threads/running-threads';

/** Time for threads and requests to end; after a second signal it is over. ms */
const END_MS = 2_000;
const FORCED_MS = 500;
const POLL_MS = 20;
/** Requests of libuv's pool, as `process.getActiveResourcesInfo` names them. */
const POOL_REQUESTS = /^(?:FSReq|GetAddrInfoReq|GetNameInfoReq)/;

/** What `process.exit` would wait for. */
function hanging(): string[] {
  const threads = runningThreads().map((name) => `thread ${JSON.stringify(name)}`);
  const requests = process.getActiveResourcesInfo().filter((name) => POOL_REQUESTS.test(name));
  return [...threads, ...requests.map((name) => `a request for a file or a host name (${name})`)];
}

/**
 * The process exits with the code, or is killed (exit code 137) after 2 s, with one line that names what hung. Another
 * signal kills it at once.
 * @param isForced the process received a second signal
 */
export async function endProcess(
  code: number,
  { stderr, isForced }: Pick<CliIo, 'stderr'> & { readonly isForced: boolean },
): Promise<void> {
  void terminateThreads();
  if (hanging().length === 0) process.exit(code);
  const { ConnectError, monotonicNow, sleep } = loadSdk();
  let limit = monotonicNow() + (isForced ? FORCED_MS : END_MS);
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => (limit = 0));
  while (hanging().length > 0 && monotonicNow() < limit) await sleep(POLL_MS);
  const left = hanging();
  if (left.length === 0) process.exit(code);
  const named = left.slice(0, 3).join(', ');
  const message = `The process is killed because something in it does not end: ${named}`;
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- as in loadSdk
  const { fail } = require('@millrace/cli/terminal') as typeof Terminal;
  fail({ stderr }, new ConnectError(message, { code: 'STOP_FORCED' }));
  kill();
}

/** On demand: most processes end at once. Not with `import()`, whose reads of files may wait for what hangs. */
function loadSdk(): typeof Sdk {
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require('@millrace/sdk') as typeof Sdk;
}

/** Without waiting for any thread. */
function kill(): void {
  // The kernel ignores SIGKILL for the first process of a container if it comes from within; `abort` always ends it.
  if (process.pid === 1) process.abort();
  process.kill(process.pid, 'SIGKILL');
}

/** Time for a reader once the process must not wait for it. ms */
const READER_MS = 1000;

/**
 * Resolves when everything written to `outputs` was taken, or its reader has closed its end: `process.exit` discards
 * what the readers of pipes have not taken yet.
 * @param forceExit when aborted, 1 s is left: a reader that has stopped must not keep a process that is to stop
 */
export async function outputTaken(outputs: readonly Writable[], forceExit: AbortSignal): Promise<void> {
  if (outputs.every(isTaken)) return;
  const taken = Promise.all(outputs.map(flushed));
  const forced = new Promise<void>((resolve) => {
    if (forceExit.aborted) resolve();
    else forceExit.addEventListener('abort', () => resolve(), { once: true });
  });
  await Promise.race([taken, forced]);
  await loadSdk().settledWithin(taken, READER_MS, undefined);
}

const isTaken = (output: Writable): boolean => output.writableLength === 0 || output.destroyed;

async function flushed(output: Writable): Promise<void> {
  if (isTaken(output)) return;
  await new Promise<void>((resolve) => {
    output.once('close', resolve);
    output.write('', () => resolve());
  });
}
