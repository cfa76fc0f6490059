/** `millrace start [worker.properties]`: a worker that runs until SIGTERM or SIGINT. A second signal ends it at once. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError, isConnectError } from '@millrace/sdk';
import { withEnvironment } from '../config/environment';
import { parseProperties } from '../config/properties';
import { createConfigResolver, resolveWorkerSettings, type ConfigResolver } from '../config/providers/config-resolver';
import { parseWorkerConfig, type WorkerConfig } from '../config/worker-config';
import type * as Logging from '../logging/winston-logger';
import type * as Composition from '../worker';
import type { Worker } from '../worker';
import type { CliIo } from './io';

const DEFAULT_FILE = 'worker.properties';

/** A second signal: 128 + SIGINT, as shells expect it. */
const IMPATIENT = 130;

/** For a worker that is broken to leave the group and store what it can. */
const LAST_STOP_MS = 30_000;

export type BuildWorker = (config: WorkerConfig, resolver: ConfigResolver, io: CliIo) => Worker;

export async function start(
  args: readonly string[],
  io: CliIo,
  buildWorker: BuildWorker = buildRealWorker,
): Promise<number> {
  if (args.length > 1 || args[0]?.startsWith('-')) {
    io.stderr.write('Usage: millrace start [worker.properties]\n');
    return 2;
  }
  let worker: Worker;
  try {
    const { config, resolver } = await readConfig(args[0], io);
    worker = buildWorker(config, resolver, io);
  } catch (error) {
    return fail(io, error);
  }
  return await run(worker, io);
}

async function readConfig(
  file: string | undefined,
  io: CliIo,
): Promise<{ config: WorkerConfig; resolver: ConfigResolver }> {
  const settings = withEnvironment(readFile(file, io.cwd), io.env);
  const warn = (message: string): void => void io.stderr.write(`${message}\n`);
  const resolver = createConfigResolver({ settings, env: io.env, warn });
  return { config: parseWorkerConfig(await resolveWorkerSettings(settings, resolver)), resolver };
}

function readFile(file: string | undefined, cwd: string): Record<string, string> {
  const path = resolve(cwd, file ?? DEFAULT_FILE);
  if (file === undefined && !existsSync(path)) return {};
  try {
    return parseProperties(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`Cannot read the worker's properties from ${path}: ${(error as Error).message}`, {
      code: 'WORKER_CONFIG_INVALID',
      cause: error,
    });
  }
}

/** Everything heavy is loaded here, after the settings were found to be good. */
function buildRealWorker(config: WorkerConfig, resolver: ConfigResolver, io: CliIo): Worker {
  /* eslint-disable @typescript-eslint/no-require-imports */
  const { createLogger, loggerOptions } = require('../logging/winston-logger') as typeof Logging;
  const { createWorker } = require('../worker') as typeof Composition;
  /* eslint-enable @typescript-eslint/no-require-imports */
  const { levels, format } = loggerOptions(io.env);
  return createWorker(config, { logger: createLogger({ levels, format }), levels, resolver });
}

async function run(worker: Worker, io: CliIo): Promise<number> {
  let told = false;
  const stopped = new Promise<number>((done) => {
    io.onSignal(() => {
      if (told) return done(IMPATIENT);
      told = true;
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
    await Promise.race([worker.stop().catch(() => undefined), sleep(LAST_STOP_MS, undefined, { ref: false })]);
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

function fail(io: CliIo, error: unknown): number {
  const text = error instanceof Error ? error.message : String(error);
  const code = isConnectError(error) ? ` (${error.code})` : '';
  io.stderr.write(`millrace: ${text}${code}\n`);
  return 1;
}
