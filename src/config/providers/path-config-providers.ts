/** Config providers of files, which are read each time. Sources: connect-runtime §8.3, §8.4. */
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, isAbsolute, join, normalize, sep } from 'node:path';
import { ConfigError, readRegularFile } from '@millrace/sdk';
import { parseProperties } from '@millrace/texts/properties';
import { MAX_FILE_BYTES, type ConfigProvider, type Expires, type ProviderWarning } from './provider';

type Params = Readonly<Record<string, string>>;
type Values = ReadonlyMap<string, string>;

/** Providers whose path must be below one of `allowed.paths`. */
abstract class PathConfigProvider implements ConfigProvider {
  private readonly ttlMs: number | null;
  protected abstract readonly noun: string;
  private readonly allowed: AllowedPaths;

  constructor(
    params: Params,
    protected readonly warn: ProviderWarning,
  ) {
    this.allowed = new AllowedPaths(params['allowed.paths']);
    this.ttlMs = timeToLive(params);
  }

  async get(path: string, keys: ReadonlySet<string>, expires: Expires): Promise<Values> {
    if (this.ttlMs !== null) expires(this.ttlMs);
    if (path === '') return new Map();
    const allowed = this.allowed.resolve(path);
    if (allowed !== null) return await this.read(allowed, keys, path);
    this.warn(
      `The ${this.noun} ${path} is not below allowed.paths of its config provider; its placeholders stay unresolved.`,
    );
    return new Map();
  }

  /** @param given the path as in the placeholder, for messages */
  protected abstract read(path: string, keys: ReadonlySet<string>, given: string): Promise<Values>;
}

/** `${name:/path/file.properties:key}`: values from a properties file. */
export class FileConfigProvider extends PathConfigProvider {
  protected readonly noun = 'file';

  protected async read(file: string, keys: ReadonlySet<string>, given: string): Promise<Values> {
    let values: Readonly<Record<string, string>>;
    try {
      values = parseProperties((await readRegularFile(file, MAX_FILE_BYTES)).toString('utf8'));
    } catch (error) {
      throw new ConfigError(`Could not read properties from file ${given}: ${(error as Error).message}`, {
        code: 'CONFIG_PROVIDER_FAILED',
        cause: error,
      });
    }
    return new Map(Object.entries(values).filter(([key]) => keys.has(key)));
  }
}

/** `${name:/directory:file}`: the content of a file, including its last newline. */
export class DirectoryConfigProvider extends PathConfigProvider {
  protected readonly noun = 'directory';

  protected async read(directory: string, keys: ReadonlySet<string>, given: string): Promise<Values> {
    const values = new Map<string, string>();
    if (!(await stat(directory).catch(() => null))?.isDirectory()) {
      this.warn(`The path ${given} of a config provider is not a directory; its placeholders stay unresolved.`);
      return values;
    }
    for (const key of keys) {
      const value = await content(directory, key);
      if (value !== null) values.set(key, value);
    }
    return values;
  }
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

/** `ttl.ms`, which Java's providers do not have, in milliseconds. Null: unlimited. Throws ConfigError. */
function timeToLive(params: Params): number | null {
  const text = params['ttl.ms']?.trim() ?? '';
  if (text === '') return null;
  const ms = /^\d{1,12}$/.test(text) ? Number(text) : 0;
  if (ms > 0) return ms;
  throw new ConfigError(
    `The setting "ttl.ms" of a config provider is invalid: ${text} is not a positive number of milliseconds.`,
    { code: 'CONFIG_PROVIDER_INVALID' },
  );
}

class AllowedPaths {
  private readonly roots: readonly string[] | null;

  /**
   * `setting`: `allowed.paths`, comma-separated absolute, existing paths. Absent: every path is allowed. Throws
   * ConfigError.
   */
  constructor(setting: string | undefined) {
    const paths = setting?.split(',').map((path) => path.trim());
    this.roots = paths?.some((path) => path !== '') ? paths.filter((path) => path !== '').map(checked) : null;
  }

  /** The normalized path, or null if it is not allowed. `..` cannot leave an allowed path. */
  resolve(path: string): string | null {
    const normal = normalize(path);
    if (!this.roots) return normal;
    const allowed = this.roots.some(
      (root) => normal === root || normal.startsWith(root.endsWith(sep) ? root : root + sep),
    );
    return allowed ? normal : null;
  }
}

function checked(path: string): string {
  if (!isAbsolute(path)) throw invalid(`${path} is not an absolute path`);
  if (!existsSync(path)) throw invalid(`${path} does not exist`);
  return normalize(path).replace(/(.)\/$/, '$1');
}

function invalid(reason: string): ConfigError {
  return new ConfigError(`The setting "allowed.paths" of a config provider is invalid: ${reason}.`, {
    code: 'CONFIG_PROVIDER_INVALID',
  });
}
