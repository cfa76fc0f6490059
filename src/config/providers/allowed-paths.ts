/** `allowed.paths` of the file and directory providers. Source: connect-runtime §8.4. */
import { existsSync } from 'node:fs';
import { isAbsolute, normalize, sep } from 'node:path';
import { ConfigError } from '@millrace/sdk';

export class AllowedPaths {
  private readonly roots: readonly string[] | null;

  /** `setting`: comma-separated absolute, existing paths. Absent: every path is allowed. Throws ConfigError. */
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
