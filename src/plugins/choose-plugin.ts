/** Chooses one of several installed plugins with the same class, as `plugin.version` settings ask for. Pure. */
import { ConfigError } from '@millrace/sdk';
import type { PluginDescription } from './registry';
import { compareVersions, noSuchVersion, VersionRange } from './version-range';

/**
 * Without a version, native plugins come before those in jars, then the highest version. A version that jars satisfy
 * means the highest of these, even if a native plugin reports the same one. Null: none is installed.
 * @param installed of one class, in any order
 * @param version a version or range; null, undefined or `latest`: any. Throws ConfigError if none satisfies it.
 */
export function choosePlugin(
  installed: readonly PluginDescription[],
  version: string | null | undefined,
): PluginDescription | null {
  const [first] = installed;
  if (first === undefined) return null;
  const range = rangeOf(version);
  if (range === null) return best(installed, (plugin) => plugin.java !== true);
  const matching = installed.filter((plugin) => range.contains(plugin.version));
  if (matching.length > 0) return best(matching, (plugin) => plugin.java === true);
  throw new ConfigError(noSuchVersion(first.class, range, installed), {
    code: 'PLUGIN_VERSION_NOT_FOUND',
  });
}

/**
 * With which `plugin.version` setting `choosePlugin` takes the plugin. Null: without one. Undefined: with none, because
 * another plugin has the same version.
 */
export function versionChoosing(
  installed: readonly PluginDescription[],
  plugin: PluginDescription,
): string | null | undefined {
  if (choosePlugin(installed, null) === plugin) return null;
  const exact = `[${plugin.version}]`;
  try {
    return choosePlugin(installed, exact) === plugin ? exact : undefined;
  } catch {
    // A version that a range cannot name.
    return undefined;
  }
}

function rangeOf(version: string | null | undefined): VersionRange | null {
  try {
    return VersionRange.parse(version);
  } catch (error) {
    throw new ConfigError((error as Error).message, { code: 'PLUGIN_VERSION_INVALID', cause: error });
  }
}

function best(
  plugins: readonly PluginDescription[],
  isPreferred: (plugin: PluginDescription) => boolean,
): PluginDescription {
  const preferred = plugins.filter(isPreferred);
  const among = preferred.length > 0 ? preferred : plugins;
  return among.reduce((one, other) => (compareVersions(other.version, one.version) > 0 ? other : one));
}
