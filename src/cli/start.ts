/**
 * `millrace start [worker.properties]`: a worker that runs until SIGTERM or SIGINT. A second signal ends it at once.
 */
import { isConnectError, startTimer } from '@millrace/sdk';
import type * as Logging from '../logging/winston-logger';
import type * as Composition from '../worker';
import type { Worker } from '../worker';
import type * as EmbeddedComposition from '../worker-with-broker';
import type { CliIo } from './io';
import { readConfig, type ConfigSources, type WorkerSetup } from './read-config';
import { parseWorkerOptions, type WorkerOptions } from './worker-options';

const DEFAULT_FILE = 'worker.properties';

/** A second signal: 128 + SIGINT, as shells expect it. */
const IMPATIENT = 130;

/** On top of `task.shutdown.graceful.timeout.ms`: a worker keeps well within it, unless something in it is stuck. */
const STOP_EXTRA_MS = 15_000;

/** For a worker that is broken to leave the group and store what it can. */
const LAST_STOP_MS = 30_000;

export type BuildWorker = (setup: WorkerSetup, io: CliIo) => Worker;

export async function start(args: readonly string[], io: CliIo, buildWorker?: BuildWorker): Promise<number> {
  return await runWorker({ verb: 'start', args, usualFile: DEFAULT_FILE }, io, buildWorker);
}

export interface WorkerCommand extends Omit<ConfigSources, 'given'> {
  readonly verb: string;
  readonly args: readonly string[];
}

/** What all verbs share that run a worker. */
export async function runWorker(
  { verb, args, ...sources }: WorkerCommand,
  io: CliIo,
  buildWorker: BuildWorker = buildRealWorker,
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
  let patienceMs: number;
  try {
    const setup = await readConfig({ ...sources, given }, io);
    patienceMs = setup.config.taskShutdownGracefulTimeoutMs + STOP_EXTRA_MS;
    worker = buildWorker(setup, io);
  } catch (error) {
    return fail(io, error);
  }
  return await run(worker, io, patienceMs);
}

/** Everything heavy is loaded here, after the settings were found to be good. */
function buildRealWorker({ config, embedded, resolver }: WorkerSetup, io: CliIo): Worker {
  /* eslint-disable @typescript-eslint/no-require-imports */
  const { createLogger, loggerOptions } = require('../logging/winston-logger') as typeof Logging;
  const { createWorker } = require('../worker') as typeof Composition;
  const { createWorkerWithBroker } = require('../worker-with-broker') as typeof EmbeddedComposition;
  /* eslint-enable @typescript-eslint/no-require-imports */
  const { levels, format } = loggerOptions(io.env);
  const options = { logger: createLogger({ levels, format }), levels, resolver };
  return embedded ? createWorkerWithBroker(config, embedded, options) : createWorker(config, options);
}

async function run(worker: Worker, io: CliIo, patienceMs: number): Promise<number> {
  let told = false;
  const stopped = new Promise<number>((done) => {
    io.onSignal(() => {
      if (told) return done(IMPATIENT);
      told = true;
      const late = new Error(`The worker was told to stop, has not within ${patienceMs} ms, and is ended as it is.`);
      startTimer(() => done(fail(io, late)), patienceMs).unref();
      worker.stop().then(
        () => done(0),
        (error: unknown) => done(fail(io, error)),
      );
    });
  });
  const crashed = new Promise<unknown>((resolve) => io.onCrash(resolve));
  const gaveUp = async (error: unknown): Promise<number> => {
    // A start that a signal has interrupted may well reject: the stop decides then.
    if (told) return await stopped;
    const code = fail(io, error);
    const late = new Promise<void>((resolve) => startTimer(resolve, LAST_STOP_MS).unref());
    await Promise.race([worker.stop().catch(() => undefined), late]);
    return code;
  };
  return await Promise.race([
    stopped,
    crashed.then((error) => {
      io.stderr.write(`${(error as Error | undefined)?.stack ?? String(error)}\n`);
      return gaveUp(new Error('An error that nobody caught ends this worker; its work moves to the others.'));
    }),
    worker.failed.then(gaveUp),
    worker.start().then(() => stopped, gaveUp),
  ]);
}

/** One sentence on stderr. */
export function fail(io: Pick<CliIo, 'stderr'>, error: unknown): number {
  const text = error instanceof Error ? error.message : String(error);
  const code = isConnectError(error) ? ` (${error.code})` : '';
  io.stderr.write(`millrace: ${text}${code}\n`);
  return 1;
}
