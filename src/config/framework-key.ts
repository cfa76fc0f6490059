/** The keys that the runtime defines for connectors: what a row states, and its checks. Source: connect-rest §3.5. */
import { compileJavaRegex, type ConfigKey, type ConnectorConfig, type ParsedValue } from '@millrace/sdk';
import { invalidValue, messageValue, parseConfigValue } from './config-parse';
import { VersionRange } from '../plugins/version-range';

/**
 * A key that the runtime defines. Its check returns complete messages, because some of Java's do not follow the common
 * pattern.
 */
export interface FrameworkKey extends ConfigKey {
  readonly check?: Check;
  /** CLASS only: resolves a name to a class, or null if there is none. Without it, any text is accepted. */
  readonly classOf?: (name: string) => string | null;
}

/** Rows by the names of their values. */
export type KeyTable = Readonly<Record<string, FrameworkKey>>;

type Check = (value: ParsedValue, key: string) => readonly string[];

interface TypeOf {
  readonly BOOLEAN: boolean;
  readonly SHORT: number;
  readonly INT: number;
  readonly LONG: number;
  readonly DOUBLE: number;
  readonly STRING: string;
  readonly CLASS: string;
  readonly PASSWORD: string;
  readonly LIST: readonly string[];
}

/** The type of a key's value, inferred from its row. */
export type KeyValue<K extends FrameworkKey> =
  | (K extends { readonly accepts: { readonly values: readonly (infer V)[] } } ? V : TypeOf[K['type']])
  | (K['default'] extends null | undefined ? null : never);

/**
 * The key's value in a connector config. A value that is not valid was never validated by Millrace and counts as not
 * set. For LONG, numbers beyond 2^53 are rounded.
 */
export function readKey<K extends FrameworkKey>(key: K, config: ConnectorConfig): KeyValue<K> {
  const { name, type, accepts, check, default: preset = null } = key;
  const text = config[name];
  let value: ParsedValue = preset;
  if (text !== undefined) {
    try {
      const parsed = parseConfigValue(type, text);
      if ((check?.(parsed, name) ?? []).length === 0) value = parsed;
    } catch {
      // As not set.
    }
  }
  if (typeof value === 'bigint') value = Number(value);
  return (accepts?.anyCase && typeof value === 'string' ? value.toLowerCase() : value) as KeyValue<K>;
}

const isList = (value: ParsedValue): value is readonly string[] => Array.isArray(value);

export function atLeast(minimum: number): Check {
  return (value, key) => {
    if (value === null) return [invalidValue(key, 'null', 'Value must be non-null')];
    return Number(value) < minimum ? [invalidValue(key, String(value), `Value must be at least ${minimum}`)] : [];
  };
}

/** Like `atLeast`, but null means "not set". */
export function atLeastIfSet(minimum: number): Check {
  const check = atLeast(minimum);
  return (value, key) => (value === null ? [] : check(value, key));
}

function oneOf(...allowed: readonly string[]): Check {
  return (value, key) =>
    typeof value === 'string' && allowed.includes(value)
      ? []
      : [invalidValue(key, messageValue('STRING', value), `String must be one of: ${allowed.join(', ')}`)];
}

/** `allowed` in upper case, in the order Java prints them. */
function oneOfIgnoringCase(...allowed: readonly string[]): Check {
  const reason = `String must be one of (case insensitive): ${allowed.join(', ')}`;
  return (value, key) =>
    typeof value === 'string' && allowed.includes(value.toUpperCase())
      ? []
      : [invalidValue(key, messageValue('STRING', value), reason)];
}

/** Members of a key that accepts only these texts. */
export function limitedTo<T extends string>(...values: readonly T[]) {
  return { check: oneOf(...values), accepts: { values } };
}

/** Members of a key that accepts only these texts, in any case. `allowed` as in `oneOfIgnoringCase`. */
export function limitedToAnyCase<T extends string>(...allowed: readonly T[]) {
  const values = allowed.map((value) => value.toLowerCase() as Lowercase<T>);
  return { check: oneOfIgnoringCase(...allowed), accepts: { values, anyCase: true } };
}

export const nonEmptyIfSet: Check = (value, key) =>
  value === '' ? [invalidValue(key, '', 'String must be non-empty')] : [];

/** Null is reported as "Missing required configuration" elsewhere. */
export const connectorName: Check = (value, key) => {
  if (typeof value !== 'string') return [];
  if (value === '') return [invalidValue(key, '', 'String may not be empty')];
  const controls = [...value]
    .map((char) => char.codePointAt(0) as number)
    .filter((c) => c < 32 || (c > 126 && c < 160));
  if (controls.length === 0) return [];
  const reason = `String may not contain control sequences but had the following ASCII chars: ${controls.join(', ')}`;
  return [invalidValue(key, value, reason)];
};

/** The message is the version parser's, without a prefix. */
export const pluginVersion: Check = (value) => {
  try {
    VersionRange.parse(typeof value === 'string' ? value : null);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
};

export const uniqueAliases: Check = (value, key) => {
  if (!isList(value)) return [invalidValue(key, 'null', 'entry must be non null')];
  if (new Set(value).size === value.length) return [];
  return [invalidValue(key, messageValue('LIST', value), 'Duplicate alias provided.')];
};

export const topicList: Check = (value, key) => {
  if (!isList(value)) return [`Configuration '${key}' values must not be null.`];
  if (new Set(value).size < value.length) return [`Configuration '${key}' values must not be duplicated.`];
  return value.includes('') ? [`Configuration '${key}' values must not be empty.`] : [];
};

export const regex: Check = (value, key) => {
  if (typeof value !== 'string') return [];
  try {
    compileJavaRegex(value);
    return [];
  } catch (error) {
    return [invalidValue(key, value, `Invalid regex: ${(error as Error).message}`)];
  }
};
