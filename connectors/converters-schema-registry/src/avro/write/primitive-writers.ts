/** Writers of values that are no structs, lists or maps. Shared by all schemas. */
import { kindOf } from '@millrace/sdk';
import type { ByteOutput } from '../../byte-output';
import { writeBigInteger, writeInteger } from './integers';
import { mismatch } from './mismatch';
import { writeBytes, writeString } from './texts';

/** Appends a value that is not null. Throws Mismatch. */
export type WriteValue = (value: unknown, out: ByteOutput) => void;

export function unfit(value: unknown, wanted: string): never {
  return mismatch(`its schema is ${wanted} but the value is ${kindOf(value)}`);
}

export function writeInt8(value: unknown, out: ByteOutput): void {
  if (typeof value !== 'number' || (value << 24) >> 24 !== value) unfit(value, 'INT8');
  writeInteger(out, value as number);
}

export function writeInt16(value: unknown, out: ByteOutput): void {
  if (typeof value !== 'number' || (value << 16) >> 16 !== value) unfit(value, 'INT16');
  writeInteger(out, value as number);
}

export function writeInt32(value: unknown, out: ByteOutput): void {
  if (typeof value !== 'number' || (value | 0) !== value) unfit(value, 'INT32');
  writeInteger(out, value as number);
}

export function writeInt64(value: unknown, out: ByteOutput): void {
  if (typeof value === 'number' && Number.isSafeInteger(value)) writeInteger(out, value);
  else writeBigInteger(out, int64Of(value, 'INT64'));
}

/** Of a number beyond 2^53, too: it is what the source has made of it. */
export function int64Of(value: unknown, wanted: string): bigint {
  const big = typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value;
  if (typeof big !== 'bigint' || BigInt.asIntN(64, big) !== big) unfit(value, wanted);
  return big as bigint;
}

export function writeFloat32(value: unknown, out: ByteOutput): void {
  if (typeof value !== 'number') unfit(value, 'FLOAT32');
  if (Number.isFinite(value) && !Number.isFinite(Math.fround(value as number)))
    mismatch('the value is out of the range of FLOAT32');
  putFloat(out, value as number);
}

export function putFloat(out: ByteOutput, value: number): void {
  out.reserve(4);
  out.view.setFloat32(out.length, value, true);
  out.length += 4;
}

export function writeFloat64(value: unknown, out: ByteOutput): void {
  if (typeof value !== 'number') unfit(value, 'FLOAT64');
  putDouble(out, value as number);
}

export function putDouble(out: ByteOutput, value: number): void {
  out.reserve(8);
  out.view.setFloat64(out.length, value, true);
  out.length += 8;
}

export function writeBoolean(value: unknown, out: ByteOutput): void {
  if (typeof value !== 'boolean') unfit(value, 'BOOLEAN');
  out.reserve(1);
  out.bytes[out.length++] = value === true ? 1 : 0;
}

export function writeText(value: unknown, out: ByteOutput): void {
  if (typeof value !== 'string') unfit(value, 'STRING');
  writeString(out, value as string);
}

export function writeBinary(value: unknown, out: ByteOutput): void {
  if (!(value instanceof Uint8Array)) unfit(value, 'BYTES');
  writeBytes(out, value as Uint8Array);
}

/** Without a length: for bytes that are the whole record. */
export function appendBinary(value: unknown, out: ByteOutput): void {
  if (!(value instanceof Uint8Array)) unfit(value, 'BYTES');
  out.append(value as Uint8Array);
}

export function fixedWriter(size: number): WriteValue {
  return (value, out) => {
    if (!(value instanceof Uint8Array)) unfit(value, 'BYTES');
    const { length } = value as Uint8Array;
    if (length !== size) mismatch(`its type has ${size} bytes but the value has ${length}`);
    out.append(value as Uint8Array);
  };
}

export function enumWriter(symbols: readonly string[]): WriteValue {
  const indexes = new Map(symbols.map((symbol, index) => [symbol, index]));
  return (value, out) => {
    if (typeof value !== 'string') unfit(value, 'STRING');
    const index = indexes.get(value as string);
    if (index === undefined) mismatch('the value is none of the symbols of its enum');
    writeInteger(out, index as number);
  };
}
