/** Resolves placeholders with the worker's config providers. Source: connect-runtime §8.1. */
import type { ConnectError } from '@millrace/sdk';
import { withoutPrefix } from '../client-config';
import { SettingProblems } from '../setting-problems';
import { EnvVarConfigProvider } from './env-var-config-provider';
import { JarProvider, unknownClass, type JarProviders } from './jar-provider';
import { DirectoryConfigProvider, FileConfigProvider } from './path-config-providers';
import { providersIn, resolvePlaceholders, type ResolveOptions } from './placeholders';
import type { ConfigProvider, ProviderWarning } from './provider';

type Settings = Readonly<Record<string, string>>;

/** Lives as long as the worker. */
export interface ConfigResolver {
  /**
   * Returns a copy with placeholders replaced. Placeholders with unknown providers or missing keys stay as they are.
   * `expires` receives the time to live of values from providers that have one. Values of `owner` are hidden in its log
   * lines and traces. Rejects with ConfigError.
   */
  resolve<T extends string | null>(
    settings: Readonly<Record<string, T>>,
    options?: ResolveOptions,
  ): Promise<Record<string, T>>;
  /**
   * Call it once the plugins are found, before configs of connectors are resolved. Returns the problems of providers
   * whose class is in no jar; their placeholders reject with them.
   */
  useJars(jars: JarProviders): readonly ConnectError[];
  /** Problems of settings of the worker that have placeholders of providers in jars, which are not found yet. */
  tooEarly(settings: Settings): readonly ConnectError[];
}

export interface ConfigResolverOptions {
  /** The worker's settings, of which `config.providers` and `config.providers.<name>.*` are read. */
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
 * Throws ConfigError `WORKER_CONFIG_INVALID` for providers whose class is not known and, without `plugin.path`, in no
 * jar, and `CONFIG_PROVIDER_INVALID` for
 * invalid parameters; all at once.
 */
export function createConfigResolver(options: ConfigResolverOptions): ConfigResolver {
  const { settings } = options;
  const names = (settings['config.providers'] ?? '').split(',').map((name) => name.trim());
  const providers = new Map<string, ConfigProvider>();
  const problems = new SettingProblems();
  for (const name of names.filter((n) => n !== '')) {
    const provider = problems.attempt(() => createProvider(name, options));
    if (provider !== undefined) providers.set(name, provider);
  }
  problems.throwAny();
  const inJars = new Map([...providers].flatMap(([name, one]) => (one instanceof JarProvider ? [[name, one]] : [])));
  return {
    resolve: (config, resolving) => resolvePlaceholders(config, providers, resolving),
    useJars: (jars) => [...inJars.values()].flatMap((provider) => provider.use(jars) ?? []),
    tooEarly: (ofWorker) =>
      Object.entries(ofWorker).flatMap(([key, value]) => {
        if (key === 'plugin.path' || inJars.size === 0) return [];
        return providersIn(value, inJars)
          .slice(0, 1)
          .map((name) => (inJars.get(name) as JarProvider).tooEarly(key));
      }),
  };
}

function createProvider(name: string, options: ConfigResolverOptions): ConfigProvider {
  const { settings } = options;
  const className = settings[`config.providers.${name}.class`]?.trim() ?? '';
  const short = (className.startsWith(PACKAGE) ? className.slice(PACKAGE.length) : className).replace(
    /ConfigProvider$/,
    '',
  );
  const build = Object.hasOwn(BUILT_IN, short) ? BUILT_IN[short] : undefined;
  const params = withoutPrefix(settings, `config.providers.${name}.param.`);
  if (build) return build(params, options);
  // Jars are found later, and only there.
  if (className === '' || (settings['plugin.path'] ?? '').trim() === '') throw unknownClass(name, className);
  return new JarProvider({ name, className, params });
}

/** Resolves the worker's settings, once at startup. As in Java, `plugin.path` is never resolved. */
export async function resolveWorkerSettings(
  settings: Settings,
  resolver: ConfigResolver,
): Promise<Record<string, string>> {
  const problems = new SettingProblems();
  for (const problem of resolver.tooEarly(settings)) problems.add(problem);
  problems.throwAny();
  const resolved = await resolver.resolve(settings, { owner: null });
  const pluginPath = settings['plugin.path'];
  return pluginPath === undefined ? resolved : { ...resolved, 'plugin.path': pluginPath };
}
