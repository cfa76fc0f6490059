/** One key of a validation result while it is built, and the check of one key. Source: connect-rest §3.2 to §3.5. */
import type { ConfigKey, ConnectorConfig, ParsedValue } from '@millrace/sdk';
import { missingClass } from '../../plugins/missing-class';
import { withoutPrefix } from '../client-config';
import type { FrameworkKey } from '../framework-key';
import { ConfigParseError, invalidValue, messageValue, parseConfigValue, renderConfigValue } from '../config-parse';
import type { ConfigDefinitionInfo, ConfigValueInfo, KeyHints } from './config-infos';
import { reportKeyCheck } from './validation-step';

/** A config as received, with null values. */
export type NullableConfig = Readonly<Record<string, string | null>>;

export interface Entry {
  readonly name: string;
  readonly definition: ConfigDefinitionInfo | null;
  readonly hints?: KeyHints | null;
  readonly parsed: ParsedValue;
  readonly value: string | null;
  readonly recommended: readonly string[];
  readonly errors: string[];
  readonly visible: boolean;
  /** The plugin has said nothing about the value. */
  readonly isUnanswered?: boolean;
}

export function describeKey(key: ConfigKey, prefix = ''): ConfigDefinitionInfo {
  return {
    name: prefix + key.name,
    type: key.type,
    required: key.default === undefined,
    default_value: renderConfigValue(key.type, key.default),
    importance: key.importance,
    documentation: key.documentation,
    group: key.group ?? null,
    order_in_group: key.order ?? -1,
    width: key.width ?? 'NONE',
    display_name: key.displayName ?? key.name,
    dependents: (key.dependents ?? []).map((name) => prefix + name),
  };
}

/** Null: nothing to know. */
export function hintsOf(key: ConfigKey, prefix = ''): KeyHints | null {
  const { accepts, recommended = [], requiredUnless, aliasOf, deprecated, withoutEffect, prominent } = key;
  const values = recommended.length > 0 ? recommended : accepts?.values.filter((value) => value !== '');
  const hints: KeyHints = {
    ...(accepts && values && { valid_values: values }),
    ...(requiredUnless && { required_unless: requiredUnless.map((name) => prefix + name) }),
    ...(aliasOf !== undefined && { alias_of: prefix + aliasOf }),
    ...(deprecated === true && { deprecated }),
    ...(withoutEffect === true && { without_effect: true }),
    ...(prominent !== undefined && { prominent }),
  };
  return Object.keys(hints).length === 0 ? null : hints;
}

/** As `describeKey`, with the hints if it has some. */
export function describeForForm(key: ConfigKey): ConfigDefinitionInfo {
  return withHints(describeKey(key), hintsOf(key));
}

export function withHints(definition: ConfigDefinitionInfo, hints: KeyHints | null = null): ConfigDefinitionInfo {
  return hints === null ? definition : { ...definition, hints };
}

/** Own property or undefined. `constructor` is a legal config key. */
export function valueOf(config: NullableConfig, key: string): string | null | undefined {
  return Object.hasOwn(config, key) ? config[key] : undefined;
}

/** The config without null values, as plugins receive it. */
export function withoutNulls(config: NullableConfig): ConnectorConfig {
  return Object.fromEntries(Object.entries(config).filter((entry): entry is [string, string] => entry[1] !== null));
}

export interface CheckOptions {
  /** Prefix of the key in `config`. (Default: none) */
  readonly prefix?: string;
  /**
   * Whether "Missing required…" and parse messages include the prefix: they do for transforms, but not for converters.
   */
  readonly prefixInMessages?: boolean;
}

/** Shared by the checks of all keys: a copy for each would take too long with thousands of keys. */
const forValidators = new WeakMap<NullableConfig, Map<string, ConnectorConfig>>();

/** The config that the plugin receives: without the prefix, and without keys of others. */
function forValidator(config: NullableConfig, prefix: string): ConnectorConfig {
  let copies = forValidators.get(config);
  if (!copies) forValidators.set(config, (copies = new Map()));
  let copy = copies.get(prefix);
  if (!copy) {
    const whole = withoutNulls(config);
    copies.set(prefix, (copy = prefix === '' ? whole : withoutPrefix(whole, prefix)));
  }
  return copy;
}

/** Parses the value, then always runs the validator, with null when the value is missing or cannot be parsed. */
export function checkKey(key: FrameworkKey, config: NullableConfig, options: CheckOptions = {}): Entry {
  const name = (options.prefix ?? '') + key.name;
  reportKeyCheck(name);
  const shownName = options.prefixInMessages ? name : key.name;
  const text = valueOf(config, name);
  const errors: string[] = [];
  let parsed: ParsedValue = null;
  if (typeof text === 'string') {
    try {
      const value = parseConfigValue(key.type, text);
      parsed = key.classOf ? knownClass(key.classOf, String(value), key.recommended) : value;
    } catch (error) {
      if (!(error instanceof ConfigParseError)) throw error;
      errors.push(invalidValue(shownName, messageValue(key.type, text), error.reason));
    }
  } else if (text === undefined) {
    if (key.default === undefined) {
      errors.push(`Missing required configuration "${shownName}" which has no default value.`);
    } else {
      parsed = key.default;
    }
  }
  const reason = key.validator?.(parsed, forValidator(config, options.prefix ?? '')) ?? null;
  if (reason !== null) errors.push(invalidValue(key.name, messageValue(key.type, parsed), reason));
  errors.push(...(key.check?.(parsed, key.name) ?? []));
  return {
    name,
    definition: describeKey(key, options.prefix),
    hints: hintsOf(key, options.prefix),
    parsed,
    value: renderConfigValue(key.type, parsed),
    recommended: key.recommended ?? [],
    errors,
    visible: key.visible ?? true,
  };
}

/** An entry for a key without a definition. */
export function unknownEntry(name: string, value: string | null, errors: string[]): Entry {
  return { name, definition: null, parsed: null, value, recommended: [], errors, visible: true };
}

/** Null: a plugin that checks all values has not returned this one. */
export function valueInfo(entry: Entry): ConfigValueInfo | null {
  if (entry.isUnanswered === true && entry.errors.length === 0) return null;
  return {
    name: entry.name,
    value: entry.value,
    recommended_values: entry.recommended,
    errors: entry.errors,
    visible: entry.visible,
  };
}

function knownClass(
  classOf: (name: string) => string | null,
  name: string,
  classes: readonly string[] | undefined,
): string {
  const found = classOf(name);
  if (found === null) throw new ConfigParseError(missingClass(name, classes));
  return found;
}
