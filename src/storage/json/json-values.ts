/** JSON values as Java workers read and write them (connect-runtime §1.3). */

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

/** For plugins: integral floats become ordinary numbers. */
export function plainValue(value: JsonValue): unknown {
  if (value instanceof Float64) return value.value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => plainValue(item));
  if (!isJsonObject(value)) return value;
  const plain: Record<string, unknown> = {};
  for (const [member, item] of Object.entries(value)) plain[member] = plainValue(item);
  return plain;
}
