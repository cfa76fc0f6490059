/** Writes JSON byte for byte as Java's internal converter does. Source: connect-runtime §1.3. */
import { javaDouble } from '@millrace/sdk';
import { Float64, type JsonValue } from './json-values';

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
};
// Surrogates are escaped one by one, where JSON.stringify would leave a pair as it is.
// eslint-disable-next-line no-control-regex
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/g;

function escapeUnit(unit: string): string {
  return SHORT_ESCAPES[unit] ?? `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

export function jsonString(text: string): string {
  return `"${text.replace(ESCAPED, escapeUnit)}"`;
}

/** Not-a-number and infinities become JSON strings. */
export function jsonFloat(value: number): string {
  return Number.isFinite(value) ? javaDouble(value) : `"${String(value)}"`;
}

/** Integral numbers within ±2^53 are int64; everything else that is a number is a float64. */
function jsonNumber(value: number): string {
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? String(value) : jsonFloat(value);
}

/** Members in the order given, so that integer-like names keep their place. */
export function jsonMembers(members: Iterable<readonly [string, JsonValue]>): string {
  const parts: string[] = [];
  for (const [member, value] of members) parts.push(`${jsonString(member)}:${writeJson(value)}`);
  return `{${parts.join(',')}}`;
}

export function writeJson(value: JsonValue): string {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'string':
      return jsonString(value);
    case 'number':
      return jsonNumber(value);
    case 'bigint':
    case 'boolean':
      return String(value);
  }
  if (value instanceof Float64) return jsonFloat(value.value);
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('base64')}"`;
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => writeJson(item)).join(',')}]`;
  return jsonMembers(Object.entries(value as { readonly [member: string]: JsonValue }));
}

export function writeJsonBytes(value: JsonValue): Buffer {
  return Buffer.from(writeJson(value), 'utf8');
}
