/**
 * Worker settings. A row states everything about one of them, and the type of the parsed settings is inferred from the
 * rows. Pure. Rules: connect-runtime §10.6.
 */
import { ConfigError, type ConfigType } from '@millrace/sdk';
import { parseConfigValue } from './config-parse';
import type { SettingProblems } from './setting-problems';

type SettingType = Exclude<ConfigType, 'CLASS' | 'DOUBLE' | 'PASSWORD'>;
type SettingValue = string | number | boolean | readonly string[] | null;
type Settings = Readonly<Record<string, string>>;

/** Sections of the reference page, in its order. */
export const SETTING_GROUPS = [
  'Kafka and the group',
  'Storage topics',
  'Converters, plugins, config providers',
  'REST listeners',
  'Authentication and roles',
  'Requests between workers',
  'Tasks and offsets',
  'Metrics',
  'Embedded broker',
  'Java plugins',
] as const;

/** T is the type of its parsed value. */
export interface Setting<T = unknown> {
  readonly name: string;
  readonly type: SettingType;
  readonly group: (typeof SETTING_GROUPS)[number];
  /** Undefined: the setting is required. Null: it is optional and has no default. */
  readonly default: SettingValue | undefined;
  readonly documentation: string;
  /** What to do when a required setting is missing. */
  readonly hint?: string;
  /** Checks a value of the type and converts it. Throws an Error whose message is only the reason. */
  readonly parse: (value: SettingValue) => T;
}

/** Rows by the names of their parsed values. */
export interface SettingTable {
  readonly [field: string]: Setting | SettingTable;
}

export type Parsed<T> = { readonly [F in keyof T]: T[F] extends Setting<infer V> ? V : Parsed<T[F]> };

interface Details<V, T> {
  readonly doc: string;
  readonly hint?: string;
  /** Why a value is invalid, or null. */
  readonly check?: (value: V) => string | null;
  /** Converts a valid value. May throw an Error whose message is only the reason. (Default: no conversion) */
  readonly read?: (value: V) => T;
}

/** Creates the rows of a group from a name, a default as in `Setting`, and the rest. */
export function settingsOf(group: Setting['group']) {
  const row =
    <V extends SettingValue>(type: SettingType) =>
    <D extends V | null | undefined, T = V>(
      name: string,
      preset: D,
      { doc, hint, check, read }: Details<V, T>,
    ): Setting<D extends null ? T | null : T> => {
      const parse = (value: SettingValue): T | null => {
        if (value === null) return null;
        const reason = check?.(value as V) ?? null;
        if (reason !== null) throw new Error(reason);
        return read ? read(value as V) : (value as T);
      };
      // Without a default, and only then, null is a value.
      return { name, type, group, default: preset, documentation: doc, hint, parse: parse as () => never };
    };
  return {
    text: row<string>('STRING'),
    list: row<readonly string[]>('LIST'),
    flag: row<boolean>('BOOLEAN'),
    short: row<number>('SHORT'),
    int: row<number>('INT'),
    long: row<number>('LONG'),
  };
}

/** All rows of a table, in the order in which they are checked. */
export function rowsOf(table: SettingTable): readonly Setting[] {
  return Object.values(table).flatMap((row) => (isSetting(row) ? [row] : rowsOf(row)));
}

/** The values of settings with problems, which are added, are undefined. */
export function readSettings<T extends SettingTable>(table: T, raw: Settings, problems: SettingProblems): Parsed<T> {
  const fields = Object.entries(table).map(([field, row]) => [
    field,
    isSetting(row) ? problems.attempt(() => settingValue(row, raw[row.name])) : readSettings(row, raw, problems),
  ]);
  return Object.fromEntries(fields) as Parsed<T>;
}

function isSetting(row: Setting | SettingTable): row is Setting {
  return typeof row.parse === 'function';
}

function settingValue(setting: Setting, text: string | undefined): unknown {
  const { name, type, default: preset, parse } = setting;
  if (text === undefined && preset !== undefined) return parse(preset);
  if (text === undefined || (text === '' && preset === undefined)) {
    const message = `Worker setting "${name}" is required: ${setting.hint ?? 'give it a value'}.`;
    throw new ConfigError(message, { code: 'WORKER_CONFIG_INVALID', place: { key: name } });
  }
  try {
    const value = parseConfigValue(type, text);
    // Longs are durations. The largest, which means "forever" in Java, need not be exact.
    return parse(typeof value === 'bigint' ? Number(value) : value);
  } catch (error) {
    throw invalidSetting(name, `${JSON.stringify(text)}: ${(error as Error).message}`);
  }
}

/** @param reason completes the sentence. Its full stop may be missing. */
export function invalidSetting(name: string, reason: string): ConfigError {
  return new ConfigError(`Worker setting "${name}" is invalid: ${reason.replace(/\.$/, '')}.`, {
    code: 'WORKER_CONFIG_INVALID',
    place: { key: name },
  });
}

export const atLeast = (min: number) => (value: number) => (value < min ? `Value must be at least ${min}` : null);

export const between = (min: number, max: number) => (value: number) =>
  atLeast(min)(value) ?? (value > max ? `Value must be no more than ${max}` : null);

/** One of these texts, in any case. */
export const oneOf =
  <T extends string>(...allowed: readonly T[]) =>
  (value: string): T => {
    const found = allowed.find((text) => text === value.toLowerCase());
    if (found !== undefined) return found;
    throw new Error(`String must be one of (case insensitive): ${allowed.join(', ')}`);
  };

export const nonEmpty = (value: string | readonly string[]) => (value.length === 0 ? 'Value must not be empty' : null);

/** Partition counts and replication factors: -1 leaves the choice to the broker. */
export const positiveOrBrokerDefault = (value: number) =>
  value !== -1 && value < 1 ? 'Value must be a positive number, or -1 to use the broker’s default' : null;
