/** Reads the worker settings. Command defaults, file, environment and options override each other in this order. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CliIo, Invocation } from '@millrace/cli';
import { readText } from '@millrace/texts/file-stream';
import { parseProperties } from '@millrace/texts/properties';
import { ConfigError, isConnectError } from '@millrace/sdk';
import { EMBEDDED_SETTINGS, embeddedBrokerConfig, type EmbeddedBrokerConfig } from '../../config/embedded-broker';
import { fromVariables, withEnvironment } from '../../config/environment';
import {
  type ConfigResolver,
  createConfigResolver,
  resolveWorkerSettings,
} from '../../config/providers/config-resolver';
import { hiderOf } from '../../config/providers/hide-resolved';
import { hasPlaceholder } from '../../config/providers/placeholders';
import { keyOf, problemsOf, SettingProblems } from '../../config/setting-problems';
import { parseWorkerConfig, type WorkerConfig } from '../../config/worker-config';
import { withJaasFile } from './jaas-credentials';
import type * as Rejected from './rejected-settings';

export interface ConfigSources {
  readonly defaults?: Readonly<Record<string, string>>;
  /** Read if the command line has no file and this one exists. */
  readonly usualFile?: string;
  readonly given: WorkerOptions;
}

export interface WorkerSetup {
  readonly config: WorkerConfig;
  /** Null: `config` has the address of a cluster. */
  readonly embedded: EmbeddedBrokerConfig | null;
  readonly resolver: ConfigResolver;
  /** The properties file that was read; null without one. */
  readonly file: string | null;
}

/**
 * Rejects with a ConfigError about all invalid settings.
 * @param signal ends the reading of a file that is a pipe
 */
export async function readConfig(
  { defaults, usualFile, given }: ConfigSources,
  io: CliIo,
  signal?: AbortSignal,
): Promise<WorkerSetup> {
  const file = given.file ?? usualFile;
  const path = file === undefined ? null : resolve(io.cwd, file);
  // The usual file may be absent.
  const isRead = path !== null && (given.file !== undefined || existsSync(path));
  const fromFile = isRead ? await readProperties(path, signal) : {};
  const base = { ...defaults, ...fromFile };
  const named = { ...withEnvironment(base, io.env), ...given.settings };
  const settings = withPlugins(named, given.plugins ?? [], io.cwd);
  const warn = (message: string): void => void io.stderr.write(`${message}\n`);
  const variableOf = (key: string): string | null =>
    Object.hasOwn(given.settings ?? {}, key) ? null : (fromVariables(io.env, base).get(key)?.variable ?? null);
  const { resolver, config, embedded } = await parsed(settings, io.env, warn, variableOf);
  if (!embedded && given.brokerOptions.length > 0) {
    throw new ConfigError(
      `${given.brokerOptions.join(' and ')} can only be used with the embedded broker, but bootstrap.servers is ${config.bootstrapServers}.`,
      { code: 'WORKER_CONFIG_INVALID' },
    );
  }
  return {
    config,
    embedded: embedded && { ...embedded, dataDir: resolve(io.cwd, embedded.dataDir) },
    resolver,
    file: isRead ? path : null,
  };
}

function withPlugins(
  settings: Readonly<Record<string, string>>,
  plugins: readonly string[],
  cwd: string,
): Readonly<Record<string, string>> {
  if (plugins.length === 0) return settings;
  const folders = plugins.map((folder) => resolve(cwd, folder));
  return { ...settings, 'plugin.path': [settings['plugin.path'] ?? '', ...folders].join(',') };
}

/**
 * Rejects with all problems at once. Hides values from config providers in messages, and names the environment variable
 * that a setting is from.
 */
