/**
 * `${name:/path/file.properties:key}`: values from a properties file, which is read each time. Source: connect-runtime
 * §8.4.
 */
import { ConfigError, readRegularFile } from '@millrace/sdk';
import { parseProperties } from '../properties';
import { AllowedPaths } from './allowed-paths';
import { MAX_FILE_BYTES, type ConfigProvider, type ProviderWarning } from './provider';
import { timeToLive } from './time-to-live';

export class FileConfigProvider implements ConfigProvider {
  readonly ttlMs?: number;
  private readonly allowed: AllowedPaths;

  constructor(
    params: Readonly<Record<string, string>>,
    private readonly warn: ProviderWarning,
  ) {
    this.allowed = new AllowedPaths(params['allowed.paths']);
    const ttlMs = timeToLive(params);
    if (ttlMs !== null) this.ttlMs = ttlMs;
  }

  async get(path: string, keys: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
    if (path === '') return new Map();
    const file = this.allowed.resolve(path);
    if (file === null) {
      this.warn(
        `The file ${path} is not below allowed.paths of its config provider; its placeholders stay unresolved.`,
      );
      return new Map();
    }
    let values: Readonly<Record<string, string>>;
    try {
      values = parseProperties((await readRegularFile(file, MAX_FILE_BYTES)).toString('utf8'));
    } catch (error) {
      throw new ConfigError(`Could not read properties from file ${path}: ${(error as Error).message}`, {
        code: 'CONFIG_PROVIDER_FAILED',
        cause: error,
      });
    }
    return new Map(Object.entries(values).filter(([key]) => keys.has(key)));
  }
}
