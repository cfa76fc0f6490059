/**
 * Text ↔ value by ConfigType, with Java's rules and messages. Source: connect-rest §3.3, §3.5; connect-runtime §10.6.
 */
import { javaDouble, javaTrim, type ConfigType, type ParsedValue } from '@millrace/sdk';
import { HIDDEN } from '@millrace/texts/redaction';

/** Contains only the reason. The caller adds the key (`invalidValue`). */
export class ConfigParseError extends Error {
  constructor(readonly reason: string) {
    super(reason);
    this.name = 'ConfigParseError';
  }
}

const INTEGER = /^[+-]?[0-9]+$/;
const RANGE: Readonly<Record<'SHORT' | 'INT' | 'LONG', readonly [bigint, bigint]>> = {
  SHORT: [-32768n, 32767n],
  INT: [-2147483648n, 2147483647n],
  LONG: [-9223372036854775808n, 9223372036854775807n],
};

function parseInteger(type: 'SHORT' | 'INT' | 'LONG', text: string): number | bigint {
  if (INTEGER.test(text)) {
    const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
    const [min, max] = RANGE[type];
    if (value >= min && value <= max) {
      const small = Number(value);
      return Number.isSafeInteger(small) ? small : value;
    }
  }
  throw new ConfigParseError(`Not a number of type ${type}`);
}

const DECIMAL = /^[+-]?(?:NaN|Infinity|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[dDfF]?)$/;

function parseDouble(text: string): number {
  if (!DECIMAL.test(text)) throw new ConfigParseError('Not a number of type DOUBLE');
  // Java lets a literal end in its type's letter ("1.5d"); JavaScript does not.
  return Number(/(?:NaN|Infinity)$/.test(text) ? text : text.replace(/[dDfF]$/, ''));
}

const BLANKS = ' \t\n\v\f\r';

/** Removes blanks next to a comma. */
function trimAtCommas(part: string, commaBefore: boolean, commaAfter: boolean): string {
  let start = 0;
  let end = part.length;
  while (commaBefore && start < end && BLANKS.includes(part.charAt(start))) start++;
  while (commaAfter && end > start && BLANKS.includes(part.charAt(end - 1))) end--;
  return part.slice(start, end);
}

export function parseList(text: string): readonly string[] {
  const trimmed = javaTrim(text);
  // A pattern with blanks around the comma would need quadratic time for a run of blanks.
  return trimmed === ''
    ? []
    : trimmed.split(',').map((part, at, all) => trimAtCommas(part, at > 0, at < all.length - 1));
}

/** Throws ConfigParseError. A CLASS is returned as text: the caller checks whether it exists. */
export function parseConfigValue(type: ConfigType, text: string): ParsedValue {
  const trimmed = javaTrim(text);
  switch (type) {
    case 'BOOLEAN': {
      const lower = trimmed.toLowerCase();
      if (lower === 'true') return true;
      if (lower === 'false') return false;
      throw new ConfigParseError('Expected value to be either true or false');
    }
    case 'SHORT':
    case 'INT':
    case 'LONG':
      return parseInteger(type, trimmed);
    case 'DOUBLE':
      return parseDouble(trimmed);
    case 'LIST':
      return parseList(trimmed);
    case 'STRING':
    case 'CLASS':
    case 'PASSWORD':
      return trimmed;
  }
}

/** Formats a parsed value or a default for `value` and `default_value`. */
export function renderConfigValue(type: ConfigType, value: ParsedValue | undefined): string | null {
  if (value == null) return null;
  if (type === 'PASSWORD') return HIDDEN;
  if (Array.isArray(value)) return value.join(',');
  if (type === 'DOUBLE' && typeof value === 'number') return javaDouble(value);
  return String(value);
}

/** Formats a value for an error message: lists as `[a, b]`, passwords hidden. */
export function messageValue(type: ConfigType, value: ParsedValue): string {
  if (type === 'PASSWORD' && value !== null) return HIDDEN;
  if (Array.isArray(value)) return `[${value.join(', ')}]`;
  return renderConfigValue(type, value) ?? 'null';
}

export function invalidValue(key: string, shown: string, reason: string): string {
  return `Invalid value ${shown} for configuration ${key}: ${reason}`;
}
