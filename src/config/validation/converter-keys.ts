/** Converters named in a connector's configuration. Source: connect-rest §3.4 (6), §3.5. */
import type { ConfigKey, ConverterPlugin, HeaderConverterPlugin, PluginType } from '@millrace/sdk';
import type { LoadedPlugin, PluginDescription, PluginRegistry } from '../../plugins/registry';
import { javaTrim } from '../config-parse';
import type { Choices, ConverterChoice } from '../connector-config';
import { checkKey, valueOf, type Entry, type NullableConfig } from './entry';
import { validationStep } from './validation-step';
import { unmetVersion } from '../version-range';

export type ConverterPart = 'key' | 'value' | 'header';
/** Java's order of embedding. */
export const CONVERTER_PARTS: readonly ConverterPart[] = ['header', 'key', 'value'];

const pluginType = (part: ConverterPart): PluginType => (part === 'header' ? 'header_converter' : 'converter');

/** Classes every JVM has and that are no plug-ins: Java says "wrong kind" of them, not "not found". */
const JVM_CLASS = /^java\.(?:lang|util)\.[A-Z]\w*$/;

/** Null also for a name that two plug-ins claim: it cannot be used either. */
export function findUnambiguous(registry: PluginRegistry, name: string, type?: PluginType): PluginDescription | null {
  try {
    return registry.find(name, type);
  } catch {
    return null;
  }
}

/** Imports a plug-in's module, which may not come back. */
export async function loadForCheck(registry: PluginRegistry, plugin: PluginDescription): Promise<LoadedPlugin> {
  validationStep(`the import of ${plugin.class} in ${plugin.location}`);
  return await registry.load(plugin);
}

/** The class that a name stands for, whatever kind of plug-in it is. Null: unknown. */
export function classOf(registry: PluginRegistry, name: string): string | null {
  return findUnambiguous(registry, name)?.class ?? (JVM_CLASS.test(name) ? name : null);
}

/** What the `*.converter` keys offer; `workerDefaults` are the worker's classes. */
export function converterChoices(
  config: NullableConfig,
  workerDefaults: Readonly<Record<ConverterPart, string>>,
  registry: PluginRegistry,
): Pick<Choices, ConverterPart | 'classOf'> {
  const one = (part: ConverterPart): ConverterChoice => {
    const named = valueOf(config, `${part}.converter`);
    const all = registry.list().filter((plugin) => plugin.type === pluginType(part));
    const effective = javaTrim(named ?? workerDefaults[part]);
    const used = findUnambiguous(registry, effective, pluginType(part));
    return {
      class: workerDefaults[part],
      version: used?.version ?? null,
      classes: [...new Set(all.map((plugin) => plugin.class))],
      versions:
        used && named !== null ? all.filter((plugin) => plugin.class === used.class).map(({ version }) => version) : [],
      versioned: named !== null && classOf(registry, effective) !== null,
    };
  };
  return {
    key: one('key'),
    value: one('value'),
    header: one('header'),
    classOf: (name) => classOf(registry, name),
  };
}

/**
 * Adds an error to a `*.converter` entry whose class is of no use; otherwise answers the plug-in. Null: nothing named,
 * or unusable.
 */
export function findConverter(part: ConverterPart, entry: Entry, registry: PluginRegistry): PluginDescription | null {
  const named = entry.parsed;
  if (typeof named !== 'string' || entry.errors.length > 0) return null;
  const found = findUnambiguous(registry, named, pluginType(part));
  const base = part === 'header' ? 'HeaderConverter' : 'Converter';
  if (!found) entry.errors.push(`Class class ${named} does not implement the ${base} interface`);
  return found;
}

/** Adds an error to both entries, and answers false, when no installed version is what `version` asks for. */
export function hasVersion(
  plugin: PluginDescription,
  entry: Entry,
  version: Entry | undefined,
  registry: PluginRegistry,
): boolean {
  if (!version || version.errors.length > 0) return version === undefined;
  const all = registry.list();
  const versions = all.filter((one) => one.class === plugin.class && one.type === plugin.type);
  const asked = version.parsed as string | null;
  const unmet = unmetVersion(
    plugin.class,
    asked,
    versions.map((one) => one.version),
    all,
  );
  if (unmet === null) return true;
  for (const { errors } of [entry, version]) errors.push(unmet);
  return false;
}

/** The converter's own keys, with the converter key as prefix and `converter.type` filled in. */
export async function converterEntries(
  part: ConverterPart,
  plugin: PluginDescription,
  entry: Entry,
  config: NullableConfig,
  registry: PluginRegistry,
): Promise<Entry[]> {
  let keys: readonly ConfigKey[];
  try {
    keys = ((await loadForCheck(registry, plugin)) as ConverterPlugin | HeaderConverterPlugin).config;
  } catch (error) {
    entry.errors.push(`Failed to load ConfigDef from ${part} converter: ${(error as Error).message}`);
    return [];
  }
  const prefix = `${part}.converter.`;
  const typed = { [`${prefix}converter.type`]: part, ...config };
  return keys.map((key) => checkKey(key, typed, { prefix }));
}
