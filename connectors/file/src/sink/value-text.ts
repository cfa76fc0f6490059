/**
 * A value as Java's sink prints it (`String.valueOf`): `null`, `Struct{id=1,name=x}` without absent fields, `[1, 2]`,
 * `{a=1, b=2}`, `1.0E10`. Different on purpose: bytes are text where they are UTF-8 and base64 otherwise (Java prints
 * an object address), and dates in ISO form (Java's depend on the machine's time zone).
 */
import { isUtf8 } from 'node:buffer';
import {
  decimalText,
  isDecimal,
  javaDouble,
  javaFloat,
  readMember,
  type ConnectValue,
  type Schema,
} from '@millrace/sdk';

type StructValue = Readonly<Record<string, unknown>>;

/** UTF-8 that is a value of its own stays bytes, which spares decoding it. */
export function valueText(schema: Schema | null, value: ConnectValue): string | Uint8Array {
  return value instanceof Uint8Array && isUtf8(value) ? value : text(schema, value);
}

function text(schema: Schema | null, value: ConnectValue): string {
  if (value === null || value === undefined) return 'null';
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
      if (schema?.type === 'FLOAT32') return javaFloat(value);
      return schema?.type === 'FLOAT64' || !Number.isInteger(value) ? javaDouble(value) : String(value);
    case 'object':
      return objectText(schema, value);
    default:
      return String(value);
  }
}

function objectText(schema: Schema | null, value: object): string {
  if (value instanceof Uint8Array)
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString(isUtf8(value) ? 'utf8' : 'base64');
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return `[${value.map((item) => text(schema?.valueSchema ?? null, item)).join(', ')}]`;
  if (value instanceof Map) {
    const entries = [...value].map(
      ([key, item]) => `${text(schema?.keySchema ?? null, key)}=${text(schema?.valueSchema ?? null, item)}`,
    );
    return `{${entries.join(', ')}}`;
  }
  if (schema?.fields) {
    const members = schema.fields.map((field) => [field, readMember(value as StructValue, field.name)] as const);
    const present = members.filter(([, member]) => member != null);
    return `Struct{${present.map(([field, member]) => `${field.name}=${text(field.schema, member as ConnectValue)}`).join(',')}}`;
  }
  if (isDecimal(value)) return decimalText(value);
  const members = Object.entries(value) as [string, ConnectValue][];
  return `{${members.map(([key, item]) => `${key}=${text(null, item)}`).join(', ')}}`;
}
