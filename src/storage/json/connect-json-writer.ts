/** Writes JSON byte for byte as Java's internal converter does. Source: connect-runtime §1.3. */
import { javaDouble } from '@millrace/sdk';
import { quote } from '../../json/quote';
import { Float64, type JsonValue } from './json-values';

/** Not-a-number and infinities become JSON strings. */
export function jsonFloat(value: number): string {
  return Number.isFinite(value) ? javaDouble(value) : `"${String(value)}"`;
}

/** Integral numbers within ±2^53 are int64; everything else that is a number is a float64. */
function jsonNumber(value: number): string {
  return Number.isSafeInteger(value) && !Object.is(value, -0) ? String(value) : jsonFloat(value);
}

/** Keeps the given member order, also for integer-like names. */
export function jsonMembers(members: Iterable<readonly [string, JsonValue]>): string {
  const parts: string[] = [];
  for (const [member, value] of members) parts.push(`${quote(member)}:${writeJson(value)}`);
  return `{${parts.join(',')}}`;
}

export function writeJson(value: JsonValue): string {
  if (value === null) return 'null';
  switch (typeof value) {
    case 'string':
      return quote(value);
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
