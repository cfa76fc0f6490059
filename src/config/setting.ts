/** One worker setting: how its text is parsed and checked. Pure. Rules: connect-runtime §10.6. */
import { availableParallelism } from 'node:os';

export type SettingType = 'STRING' | 'INT' | 'SHORT' | 'LONG' | 'BOOLEAN' | 'LIST';
export type SettingValue = string | number | boolean | readonly string[] | null;

export interface Setting {
  readonly name: string;
  readonly type: SettingType;
  /** Absent: the setting is required. Null: it is optional and has no default. */
  readonly default?: SettingValue;
  /** What to do when a required setting is missing. */
  readonly hint?: string;
  /** Why a parsed value is invalid, or null. */
  readonly check?: (value: SettingValue) => string | null;
}

const RANGES = {
  SHORT: [-32768n, 32767n],
  INT: [-2147483648n, 2147483647n],
  LONG: [-9223372036854775808n, 9223372036854775807n],
} as const;

/** Throws an Error whose message is only the reason. */
export function parseSetting(type: SettingType, text: string): SettingValue {
  const value = text.trim();
  switch (type) {
    case 'STRING':
      return value;
    case 'LIST':
      return value === '' ? [] : value.split(',').map((part) => part.trim());
    case 'BOOLEAN':
      if (/^true$/i.test(value)) return true;
      if (/^false$/i.test(value)) return false;
      throw new Error('Expected value to be either true or false');
    default: {
      const exact = /^[+-]?\d+$/.test(value) ? BigInt(value.replace('+', '')) : null;
      const [min, max] = RANGES[type];
      if (exact === null || exact < min || exact > max) throw new Error(`Not a number of type ${type}`);
      // Longs are durations. The largest, which means "forever" in Java, need not be exact.
      return Number(exact);
    }
  }
}

export const atLeast = (min: number) => (value: SettingValue) =>
  typeof value === 'number' && value < min ? `Value must be at least ${min}` : null;

export const oneOf =
  (...allowed: readonly string[]) =>
  (value: SettingValue) =>
    typeof value === 'string' && allowed.includes(value.toLowerCase())
      ? null
      : `String must be one of (case insensitive): ${allowed.join(', ')}`;

export const nonEmpty = (value: SettingValue) =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0) ? 'Value must not be empty' : null;

/** Partition counts and replication factors: -1 leaves the choice to the broker. */
export const positiveOrBrokerDefault = (value: SettingValue) =>
  typeof value === 'number' && value !== -1 && value < 1
    ? 'Value must be a positive number, or -1 to use the broker’s default'
    : null;

export const cores = (): number => availableParallelism();
