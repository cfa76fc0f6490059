/** Config providers whose class Millrace itself does not have: jars of `plugin.path` may have it. */
import { ConfigError, type ConnectError } from '@millrace/sdk';
import type { ConfigProvider, Expires } from './provider';

/** The config providers in jars, which are known once the plugins have been found. */
export interface JarProviders {
  /** Starts nothing. Throws Error with the reason, a clause, if no jar or several classes are meant. */
  create(className: string, params: Readonly<Record<string, string>>): ConfigProvider;
}

export interface JarProviderSettings {
  readonly name: string;
  readonly className: string;
  readonly params: Readonly<Record<string, string>>;
}

export class JarProvider implements ConfigProvider {
  private state: ConfigProvider | ConnectError | null = null;

  constructor(private readonly settings: JarProviderSettings) {}

  /** Returns the problem, if the class is in no jar. */
  use(jars: JarProviders): ConnectError | null {
    const { className, name, params } = this.settings;
    try {
      this.state = jars.create(className, params);
      return null;
    } catch (error) {
      this.state = unknownClass(name, className, (error as Error).message);
      return this.state;
    }
  }

  get(path: string, keys: ReadonlySet<string>, expires: Expires): Promise<ReadonlyMap<string, string>> {
    const { state } = this;
    if (state !== null && 'get' in state) return state.get(path, keys, expires);
    return Promise.reject(state ?? unknownClass(this.settings.name, this.settings.className, 'no jar has been read'));
  }

  /** About a setting of the worker with a placeholder of this provider. */
  tooEarly(key: string): ConfigError {
    const { name, className } = this.settings;
    return new ConfigError(
      `Worker setting "${key}" is invalid: the class ${className} of its config provider ${name} is not built in, and jars are found only after the worker’s own settings have been read. Use FileConfigProvider, DirectoryConfigProvider or EnvVarConfigProvider for them; configs of connectors may use ${name}.`,
      { code: 'WORKER_CONFIG_INVALID', place: { key } },
    );
  }
}

export function unknownClass(name: string, className: string, detail?: string): ConfigError {
  const key = `config.providers.${name}.class`;
  const reason = className === '' ? 'set it to the provider’s class' : `the class ${className} could not be found`;
  const more = detail === undefined ? '' : `: ${detail}`;
  return new ConfigError(`Worker setting "${key}" is ${className === '' ? 'required' : 'invalid'}: ${reason}${more}.`, {
    code: 'WORKER_CONFIG_INVALID',
    place: { key },
  });
}
