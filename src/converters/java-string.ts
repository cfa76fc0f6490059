/** Connect values as Java's `toString` prints them. Source: connect-runtime §6.3. */
import { type Schema, isDecimal, readMember, decimalText, javaDouble, javaFloat } from '@millrace/sdk';

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * `Struct{a=1,in=Struct{x=1}}` without null fields, `{a=1}`, `[1, null]`. Bytes, which Java prints as an object
 * identity, come as base64.
 */
export function javaString(schema: Schema | null, value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      return numberText(schema, value);
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'object':
      return value === null ? 'null' : objectText(schema, value);
    default:
      return 'null';
  }
}

function numberText(schema: Schema | null, value: number): string {
  if (schema?.type === 'FLOAT32') return javaFloat(value);
  if (schema?.type === 'FLOAT64' || !Number.isInteger(value)) return javaDouble(value);
  return Number.isSafeInteger(value) ? String(value) : BigInt(value).toString();
}

function objectText(schema: Schema | null, value: object): string {
  if (schema?.type === 'STRUCT') {
    const fields: string[] = [];
    for (const field of schema.fields ?? []) {
      const member = readMember(value as Record<string, unknown>, field.name);
      if (member !== null && member !== undefined) fields.push(`${field.name}=${javaString(field.schema, member)}`);
    }
    return `Struct{${fields.join(',')}}`;
  }
  if (Array.isArray(value)) {
    return `[${value.map((element) => javaString(schema?.valueSchema ?? null, element)).join(', ')}]`;
  }
  if (value instanceof Uint8Array) {
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  }
  if (value instanceof Date) return dateText(value);
  if (isDecimal(value)) return decimalText(value);
  const entries: [unknown, unknown][] =
    value instanceof Map ? [...(value as Map<unknown, unknown>)] : Object.entries(value);
  const pairs = entries.map(([key, member]) => {
    return `${javaString(schema?.keySchema ?? null, key)}=${javaString(schema?.valueSchema ?? null, member)}`;
  });
  return `{${pairs.join(', ')}}`;
}

/** `java.util.Date.toString()` on a UTC machine: `Tue Nov 14 22:13:20 UTC 2023`. */
function dateText(date: Date): string {
  const two = (n: number): string => String(n).padStart(2, '0');
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`;
  return `${DAYS[date.getUTCDay()]} ${MONTHS[date.getUTCMonth()]} ${two(date.getUTCDate())} ${time} UTC ${date.getUTCFullYear()}`;
}
