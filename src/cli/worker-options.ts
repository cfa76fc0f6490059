/** What the command line of `start`, `dev` and the commands that connect to Kafka says about the worker's settings. */
import { EMBEDDED_DATA_DIR, EMBEDDED_PORT } from '../config/embedded-broker';
import type { Invocation } from './program/command-spec';

export interface WorkerOptions {
  readonly file?: string;
  /** Settings that the options override. */
  readonly settings: Readonly<Record<string, string>>;
  /** The given options of the embedded broker, such as `--data-dir`. */
  readonly brokerOptions: readonly string[];
  /** Folders that are added to `plugin.path`. */
  readonly plugins?: readonly string[];
}

interface GivenOptions {
  readonly port?: number;
  readonly brokerPort?: number;
  readonly dataDir?: string;
  readonly plugin?: readonly string[];
  /** Path of the worker's properties, of commands whose argument is something else. */
  readonly config?: string;
}

export function workerOptions(
  file: string | undefined,
  { port, brokerPort, dataDir, plugin }: GivenOptions,
): WorkerOptions {
  const settings: Record<string, string> = {};
  if (port !== undefined) settings.listeners = `http://127.0.0.1:${port}`;
  if (brokerPort !== undefined) settings[EMBEDDED_PORT] = String(brokerPort);
  if (dataDir !== undefined) settings[EMBEDDED_DATA_DIR] = dataDir;
  const brokerOptions = [
    ...(brokerPort === undefined ? [] : ['--broker-port']),
    ...(dataDir === undefined ? [] : ['--data-dir']),
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
