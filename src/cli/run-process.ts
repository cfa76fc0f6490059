/** The process of the `millrace` command: passes arguments, streams and signals, and ends with the exit code. */
import type * as NpmLaunch from './npm-launch';
import { commandNameIn, runCli } from './cli';
import { endProcess, outputTaken } from './end-process';

let handlesCrashes = false;
let signals = 0;
/** Aborted when the process must not wait for the reader of its output. */
const forceExit = new AbortController();
// Their output is the log, and the reader of a log that has stopped must not keep a worker from ending.
if (['start', 'dev'].includes(commandNameIn(process.argv.slice(2)) ?? '')) forceExit.abort();

// `millrace get connectors | head` is no failure. Commands that must stop in order get the error as a crash.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (handlesCrashes || error.code !== 'EPIPE') throw error;
  process.exit(0);
});

void runCli(process.argv.slice(2), {
  // A getter, so that only the command that reads stdin opens it.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  onSignal: (listener) => {
    // eslint-disable-next-line @typescript-eslint/no-require-imports -- only commands that stop in order need it
    const { watchNpm } = require('./npm-launch') as typeof NpmLaunch;
    const onSignal = (signal: string): void => {
      signals++;
      forceExit.abort();
      unwatch();
      listener(signal);
    };
    // npm's end is a consequence of a signal, and a second one would terminate the command.
    const unwatch = watchNpm(process.env, process.argv[1] ?? '', () => signals > 0 || onSignal('SIGTERM'));
    process.on('SIGTERM', onSignal);
    process.on('SIGINT', onSignal);
  },
  onCrash: (listener) => {
    handlesCrashes = true;
    process.on('uncaughtException', (error) => {
      forceExit.abort();
      listener(error);
    });
  },
}).then(async (code) => {
  await outputTaken([process.stdout, process.stderr], forceExit.signal);
  // Timers or sockets that a plugin leaves open must not keep a stopped worker alive.
  await endProcess(code, { stderr: process.stderr, isForced: signals > 1 });
});
