/**
 * Writers of structs: one generated function whose steps know their member's name, so that a struct costs a sequence of
 * calls and no look-up by name. Names reach the code only as JSON string literals.
 */
import { isInherited, isOpaque, kindOf, readMember } from '@millrace/sdk';
import type { ByteOutput } from '../../byte-output';
import type { FieldEncoding } from './encoding';
import { mismatch } from './mismatch';
import type { WriteValue } from './primitive-writers';

/** Fields of one function: larger ones are not optimized. */
const MOST_FIELDS = 64;
const PLAIN = Object.prototype;

/** Throws Mismatch for what cannot be a struct. */
export function checkStruct(value: unknown): void {
  if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === PLAIN) return;
  if (
    typeof value !== 'object' ||
    value === null ||
    Array.isArray(value) ||
    value instanceof Map ||
    value instanceof Date ||
    value instanceof Uint8Array ||
    isOpaque(value)
  )
    mismatch(`its schema is STRUCT but the value is ${kindOf(value)}`);
}

const NULL_REASON = 'null value for field that is required and has no default value';

export function structWriter(fields: readonly FieldEncoding[]): WriteValue {
  const parts: WriteValue[] = [];
  for (let from = 0; from < fields.length; from += MOST_FIELDS)
    parts.push(generate(fields.slice(from, from + MOST_FIELDS), from === 0));
  if (parts.length === 0) return checkStruct;
  const [first] = parts as [WriteValue];
  if (parts.length === 1) return first;
  return (value, out) => {
    for (const write of parts) write(value, out);
  };
}

function generate(fields: readonly FieldEncoding[], isFirst: boolean): WriteValue {
  const constants: Record<string, unknown> = { check: checkStruct, read: readMember, noNull };
  const steps = fields.map((field, i) => {
    const quoted = JSON.stringify(field.name);
    const put = (bytes: Uint8Array, name: string): string => {
      if (bytes.length === 0) return '';
      if (bytes.length === 1) return `o.reserve(1); o.bytes[o.length++] = ${bytes[0]};`;
      constants[name] = bytes;
      return `o.append(${name});`;
    };
    const { encoding } = field;
    if (encoding === null) return put(field.bytes, `c${i}`);
    constants[`w${i}`] = encoding.write;
    const property = isInherited(field.name) ? `read(v, ${quoted})` : `v[${quoted}]`;
    const orNull = encoding.nullBytes === null ? `noNull(${quoted});` : put(encoding.nullBytes, `n${i}`);
    return `x = ${property}; if (x === null || x === undefined) { ${orNull} } else { ${put(encoding.prefix, `p${i}`)} w${i}(x, o); }`;
  });
  const source = `"use strict"; return function (v, o) { ${isFirst ? 'check(v);' : ''} let x;\n${steps.join('\n')}\n}`;
  return (new Function(...Object.keys(constants), source) as (...args: unknown[]) => WriteValue)(
    ...Object.values(constants),
  );
}

/** The path is completed by a traced writer. */
function noNull(name: string): never {
  try {
    return mismatch(NULL_REASON);
  } catch (error) {
    (error as { path: string[] }).path.push(name);
    throw error;
  }
}

/** Writes the prefix and the value, or what stands for null. Throws Mismatch. */
export function writeEncoded(
  value: unknown,
  out: ByteOutput,
  encoding: { prefix: Uint8Array; nullBytes: Uint8Array | null; write: WriteValue },
): void {
  const { prefix, nullBytes } = encoding;
  if (value === null || value === undefined) {
    if (nullBytes === null) mismatch(NULL_REASON);
    putBytes(out, nullBytes as Uint8Array);
    return;
  }
  putBytes(out, prefix);
  encoding.write(value, out);
}

/** Mostly one byte, for which a copy costs too much. */
export function putBytes(out: ByteOutput, bytes: Uint8Array): void {
  if (bytes.length === 1) {
    out.reserve(1);
    out.bytes[out.length++] = bytes[0] as number;
  } else if (bytes.length > 0) out.append(bytes);
}
