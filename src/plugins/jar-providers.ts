/** The config providers in the jars of `plugin.path`. */
import type { JavaConfigProvider, Jvms, OtherJavaPlugin } from '@millrace/java-host';
import { ConfigError, messageOf } from '@millrace/sdk';
import { JAVA_HOST, javaHost, type JavaHost } from '../java/java-host';
import type { Scan } from './scan';
import { compareVersions } from './version-range';

type Params = Readonly<Record<string, string>>;

interface JarProvidersOptions {
  /** As it is at the moment: files in folders of plugins may change. */
  readonly catalog: () => Scan;
  /** Null: no JVM is started here. */
  readonly jvms: (() => Jvms) | null;
  /** (Default: the package, if it is installed) */
  readonly host?: () => Pick<JavaHost, 'JavaConfigProvider'> | null;
}

/** Jars that a message names. */
const SHOWN = 5;

interface JarConfigProvider {
  /** Rejects with ConfigError. `expires` receives the time to live of the values, milliseconds. */
  get(path: string, keys: ReadonlySet<string>, expires: (ttlMs: number) => void): Promise<ReadonlyMap<string, string>>;
}

export class JarConfigProviders {
  private readonly running = new Set<JavaConfigProvider>();

  constructor(private readonly options: JarProvidersOptions) {}

  /** Starts nothing: the first question does. Throws Error, a clause, if no class or several are meant. */
  create(className: string, params: Params): JarConfigProvider {
    this.find(className);
    let current: JavaConfigProvider | null = null;
    return {
      get: async (path, keys, expires) => {
        if (current === null || !this.running.has(current)) current = this.start(className, params);
        const { values, ttlMs } = await current.get(path, keys);
        if (ttlMs !== null) expires(ttlMs);
        return values;
      },
    };
  }

  /** Ends the instances: the next placeholders get others, of the jars as they are then. */
  renew(): void {
    for (const one of this.running) one.close();
    this.running.clear();
  }

  private start(className: string, settings: Params): JavaConfigProvider {
    try {
      const plugin = this.find(className);
      const { jvms, host = javaHost } = this.options;
      const found = host();
      if (found === null) throw new Error(`the package ${JAVA_HOST} is not installed`);
      if (jvms === null) throw new Error('no JVMs are started here');
      const provider = new found.JavaConfigProvider(plugin, { jvms, settings });
      this.running.add(provider);
      return provider;
    } catch (error) {
      throw new ConfigError(`The config provider ${className} cannot run: ${messageOf(error)}.`, {
        code: 'CONFIG_PROVIDER_FAILED',
        cause: error,
      });
    }
  }

  /** The newest version. */
  private find(name: string): OtherJavaPlugin {
    const { others = [], units = [] } = this.options.catalog();
    const providers = others.filter(({ type }) => type === 'config_provider');
    const exact = providers.filter((one) => one.class === name);
    const found = exact.length > 0 ? exact : providers.filter((one) => aliasesOf(one.class).includes(name));
    const classes = [...new Set(found.map((one) => one.class))];
    if (classes.length > 1) throw new Error(`it may mean ${classes.join(' or ')}, so write the whole name`);
    const [first, ...more] = found;
    if (first === undefined) throw new Error(absent(units.flatMap(({ classPath }) => classPath)));
    return more.reduce((best, one) => (compareVersions(one.version, best.version) > 0 ? one : best), first);
  }
}

function aliasesOf(className: string): readonly string[] {
  const simple = className.slice(Math.max(className.lastIndexOf('.'), className.lastIndexOf('$')) + 1);
  return [simple, simple.replace(/(?<=.)ConfigProvider$/, '')];
}

function absent(jars: readonly string[]): string {
  if (jars.length === 0) return 'plugin.path has no jars';
  if (javaHost() === null) return `the package ${JAVA_HOST}, which reads the jars in plugin.path, is not installed`;
  const more = jars.length > SHOWN ? ` and ${jars.length - SHOWN} more` : '';
  return `it is not a config provider of the jars in plugin.path, ${jars.slice(0, SHOWN).join(', ')}${more}`;
}
