/** Writers of Connect's logical types. */
import {
  DAY_MS,
  isDecimal,
  kindOf,
  LogicalName,
  temporalProblem,
  type Decimal,
  isSmallUnscaled,
  smallUnscaledLength,
  unscaledBytes,
} from '@millrace/sdk';
import type { ByteOutput } from '../../byte-output';
import { writeInteger } from './integers';
import { mismatch } from './mismatch';
import type { WriteValue } from './primitive-writers';

/** A `Date`, or the number that the schema's type holds. */
export function temporalWriter(name: string, number: WriteValue): WriteValue {
  const unit = name === LogicalName.DATE ? DAY_MS : 1;
  return (value, out) => {
    if (value instanceof Date) {
      const problem = temporalProblem(name, value);
      if (problem !== null) mismatch(problem);
      writeInteger(out, value.getTime() / unit);
    } else if (typeof value === 'number' || typeof value === 'bigint') number(value, out);
    else mismatch(`${name} needs a Date but got ${kindOf(value)}`);
  };
}

/** As bytes after their length. */
export function decimalWriter(scale: number): WriteValue {
  return (value, out) => {
    const unscaled = unscaledWithin(value, scale);
    if (!isSmallUnscaled(unscaled)) {
      const bytes = unscaledBytes(unscaled);
      writeInteger(out, bytes.length);
      out.append(bytes);
      return;
    }
    const number = Number(unscaled);
    const length = smallUnscaledLength(number);
    out.reserve(7);
    out.bytes[out.length] = length * 2;
    out.bytes.writeIntBE(number, out.length + 1, length);
    out.length += 1 + length;
  };
}

/** As bytes without their length: for those that are the whole record. */
export function appendedDecimalWriter(scale: number): WriteValue {
  return (value, out) => out.append(unscaledBytes(unscaledWithin(value, scale)));
}

/** As a type of so many bytes, which the sign fills. */
export function fixedDecimalWriter(scale: number, size: number): WriteValue {
  return (value, out) => {
    const unscaled = unscaledWithin(value, scale);
    const bytes = unscaledBytes(unscaled);
    if (bytes.length > size) mismatch(`its type has ${size} bytes but the value needs ${bytes.length}`);
    fill(out, unscaled < 0n ? 255 : 0, size - bytes.length);
    out.append(bytes);
  };
}

function fill(out: ByteOutput, byte: number, count: number): void {
  out.reserve(count);
  out.bytes.fill(byte, out.length, out.length + count);
  out.length += count;
}

function unscaledWithin(value: unknown, scale: number): bigint {
  if (!isDecimal(value)) mismatch(`a Decimal needs { unscaled: bigint, scale: number } but got ${kindOf(value)}`);
  const decimal = value as Decimal;
  if (decimal.scale !== scale)
    mismatch(`the Decimal has the scale ${decimal.scale} but its schema has the scale ${scale}`);
  return decimal.unscaled;
}
