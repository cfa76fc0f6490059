/** Runs a worker until SIGTERM or SIGINT, for `start` and `dev`; a second signal terminates it. */
import { type CliIo, EXIT, type Invocation } from '@millrace/cli';
import { fail, hasColours, indentedLines, shellQuote } from '@millrace/cli/terminal';
import { redactText } from '@millrace/texts/redaction';
import { isConnectError, startTimer } from '@millrace/sdk';
import { ineffectiveVariablesWarning } from '../../config/environment';
import { problemsOf } from '../../config/setting-problems';
import type * as Recent from '../../logging/recent-lines';
import type * as Logging from '../../logging/winston-logger';
import type * as Composition from '../../worker';
import type { Worker } from '../../worker';
import type * as EmbeddedComposition from '../../worker-with-broker';
import { type ConfigSources, readConfig, workerOptions, type WorkerSetup } from './read-config';

/** Added to `task.shutdown.graceful.timeout.ms`; a worker stops well within it unless it is stuck. */
export const STOP_EXTRA_MS = 15_000;

/** Time for a failed worker to leave the group and store offsets. */
const FAILED_STOP_MS = 30_000;

/** Characters of the stack of an uncaught error that are shown. */
const LONGEST_STACK = 8192;

export type BuildWorker = (setup: WorkerSetup, io: CliIo) => Worker;

export async function runWorker(
  sources: Omit<ConfigSources, 'given'>,
  { args, options, io }: Invocation,
  buildWorker: BuildWorker = loadAndBuildWorker,
): Promise<number> {
  const given = workerOptions(args[0], options);
  let worker: Worker;
  let stopTimeoutMs: number;
  try {
    const setup = await readConfig({ ...sources, given }, io);
    stopTimeoutMs = setup.config.taskShutdownGracefulTimeoutMs + STOP_EXTRA_MS;
    worker = buildWorker(setup, io);
  } catch (error) {
    const code = fail(io, error);
    const file = given.file ?? sources.usualFile;
    if (isConnectError(error) && problemsOf(error).length > 1 && file !== undefined)
      io.stderr.write(`What else differs from Java Connect: millrace doctor --from-java ${shellQuote(file)}\n`);
    return code;
  }
  return await runUntilStopped(worker, io, stopTimeoutMs);
}

/** Loads the worker on demand, after the settings have been validated. */
export function loadAndBuildWorker({ config, embedded, resolver }: WorkerSetup, io: CliIo): Worker {
  /* eslint-disable @typescript-eslint/no-require-imports */
  const { createLogger, loggerOptions } = require('../../logging/winston-logger') as typeof Logging;
  const { createWorker } = require('../../worker') as typeof Composition;
  const { RecentLines } = require('../../logging/recent-lines') as typeof Recent;
  const { createWorkerWithBroker } = require('../../worker-with-broker') as typeof EmbeddedComposition;
  /* eslint-enable @typescript-eslint/no-require-imports */
  const { levels, format } = loggerOptions(io.env);
  const recent = new RecentLines();
  const logger = createLogger({ levels, format, colors: hasColours(io), recent });
  const ineffective = ineffectiveVariablesWarning(io.env);
  if (ineffective !== null) logger.warn(ineffective);
  const options = { logger, levels, resolver, recent };
  return embedded ? createWorkerWithBroker(config, embedded, options) : createWorker(config, options);
}

async function runUntilStopped(worker: Worker, io: CliIo, stopTimeoutMs: number): Promise<number> {
  let stopping = false;
  const stopped = new Promise<number>((done) => {
    io.onSignal(() => {
      if (stopping) return done(EXIT.interrupted);
      stopping = true;
      const late = new Error(`The worker has not stopped within ${stopTimeoutMs} ms and is terminated.`);
      startTimer(() => done(fail(io, late)), stopTimeoutMs).unref();
      worker.stop().then(
        () => done(0),
        (error: unknown) => done(fail(io, error)),
      );
    });
  });
  const crashed = new Promise<unknown>((resolve) => io.onCrash(resolve));
  const onFailure = async (error: unknown): Promise<number> => {
    // A signal may make a start in progress reject; then the stop determines the exit code.
    if (stopping) return await stopped;
    const code = fail(io, error);
    const late = new Promise<void>((resolve) => startTimer(resolve, FAILED_STOP_MS).unref());
    await Promise.race([worker.stop().catch(() => undefined), late]);
    return code;
  };
  return await Promise.race([
    stopped,
    crashed.then((error) => {
      const text = (error as Error | undefined)?.stack ?? String(error);
      io.stderr.write(`${indentedLines(redactText(text, LONGEST_STACK, null))}\n`);
      return onFailure(
        new Error('The worker stops because of an uncaught error; other workers take over its connectors and tasks.'),
      );
    }),
    worker.failed.then(onFailure),
    worker.start().then(() => stopped, onFailure),
  ]);
}
