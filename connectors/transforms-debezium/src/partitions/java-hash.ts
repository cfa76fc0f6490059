/** `hashCode` of Java's values, by schema type. Source: cdc-postgres §7.13. */
import { isDecimal, readMember, type Decimal, type Schema } from '@millrace/sdk';

/** A 32-bit integer. Structs, whose hash in Java differs from one JVM to the next, have the hash of their values. */
export function javaHash(schema: Schema | null, value: unknown): number {
  switch (typeof value) {
    case 'string':
      return textHash(value);
    case 'boolean':
      return value ? 1231 : 1237;
    case 'bigint':
      return longHash(value);
    case 'number':
      return numberHash(schema, value);
    case 'object':
      return value === null ? 0 : objectHash(schema, value);
    default:
      return 0;
  }
}

function numberHash(schema: Schema | null, value: number): number {
  const bits = new DataView(new ArrayBuffer(8));
  switch (schema?.type) {
    case 'INT64':
      return longHash(BigInt(value));
    case 'FLOAT32':
      bits.setFloat32(0, value);
      return bits.getInt32(0);
    case 'FLOAT64':
      bits.setFloat64(0, value);
      return bits.getInt32(0) ^ bits.getInt32(4);
    default:
      return value | 0;
  }
}

function objectHash(schema: Schema | null, value: object): number {
  const inner = schema?.valueSchema ?? null;
  if (Array.isArray(value)) return hashOf(value as unknown[], (element) => javaHash(inner, element), 1);
  // Of a ByteBuffer, which Debezium's bytes are.
  if (value instanceof Uint8Array) return hashOf([...value].reverse(), (byte) => (byte << 24) >> 24, 1);
  if (value instanceof Date) return longHash(BigInt(value.getTime()));
  if (isDecimal(value)) return decimalHash(value);
  if (value instanceof Map) {
    const keys = schema?.keySchema ?? null;
    return [...(value as Map<unknown, unknown>)].reduce<number>((sum, [key, member]) => {
      return (sum + (javaHash(keys, key) ^ javaHash(inner, member))) | 0;
    }, 0);
  }
  const struct = value as Readonly<Record<string, unknown>>;
  return hashOf(schema?.fields ?? [], (field) => javaHash(field.schema, readMember(struct, field.name) ?? null), 1);
}

/** A sum of the elements' hashes, each multiplied by a power of 31. */
function hashOf<T>(elements: Iterable<T>, hash: (element: T) => number, start: number): number {
  let sum = start;
  for (const element of elements) sum = (Math.imul(31, sum) + hash(element)) | 0;
  return sum;
}

/** Of UTF-16 units. */
function textHash(text: string): number {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum = (Math.imul(31, sum) + text.charCodeAt(i)) | 0;
  return sum;
}

function longHash(value: bigint): number {
  return Number(BigInt.asIntN(32, value ^ (BigInt.asUintN(64, value) >> 32n)));
}

/** 31 times the hash of the unscaled integer, which is that of its magnitude's words with its sign, and the scale. */
function decimalHash({ unscaled, scale }: Decimal): number {
  let magnitude = unscaled < 0n ? -unscaled : unscaled;
  const words: number[] = [];
  for (; magnitude > 0n; magnitude >>= 32n) words.unshift(Number(BigInt.asIntN(32, magnitude)));
  const hash = hashOf(words, (word) => word, 0);
  return (Math.imul(31, unscaled < 0n ? -hash : hash) + scale) | 0;
}
