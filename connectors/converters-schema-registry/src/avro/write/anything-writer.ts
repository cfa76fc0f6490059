/** Values without a schema, as the record that AvroConverter has for them. */
import { isDecimal, isOpaque, kindOf } from '@millrace/sdk';
import type { ByteOutput } from '../../byte-output';
import { writeBigInteger, writeInteger } from './integers';
import { mismatch } from './mismatch';
import { putDouble } from './primitive-writers';
import { writeBytes, writeString } from './texts';

/** The members of the record, of which at most one is not null. */
const enum Member {
  Boolean,
  Bytes,
  Double,
  Long = 5,
  String,
  Array,
  Map,
}
const MEMBERS = 9;
const MAX_DEPTH = 500;

/** Null is a record without any member. Throws Mismatch. */
export function writeAnything(value: unknown, out: ByteOutput): void {
  write(value, out, 0);
}

function write(value: unknown, out: ByteOutput, depth: number): void {
  switch (typeof value) {
    case 'undefined':
      return nulls(out, MEMBERS);
    case 'boolean':
      begin(out, Member.Boolean);
      out.reserve(1);
      out.bytes[out.length++] = value ? 1 : 0;
      return end(out, Member.Boolean);
    case 'number':
      return writeNumber(value, out);
    case 'bigint':
      if (BigInt.asIntN(64, value) !== value) mismatch('the integer has more than 64 bits');
      begin(out, Member.Long);
      writeBigInteger(out, value);
      return end(out, Member.Long);
    case 'string':
      begin(out, Member.String);
      writeString(out, value);
      return end(out, Member.String);
    case 'object':
      if (depth > MAX_DEPTH) mismatch(`the value is nested deeper than ${MAX_DEPTH} levels`);
      return value === null ? nulls(out, MEMBERS) : writeObject(value, out, depth + 1);
    default:
      return mismatch(`${typeof value} is not a Connect value`);
  }
}

/** Integers are longs whatever their size, so that the same field is not of two types. */
function writeNumber(value: number, out: ByteOutput): void {
  const member = Number.isSafeInteger(value) && !Object.is(value, -0) ? Member.Long : Member.Double;
  begin(out, member);
  if (member === Member.Long) writeInteger(out, value);
  else putDouble(out, value);
  end(out, member);
}

function writeObject(value: object, out: ByteOutput, depth: number): void {
  if (Array.isArray(value)) {
    begin(out, Member.Array);
    if (value.length > 0) writeInteger(out, value.length);
    for (const element of value) write(element, out, depth);
    nulls(out, 1);
    return end(out, Member.Array);
  }
  if (value instanceof Uint8Array) {
    begin(out, Member.Bytes);
    writeBytes(out, value);
    return end(out, Member.Bytes);
  }
  if (value instanceof Date || isDecimal(value) || isOpaque(value))
    mismatch(`without a schema, ${kindOf(value)} cannot be written`);
  const entries: readonly (readonly [unknown, unknown])[] =
    value instanceof Map ? [...(value as Map<unknown, unknown>)] : Object.entries(value);
  begin(out, Member.Map);
  if (entries.length > 0) writeInteger(out, entries.length);
  for (const [key, member] of entries) {
    write(key, out, depth);
    write(member, out, depth);
  }
  nulls(out, 1);
  end(out, Member.Map);
}

function begin(out: ByteOutput, member: Member): void {
  nulls(out, member);
  out.reserve(1);
  out.bytes[out.length++] = 2;
}

function end(out: ByteOutput, member: Member): void {
  nulls(out, MEMBERS - 1 - member);
}

/** Zero is the index of null, and the end of a list. */
function nulls(out: ByteOutput, count: number): void {
  out.reserve(count);
  for (let i = 0; i < count; i++) out.bytes[out.length++] = 0;
}
