/**
 * A worker's settings from all their sources; later ones win: the verb's defaults, the file, the environment, the
 * command's options.
 */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError, isConnectError } from '@millrace/sdk';
import { embeddedBrokerConfig, type EmbeddedBrokerConfig } from '../config/embedded-broker';
import { withEnvironment } from '../config/environment';
import { parseProperties } from '../config/properties';
import { createConfigResolver, resolveWorkerSettings, type ConfigResolver } from '../config/providers/config-resolver';
import { hiderOf } from '../config/providers/hide-resolved';
import { parseWorkerConfig, type WorkerConfig } from '../config/worker-config';
import type { CliIo } from './io';
import type { WorkerOptions } from './worker-options';

export interface ConfigSources {
  readonly defaults?: Readonly<Record<string, string>>;
  /** Read when the command names no file and this one is there. */
  readonly usualFile?: string;
  readonly given: WorkerOptions;
}

export interface WorkerSetup {
  readonly config: WorkerConfig;
  /** Null: `config` names a cluster. */
  readonly embedded: EmbeddedBrokerConfig | null;
  readonly resolver: ConfigResolver;
}

/** Rejects with ConfigError: one sentence about the first thing that is wrong. */
export async function readConfig({ defaults, usualFile, given }: ConfigSources, io: CliIo): Promise<WorkerSetup> {
  const fromFile = readFile(given.file, usualFile, io.cwd);
  const settings = { ...withEnvironment({ ...defaults, ...fromFile }, io.env), ...given.settings };
  const warn = (message: string): void => void io.stderr.write(`${message}\n`);
  const resolver = createConfigResolver({ settings, env: io.env, warn });
  const resolved = await resolveWorkerSettings(settings, resolver);
  const config = parsed(settings, resolved);
  const embedded = embeddedBrokerConfig(config.raw);
  if (!embedded && given.brokerOptions.length > 0) {
    throw new ConfigError(
      `${given.brokerOptions.join(' and ')} can be given for the embedded broker only, but bootstrap.servers is ${config.bootstrapServers}.`,
      { code: 'WORKER_CONFIG_INVALID' },
    );
  }
  return { config, embedded: embedded && { ...embedded, dataDir: resolve(io.cwd, embedded.dataDir) }, resolver };
}

/** An error about a value that a provider gave does not quote it. */
function parsed(settings: Readonly<Record<string, string>>, resolved: Readonly<Record<string, string>>): WorkerConfig {
  try {
    return parseWorkerConfig(resolved);
  } catch (error) {
    if (!isConnectError(error)) throw error;
    throw new ConfigError(hiderOf(settings, resolved)(error.message), { code: error.code, place: error.place });
  }
}

function readFile(named: string | undefined, usual: string | undefined, cwd: string): Record<string, string> {
  const file = named ?? usual;
  if (file === undefined) return {};
  const path = resolve(cwd, file);
  if (named === undefined && !existsSync(path)) return {};
  try {
    return parseProperties(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`Cannot read the worker's properties from ${path}: ${(error as Error).message}`, {
      code: 'WORKER_CONFIG_INVALID',
      cause: error,
    });
  }
}
