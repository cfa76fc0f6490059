/** `${name:/directory:file}`: the content of a file, including its last newline. Source: connect-runtime §8.4. */
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ConfigError, readRegularFile } from '@millrace/sdk';
import { AllowedPaths } from './allowed-paths';
import { MAX_FILE_BYTES, type ConfigProvider, type ProviderWarning } from './provider';
import { timeToLive } from './time-to-live';

export class DirectoryConfigProvider implements ConfigProvider {
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
    const directory = this.allowed.resolve(path);
    if (directory === null) {
      this.warn(
        `The directory ${path} is not below allowed.paths of its config provider; its placeholders stay unresolved.`,
      );
      return new Map();
    }
    if (!(await isDirectory(directory))) {
      this.warn(`The path ${path} of a config provider is not a directory; its placeholders stay unresolved.`);
      return new Map();
    }
    const values = new Map<string, string>();
    for (const key of keys) {
      const value = await content(directory, key);
      if (value !== null) values.set(key, value);
    }
    return values;
  }
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}

/** Reads only regular files of the directory itself: a key must not be a path. */
async function content(directory: string, key: string): Promise<string | null> {
  if (key !== basename(key)) return null;
  const file = join(directory, key);
  try {
    if (!(await stat(file)).isFile()) return null;
    return (await readRegularFile(file, MAX_FILE_BYTES)).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new ConfigError(`Could not read file ${file} for a config provider: ${(error as Error).message}`, {
      code: 'CONFIG_PROVIDER_FAILED',
      cause: error,
    });
  }
}
