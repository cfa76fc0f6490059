/** JSON text of data without a schema. Source: connect-runtime §6.2 ("schemaless map") and §1.3. */
import { isDecimal, isOpaque, MAX_NESTING, decimalText, javaDouble } from '@millrace/sdk';
import { quote } from '../../json/quote';

/** Numbers without a fraction are written as integers: JavaScript has no other way to tell them apart. */
export function schemalessText(value: unknown, fail: () => never, depth = 0): string {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      if (Number.isInteger(value) && !Object.is(value, -0)) return BigInt(value).toString();
      return Number.isFinite(value) ? javaDouble(value) : `"${value}"`;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'bigint':
      return value.toString();
    case 'undefined':
      return 'null';
    case 'object':
      return value === null ? 'null' : objectText(value, fail, depth);
    default:
      return fail();
  }
}

function objectText(value: object, fail: () => never, depth: number): string {
  if (depth > MAX_NESTING) fail();
  if (Array.isArray(value)) return `[${value.map((element) => schemalessText(element, fail, depth + 1)).join(',')}]`;
  if (value instanceof Uint8Array) {
    return `"${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')}"`;
  }
  if (value instanceof Date) return String(value.getTime());
  if (isDecimal(value)) return decimalText(value);
  if (value instanceof Map) return mapText(value, fail, depth);
  if (isOpaque(value)) return fail();
  const members = Object.entries(value).map(
    ([key, member]) => `${quote(key)}:${schemalessText(member, fail, depth + 1)}`,
  );
  return `{${members.join(',')}}`;
}

function mapText(map: Map<unknown, unknown>, fail: () => never, depth: number): string {
  const entries = [...map];
  if (entries.every(([key]) => typeof key === 'string')) {
    return `{${entries.map(([key, value]) => `${quote(key as string)}:${schemalessText(value, fail, depth + 1)}`).join(',')}}`;
  }
  return `[${entries.map(([key, value]) => `[${schemalessText(key, fail, depth + 1)},${schemalessText(value, fail, depth + 1)}]`).join(',')}]`;
}
