/**
 * The worker settings of commands that are no worker: those of a file that is named, and of the environment; otherwise
 * those of `millrace dev`. A worker.properties of the current folder, which may be a checkout, is not taken on its own:
 * it could send the credentials of the environment to a broker of its author, and load plugins.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DEV_DEFAULTS } from './dev';
import type { CliIo } from './io';
import { readConfig, type WorkerSetup } from './read-config';
import type { WorkerOptions } from './worker-options';

const FILE = 'worker.properties';

/** Rejects with a ConfigError about the first invalid setting. @param signal ends the reading of a pipe */
export async function commandConfig(given: WorkerOptions, io: CliIo, signal?: AbortSignal): Promise<WorkerSetup> {
  if (given.file === undefined && existsSync(join(io.cwd, FILE)))
    io.stderr.write(`${FILE} of this folder is not used: name it with --config ${FILE} if the settings are yours.\n`);
  return await readConfig({ defaults: DEV_DEFAULTS, given }, io, signal);
}
