/**
 * JSON as Java's internal converter reads and writes it. Read integers are exact (int64, wrapping) and distinct from
 * floats; leading zeros and text after the first value are allowed. Source: connect-runtime §1.3.
 */
import { javaDouble, safeInteger } from '@millrace/sdk';
import { exactInteger, parseExact } from '@millrace/texts/json';
import { jsonText } from '../json/json-text';
import { quote } from '../json/quote';

/**
 * A 64-bit float with an integral value. Java distinguishes `1.0` (Double) from `1` (Long). JavaScript numbers do not,
 * so only this case needs an object. Every other float is a plain number.
 */
export class Float64 {
  constructor(readonly value: number) {}
  valueOf(): number {
    return this.value;
  }
}

export type JsonValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | Float64
  | readonly JsonValue[]
  | { readonly [member: string]: JsonValue };

export type JsonObject = { readonly [member: string]: JsonValue };

export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Uint8Array) &&
    !(value instanceof Float64)
  );
}

/** Empty bytes are null. Throws SyntaxError. */
export function readJson(bytes: Uint8Array): JsonValue {
  if (bytes.length === 0) return null;
  return parseExact(jsonText(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)), numberOf) as JsonValue;
}

/** Zero has no sign. */
function numberOf(text: string, integral: boolean): JsonValue {
  const number = Number(text) + 0;
  if (!integral) return Number.isInteger(number) ? new Float64(number) : number;
  return Number.isSafeInteger(number) ? number : safeInteger(exactInteger(text));
}

/** For plugins: integral floats become ordinary numbers. */
export function plainValue(value: JsonValue): unknown {
  if (value instanceof Float64) return value.value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => plainValue(item));
  if (!isJsonObject(value)) return value;
  const plain: Record<string, unknown> = {};
  for (const [member, item] of Object.entries(value)) plain[member] = plainValue(item);
  return plain;
}

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
