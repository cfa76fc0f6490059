/** Resolves placeholders with the providers that the worker declares. Source: connect-runtime §8.1. */
import { ConfigError } from '@millrace/sdk';
import { withoutPrefix } from '../client-config';
import { DirectoryConfigProvider } from './directory-config-provider';
import { EnvVarConfigProvider } from './env-var-config-provider';
import { FileConfigProvider } from './file-config-provider';
import { resolvePlaceholders, type Expires } from './placeholders';
import type { ConfigProvider, ProviderWarning } from './provider';

type Settings = Readonly<Record<string, string>>;

/** Lives as long as the worker. */
export interface ConfigResolver {
  /**
   * A copy with placeholders replaced; unknown providers and missing keys leave the text as it is. `expires` hears how
   * long values that a provider gives a time to live are good. Rejects with ConfigError.
   */
  resolve<T extends string | null>(
    settings: Readonly<Record<string, T>>,
    expires?: Expires,
  ): Promise<Record<string, T>>;
}

export interface ConfigResolverOptions {
  /** The worker's settings; `config.providers` and `config.providers.<name>.*` are looked at. */
  readonly settings: Settings;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly warn: ProviderWarning;
}

const PACKAGE = 'org.apache.kafka.common.config.provider.';
type Build = (params: Settings, options: ConfigResolverOptions) => ConfigProvider;
/** By simple name without `ConfigProvider`. */
const BUILT_IN: Readonly<Record<string, Build>> = {
  File: (params, { warn }) => new FileConfigProvider(params, warn),
  Directory: (params, { warn }) => new DirectoryConfigProvider(params, warn),
  EnvVar: (params, { env }) => new EnvVarConfigProvider(params, env),
};

/**
 * Throws ConfigError `WORKER_CONFIG_INVALID` for a provider without a known class, `CONFIG_PROVIDER_INVALID` for wrong
 * parameters.
 */
export function createConfigResolver(options: ConfigResolverOptions): ConfigResolver {
  const { settings } = options;
  const names = (settings['config.providers'] ?? '').split(',').map((name) => name.trim());
  const providers = new Map<string, ConfigProvider>();
  for (const name of names.filter((n) => n !== '')) {
    const key = `config.providers.${name}.class`;
    const className = settings[key]?.trim() ?? '';
    const short = (className.startsWith(PACKAGE) ? className.slice(PACKAGE.length) : className).replace(
      /ConfigProvider$/,
      '',
    );
    const build = Object.hasOwn(BUILT_IN, short) ? BUILT_IN[short] : undefined;
    if (!build) {
      const reason = className === '' ? 'it names the provider’s class' : `the class ${className} could not be found`;
      throw new ConfigError(`Worker setting "${key}" is ${className === '' ? 'required' : 'invalid'}: ${reason}.`, {
        code: 'WORKER_CONFIG_INVALID',
        place: { key },
      });
    }
    providers.set(name, build(withoutPrefix(settings, `config.providers.${name}.param.`), options));
  }
  return { resolve: (config, expires) => resolvePlaceholders(config, providers, expires) };
}

/** The worker's own settings are resolved once, at start; `plugin.path` never is. */
export async function resolveWorkerSettings(
  settings: Settings,
  resolver: ConfigResolver,
): Promise<Record<string, string>> {
  const resolved = await resolver.resolve(settings);
  const pluginPath = settings['plugin.path'];
  return pluginPath === undefined ? resolved : { ...resolved, 'plugin.path': pluginPath };
}
