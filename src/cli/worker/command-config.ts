/**
 * The worker settings of commands that are no worker: those of a file that is named, and of the environment; otherwise
 * those of `millrace dev`. A worker.properties of the current folder, which may be a checkout, is not taken on its own:
 * it could send the credentials of the environment to a broker of its author, and load plugins.
 */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { CliIo, Invocation } from '@millrace/cli';
import { chosenContext, contextsPath } from '@millrace/cli/context';
import { DEV_DEFAULTS } from './dev-defaults';
import { clusterOptions, readConfig, type WorkerOptions, type WorkerSetup } from './read-config';

const FILE = 'worker.properties';

/** Rejects with a ConfigError about all invalid settings. @param signal ends the reading of a pipe */
export async function commandConfig(given: WorkerOptions, io: CliIo, signal?: AbortSignal): Promise<WorkerSetup> {
  if (given.file === undefined && existsSync(join(io.cwd, FILE)))
    io.stderr.write(`${FILE} of this folder is not used: name it with --config ${FILE} if the settings are yours.\n`);
  return await readConfig({ defaults: DEV_DEFAULTS, given }, io, signal);
}

/**
 * The worker settings with which a command connects to Kafka: of `--config`, of the context, of the
 * environment; otherwise those of `millrace dev`. The context does not count if a URL names another cluster. Rejects
 * with a ConfigError about all invalid settings.
 * @param signal ends the reading of a pipe
 */
export async function clusterSetup(
  invocation: Pick<Invocation, 'options' | 'io'>,
  signal?: AbortSignal,
): Promise<WorkerSetup> {
  const { io } = invocation;
  const given = clusterOptions(invocation);
  const ofContext = given.file === undefined ? chosenContext(invocation)?.config : undefined;
  const file = ofContext === undefined ? given.file : resolve(dirname(contextsPath(io)), ofContext);
  return await commandConfig({ ...given, ...(file !== undefined && { file }) }, io, signal);
}