async function parsed(
  settings: Readonly<Record<string, string>>,
  env: CliIo['env'],
  warn: (message: string) => void,
  variableOf: (key: string) => string | null,
): Promise<Pick<WorkerSetup, 'resolver' | 'config' | 'embedded'>> {
  const problems = new SettingProblems();
  const resolver = problems.attempt(() => createConfigResolver({ settings, env, warn }));
  const replaced = resolver && (await problems.attemptAsync(() => resolveWorkerSettings(settings, resolver)));
  // Without its config providers, the other settings are checked nevertheless.
  const resolved = problems.attempt(() => withJaasFile(replaced ?? settings)) ?? replaced ?? settings;
  const hide = hiderOf(settings, resolved);
  const check = <T>(parse: (raw: Readonly<Record<string, string>>) => T): T | undefined => {
    try {
      return parse(resolved);
    } catch (error) {
      if (!isConnectError(error)) throw error;
      for (const { message, code, place } of problemsOf(error)) {
        const key = keyOf({ place });
        if (replaced === undefined && hasPlaceholder(settings[key ?? ''] ?? '')) continue;
        const variable = key === null ? null : variableOf(key);
        const from = variable === null ? '' : ` It is set by the environment variable ${variable}.`;
        problems.add(new ConfigError(hide(message) + from, { code, place }));
      }
      return undefined;
    }
  };
  const config = check(parseWorkerConfig);
  const embedded = check(embeddedBrokerConfig);
  if (problems.all.length > 0) {
    // Plugins take time to find.
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    const { rejectedSettings } = require('./rejected-settings') as typeof Rejected;
    for (const problem of await rejectedSettings(settings)) problems.add(problem);
  }
  problems.throwAny();
  return { resolver, config, embedded } as Pick<WorkerSetup, 'resolver' | 'config' | 'embedded'>;
}

/** Rejects with ConfigError `WORKER_CONFIG_INVALID`. */
export async function readProperties(path: string, signal?: AbortSignal): Promise<Record<string, string>> {
  try {
    // Only a pipe may have to be waited for.
    return parseProperties(statSync(path).isFIFO() ? await readText(path, signal) : readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError(`Cannot read the worker's properties from ${path}: ${(error as Error).message}`, {
      code: 'WORKER_CONFIG_INVALID',
      cause: error,
    });
  }
}

/** What the command line of `start`, `dev` and the commands that connect to Kafka says about the worker's settings. */
export interface WorkerOptions {
  readonly file?: string;
  /** Settings that the options override. */
  readonly settings: Readonly<Record<string, string>>;
  /** The given options of the embedded broker, such as `--data-dir`. */
  readonly brokerOptions: readonly string[];
  /** Folders that are added to `plugin.path`. */
  readonly plugins?: readonly string[];
}

/** That of Confluent's. */
const REGISTRY_PORT = 8081;

interface GivenOptions {
  readonly port?: number;
  readonly brokerPort?: number;
  readonly dataDir?: string;
  readonly plugin?: readonly string[];
  /** `true`: without a port. */
  readonly registry?: number | true;
  /** Path of the worker's properties, of commands whose argument is something else. */
  readonly config?: string;
}

export function workerOptions(
  file: string | undefined,
  { port, brokerPort, dataDir, plugin, registry }: GivenOptions,
): WorkerOptions {
  const settings: Record<string, string> = {};
  if (port !== undefined) settings.listeners = `http://127.0.0.1:${port}`;
  if (brokerPort !== undefined) settings[EMBEDDED_SETTINGS.port.name] = String(brokerPort);
  if (dataDir !== undefined) settings[EMBEDDED_SETTINGS.dataDir.name] = dataDir;
  if (registry !== undefined)
    settings[EMBEDDED_SETTINGS.registryPort.name] = String(registry === true ? REGISTRY_PORT : registry);
  const brokerOptions = [
    ...(brokerPort === undefined ? [] : ['--broker-port']),
    ...(dataDir === undefined ? [] : ['--data-dir']),
    ...(registry === undefined ? [] : ['--registry']),
  ];
  return { ...(file !== undefined && { file }), settings, brokerOptions, ...(plugin && { plugins: plugin }) };
}

/** For `--config` and `--plugin-path` of commands that run plugins without a worker. */
export function pluginOptions({ options }: Pick<Invocation, 'options'>): WorkerOptions {
  const { config, pluginPath } = options as { readonly config?: string; readonly pluginPath?: string };
  const worker = workerOptions(config, {});
  return pluginPath === undefined ? worker : { ...worker, settings: { 'plugin.path': pluginPath } };
}

/** For the shared options `cluster`. */
export function clusterOptions({ options }: Pick<Invocation, 'options'>): WorkerOptions {
  const given = options as GivenOptions;
  return workerOptions(given.config, { dataDir: given.dataDir });
}
