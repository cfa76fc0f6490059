/** Checks of the framework's keys. Each returns complete messages. Source: connect-rest §3.5. */
import { compileJavaRegex, type ParsedValue } from '@millrace/sdk';
import { invalidValue, messageValue } from './config-parse';
import { VersionRange } from './version-range';
import type { FrameworkKey } from './framework-key';

type Check = (value: ParsedValue, key: string) => readonly string[];

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

export function oneOf(...allowed: readonly string[]): Check {
  return (value, key) =>
    typeof value === 'string' && allowed.includes(value)
      ? []
      : [invalidValue(key, messageValue('STRING', value), `String must be one of: ${allowed.join(', ')}`)];
}

/** `allowed` in upper case, in the order Java prints them. */
export function oneOfIgnoringCase(...allowed: readonly string[]): Check {
  const reason = `String must be one of (case insensitive): ${allowed.join(', ')}`;
  return (value, key) =>
    typeof value === 'string' && allowed.includes(value.toUpperCase())
      ? []
      : [invalidValue(key, messageValue('STRING', value), reason)];
}

/** Members of a key that accepts only these texts. */
export function limitedTo(...allowed: readonly string[]): Pick<FrameworkKey, 'check' | 'accepts'> {
  return { check: oneOf(...allowed), accepts: { values: allowed } };
}

/** Members of a key that accepts only these texts, in any case. `allowed` as in `oneOfIgnoringCase`. */
export function limitedToAnyCase(...allowed: readonly string[]): Pick<FrameworkKey, 'check' | 'accepts'> {
  const values = allowed.map((value) => value.toLowerCase());
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
