/** Converters in a connector config. Source: connect-rest §3.4 (6), §3.5. */
import {
  javaTrim,
  type ConfigKey,
  type ConverterPlugin,
  type HeaderConverterPlugin,
  type PluginType,
} from '@millrace/sdk';
import type { LoadedPlugin, PluginDescription, PluginRegistry } from '../../plugins/registry';
import type { Choices, ConverterChoice } from '../connector-config';
import { withoutPrefix } from '../client-config';
import { checkKey, valueOf, withoutNulls, type Entry, type NullableConfig } from './entry';
import { withChecked, type CheckOwnValues, type OwnValues } from './own-values';
import { reportStep } from './validation-step';
import { compareVersions, unmetVersion } from '../../plugins/version-range';

type ConverterPart = 'key' | 'value' | 'header';
/** In the order in which Java embeds their keys. */
export const CONVERTER_PARTS: readonly ConverterPart[] = ['header', 'key', 'value'];

export function converterType(part: ConverterPart): PluginType {
  return part === 'header' ? 'header_converter' : 'converter';
}

/** Classes of every JVM that are not plugins. Java reports them as the wrong kind, not as missing. */
const JVM_CLASS = /^java\.(?:lang|util)\.[A-Z]\w*$/;

/** Null also for a name that two plugins share, and for a version that is not installed: it cannot be used either. */
export function findUnambiguous(
  registry: PluginRegistry,
  name: string,
  type?: PluginType,
  version?: string | null,
): PluginDescription | null {
  try {
    return registry.find(name, type, version);
  } catch {
    return null;
  }
}

/** Imports a plugin's module, whose code may never return. */
export async function loadForCheck(registry: PluginRegistry, plugin: PluginDescription): Promise<LoadedPlugin> {
  reportStep(`the import of ${plugin.class} in ${plugin.location}`);
  return await registry.load(plugin);
}

/** Resolves a name to a class of any plugin type. Null: unknown. */
export function classOf(registry: PluginRegistry, name: string): string | null {
  return findUnambiguous(registry, name)?.class ?? (JVM_CLASS.test(name) ? name : null);
}

/** Ascending. */
export function versionsOf(plugin: PluginDescription, installed: readonly PluginDescription[]): readonly string[] {
  const all = installed.filter((other) => other.class === plugin.class && other.type === plugin.type);
  return [...new Set(all.map(({ version }) => version))].sort(compareVersions);
}

/** Choices for the `*.converter` keys. `workerDefaults` are the worker's classes. */
export function converterChoices(
  config: NullableConfig,
  workerDefaults: Readonly<Record<ConverterPart, string>>,
  registry: PluginRegistry,
): Pick<Choices, ConverterPart | 'classOf'> {
  const choiceOf = (part: ConverterPart): ConverterChoice => {
    const named = valueOf(config, `${part}.converter`);
    const all = registry.list().filter((plugin) => plugin.type === converterType(part));
    const effective = javaTrim(named ?? workerDefaults[part]);
    const used = findUnambiguous(registry, effective, converterType(part));
    return {
      class: workerDefaults[part],
      version: used?.version ?? null,
      classes: [...new Set(all.map((plugin) => plugin.class))],
      versions: used && named !== null ? versionsOf(used, all) : [],
      versioned: named !== null && classOf(registry, effective) !== null,
    };
  };
  return {
    key: choiceOf('key'),
    value: choiceOf('value'),
    header: choiceOf('header'),
    classOf: (name) => classOf(registry, name),
  };
}

/**
 * Returns the plugin of a `*.converter` entry. Adds an error to an entry whose class is not a converter. Null: no
 * class, or an unusable one.
 */
export function findConverter(part: ConverterPart, entry: Entry, registry: PluginRegistry): PluginDescription | null {
  const named = entry.parsed;
  if (typeof named !== 'string' || entry.errors.length > 0) return null;
  const found = findUnambiguous(registry, named, converterType(part));
  const base = part === 'header' ? 'HeaderConverter' : 'Converter';
  if (!found) entry.errors.push(`Class class ${named} does not implement the ${base} interface`);
  return found;
}

/** The version that the config asks for. Null: none matches, which is added as an error to both entries. */
export function ofVersion(
  plugin: PluginDescription,
  entry: Entry,
  version: Entry | undefined,
  config: NullableConfig,
  registry: PluginRegistry,
): PluginDescription | null {
  if (!version) return plugin;
  if (version.errors.length > 0) return null;
  // Not the default: a version that is given may mean a jar.
  const requested = valueOf(config, version.name) ?? null;
  const all = registry.list();
  const unmet = unmetVersion(plugin.class, requested, versionsOf(plugin, all), all);
  if (unmet === null) return registry.find(plugin.class, plugin.type, requested);
  for (const { errors } of [entry, version]) errors.push(unmet);
  return null;
}

/** Entries for the converter's keys, prefixed with the converter key, and with `converter.type` set. */
export async function converterEntries(
  part: ConverterPart,
  plugin: PluginDescription,
  entry: Entry,
  config: NullableConfig,
  registry: PluginRegistry,
  checkOwn: CheckOwnValues,
): Promise<Entry[]> {
  const prefix = `${part}.converter.`;
  const typed = { [`${prefix}converter.type`]: part, ...config };
  let keys: readonly ConfigKey[];
  let checked: OwnValues | null;
  try {
    const loaded = (await loadForCheck(registry, plugin)) as ConverterPlugin | HeaderConverterPlugin;
    checked = await checkOwn(plugin.class, loaded, withoutPrefix(withoutNulls(typed), prefix));
    keys = loaded.config;
  } catch (error) {
    entry.errors.push(`Failed to load ConfigDef from ${part} converter: ${(error as Error).message}`);
    return [];
  }
  const entries = keys.map((key) => checkKey(key, typed, { prefix }));
  return checked === null ? entries : entries.map((own, at) => withChecked(own, checked.get(keys[at]?.name ?? '')));
}
