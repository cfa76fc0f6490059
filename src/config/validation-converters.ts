/** Converters named in a connector's configuration. Source: connect-rest §3.4 (6), §3.5. */
import type { ConfigKey, ConverterPlugin, HeaderConverterPlugin, PluginType } from '@millrace/sdk';
import type { PluginDescription, PluginRegistry } from '../plugins/registry';
import { invalidValue } from './config-parse';
import type { Choices, ConverterChoice } from './connector-config';
import { checkKey, type Entry, type NullableConfig } from './validation-entry';

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

function choice(part: ConverterPart, effective: string, registry: PluginRegistry): ConverterChoice {
  const all = registry.list().filter((plugin) => plugin.type === pluginType(part));
  const used = findUnambiguous(registry, effective, pluginType(part));
  return {
    class: effective,
    version: used?.version ?? null,
    classes: [...new Set(all.map((plugin) => plugin.class))],
    versions: used ? all.filter((plugin) => plugin.class === used.class).map((plugin) => plugin.version) : [],
  };
}

/** What the `*.converter` keys offer; `workerDefaults` are the worker's classes. */
export function converterChoices(
  config: NullableConfig,
  workerDefaults: Readonly<Record<ConverterPart, string>>,
  registry: PluginRegistry,
): Pick<Choices, ConverterPart> {
  const one = (part: ConverterPart): ConverterChoice => {
    const named = config[`${part}.converter`];
    const used = choice(part, named ?? workerDefaults[part], registry);
    return { ...used, class: workerDefaults[part] };
  };
  return { key: one('key'), value: one('value'), header: one('header') };
}

/** Adds an error to a `*.converter` entry whose class is of no use; otherwise answers the plug-in. Null: nothing named, or unusable. */
export function findConverter(part: ConverterPart, entry: Entry, registry: PluginRegistry): PluginDescription | null {
  const named = entry.parsed;
  if (typeof named !== 'string' || entry.errors.length > 0) return null;
  const found = findUnambiguous(registry, named, pluginType(part));
  if (found) return found;
  if (findUnambiguous(registry, named) || JVM_CLASS.test(named)) {
    const base = part === 'header' ? 'HeaderConverter' : 'Converter';
    entry.errors.push(`Class class ${named} does not implement the ${base} interface`);
  } else {
    entry.errors.push(invalidValue(entry.name, named, `Class ${named} could not be found.`));
  }
  return null;
}

const CONVERTER_TYPE: ConfigKey = {
  name: 'converter.type',
  type: 'STRING',
  importance: 'LOW',
  documentation: 'What the converter is used for: key, value or header. Set by the worker.',
  validator: (value) =>
    value === 'key' || value === 'value' || value === 'header' ? null : 'String must be one of: key, value, header',
};

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
    keys = ((await registry.load(plugin)) as ConverterPlugin | HeaderConverterPlugin).config;
  } catch (error) {
    entry.errors.push(`Failed to load ConfigDef from ${part} converter: ${(error as Error).message}`);
    return [];
  }
  const prefix = `${part}.converter.`;
  const typed = { ...config, [`${prefix}converter.type`]: part };
  const all = keys.some((key) => key.name === CONVERTER_TYPE.name) ? keys : [CONVERTER_TYPE, ...keys];
  return all.map((key) => checkKey(key, typed, { prefix }));
}
