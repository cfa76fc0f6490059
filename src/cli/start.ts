/** `millrace start [worker.properties]`: runs a worker until SIGTERM or SIGINT; a second signal terminates it. */
import { isConnectError, startTimer } from '@millrace/sdk';
import type * as Logging from '../logging/winston-logger';
import type * as Composition from '../worker';
import type { Worker } from '../worker';
import type * as EmbeddedComposition from '../worker-with-broker';
import type { CliIo } from './io';
import { readConfig, type ConfigSources, type WorkerSetup } from './read-config';
import { parseWorkerOptions, type WorkerOptions } from './worker-options';

const DEFAULT_FILE = 'worker.properties';

/** Exit code after a second signal: 128 + SIGINT, as shells expect. */
const INTERRUPTED = 130;

/** Added to `task.shutdown.graceful.timeout.ms`; a worker stops well within it unless it is stuck. */
const STOP_EXTRA_MS = 15_000;

/** Time for a failed worker to leave the group and store offsets. */
const FAILED_STOP_MS = 30_000;

export type BuildWorker = (setup: WorkerSetup, io: CliIo) => Worker;

export async function start(args: readonly string[], io: CliIo, buildWorker?: BuildWorker): Promise<number> {
  return await runWorker({ verb: 'start', args, usualFile: DEFAULT_FILE }, io, buildWorker);
}

export interface WorkerCommand extends Omit<ConfigSources, 'given'> {
  readonly verb: string;
  readonly args: readonly string[];
}

/** Runs a worker, for `start` and `dev`. */
export async function runWorker(
  { verb, args, ...sources }: WorkerCommand,
  io: CliIo,
  buildWorker: BuildWorker = loadAndBuildWorker,
): Promise<number> {
  let given: WorkerOptions;
  try {
    given = parseWorkerOptions(args);
  } catch (error) {
    const usage = `Usage: millrace ${verb} [worker.properties] [--port N] [--broker-port N] [--data-dir FOLDER]`;
    io.stderr.write(`${(error as Error).message}\n${usage}\n`);
    return 2;
  }
  let worker: Worker;
  let stopTimeoutMs: number;
  try {
    const setup = await readConfig({ ...sources, given }, io);
    stopTimeoutMs = setup.config.taskShutdownGracefulTimeoutMs + STOP_EXTRA_MS;
    worker = buildWorker(setup, io);
  } catch (error) {
    return fail(io, error);
  }
  return await run(worker, io, stopTimeoutMs);
}

/** Loads the worker on demand, after the settings have been validated. */
function loadAndBuildWorker({ config, embedded, resolver }: WorkerSetup, io: CliIo): Worker {
  /* eslint-disable @typescript-eslint/no-require-imports */
  const { createLogger, loggerOptions } = require('../logging/winston-logger') as typeof Logging;
  const { createWorker } = require('../worker') as typeof Composition;
  const { createWorkerWithBroker } = require('../worker-with-broker') as typeof EmbeddedComposition;
  /* eslint-enable @typescript-eslint/no-require-imports */
  const { levels, format } = loggerOptions(io.env);
  const options = { logger: createLogger({ levels, format }), levels, resolver };
  return embedded ? createWorkerWithBroker(config, embedded, options) : createWorker(config, options);
}

async function run(worker: Worker, io: CliIo, stopTimeoutMs: number): Promise<number> {
  let stopping = false;
  const stopped = new Promise<number>((done) => {
    io.onSignal(() => {
      if (stopping) return done(INTERRUPTED);
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
      io.stderr.write(`${(error as Error | undefined)?.stack ?? String(error)}\n`);
      return onFailure(
        new Error('The worker stops because of an uncaught error; other workers take over its connectors and tasks.'),
      );
    }),
    worker.failed.then(onFailure),
    worker.start().then(() => stopped, onFailure),
  ]);
}

/** Writes the error to stderr as one sentence and returns the exit code. */
export function fail(io: Pick<CliIo, 'stderr'>, error: unknown): number {
  const text = error instanceof Error ? error.message : String(error);
  const code = isConnectError(error) ? ` (${error.code})` : '';
  io.stderr.write(`millrace: ${text}${code}\n`);
  return 1;
}
