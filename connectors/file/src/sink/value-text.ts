/**
 * A value as Java's sink prints it (`String.valueOf`): `null`, `Struct{id=1,name=x}` without absent fields, `[1, 2]`, `{a=1, b=2}`, `1.0E10`. Different on
 * purpose: bytes are text where they are UTF-8 and base64 otherwise (Java prints an object address), and dates in ISO form (Java's depend on the machine's time zone).
 */
import { isUtf8 } from 'node:buffer';
import type { ConnectValue, Schema } from '@millrace/sdk';

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
      return schema?.type === 'FLOAT32' || schema?.type === 'FLOAT64' || !Number.isInteger(value)
        ? floatText(value)
        : String(value);
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
  const members = value as Record<string, unknown>;
  if (schema?.fields) {
    const present = schema.fields.filter((field) => members[field.name] != null);
    return `Struct{${present.map((field) => `${field.name}=${text(field.schema, members[field.name])}`).join(',')}}`;
  }
  if (typeof members.unscaled === 'bigint' && typeof members.scale === 'number') {
    return decimalText(members.unscaled, members.scale);
  }
  return `{${Object.entries(members)
    .map(([key, item]) => `${key}=${text(null, item)}`)
    .join(', ')}}`;
}

/** Java's Double.toString: always a fraction, exponents below 10^-3 and from 10^7. */
function floatText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e7) {
    const plain = String(value);
    return plain.includes('.') ? plain : `${plain}.0`;
  }
  const [digits, exponent] = value.toExponential().split('e') as [string, string];
  return `${digits.includes('.') ? digits : `${digits}.0`}E${Number(exponent)}`;
}

/** Java's BigDecimal.toString. */
function decimalText(unscaled: bigint, scale: number): string {
  const sign = unscaled < 0n ? '-' : '';
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString();
  if (scale === 0) return sign + digits;
  const exponent = digits.length - 1 - scale;
  if (scale > 0 && exponent >= -6) {
    const padded = digits.padStart(scale + 1, '0');
    return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
  }
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
  return `${sign}${digits[0]}${fraction}${exponent === 0 ? '' : `E${exponent > 0 ? '+' : ''}${exponent}`}`;
}
