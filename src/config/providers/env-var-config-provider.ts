/**
 * `${name:VARIABLE}`: environment variables whose whole name matches `allowlist.pattern`. Source: connect-runtime §8.4.
 */
import { anchored, compileJavaRegex, ConfigError } from '@millrace/sdk';
import type { ConfigProvider } from './provider';

export class EnvVarConfigProvider implements ConfigProvider {
  private readonly variables: ReadonlyMap<string, string>;

  constructor(params: Readonly<Record<string, string>>, env: Readonly<Record<string, string | undefined>>) {
    const allowed = pattern(params['allowlist.pattern'] ?? '.*');
    this.variables = new Map(
      Object.entries(env).filter(
        (entry): entry is [string, string] => entry[1] !== undefined && allowed.test(entry[0]),
      ),
    );
  }

  get(path: string, keys: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
    if (path !== '') {
      return Promise.reject(
        new ConfigError(`Path is not supported for EnvVarConfigProvider, invalid value '${path}'`, {
          code: 'CONFIG_PROVIDER_FAILED',
        }),
      );
    }
    return Promise.resolve(new Map([...this.variables].filter(([name]) => keys.has(name))));
  }
}

function pattern(text: string): RegExp {
  try {
    return anchored(compileJavaRegex(text));
  } catch (error) {
    throw new ConfigError(
      `The setting "allowlist.pattern" of a config provider is not a regular expression: ${(error as Error).message}.`,
      { code: 'CONFIG_PROVIDER_INVALID', cause: error },
    );
  }
}
