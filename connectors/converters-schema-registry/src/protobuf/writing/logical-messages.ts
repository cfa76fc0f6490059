/** Writes timestamps, dates, times and decimals as messages. Sources: the comments of google/type, Connect's types. */
import { DAY_MS, isDecimal, kindOf, LogicalName, temporalProblem, type Schema, unscaledBytes } from '@millrace/sdk';
import type { ByteOutput } from '../../byte-output';
import { dataFault, mismatch } from '../faults';
import { PRECISION } from '../schema/connect-names';
import { putBytes, putInt32, putInt64 } from '../wire/wire-output';

/** Tags of fields with numbers from 1 to 4: varints, and bytes. */
const VARINTS: readonly number[] = [0, 0x08, 0x10, 0x18, 0x20];
const BYTES_1 = 0x0a;

/** Timestamp: `seconds`, `nanos`. */
export function writeTimestamp(output: ByteOutput, value: unknown): void {
  const ms = epoch(value, LogicalName.TIMESTAMP);
  if (typeof ms === 'number') {
    const seconds = Math.floor(ms / 1000);
    member64(output, seconds);
    member(output, 2, (ms - seconds * 1000) * 1_000_000);
    return;
  }
  const rest = ((ms % 1000n) + 1000n) % 1000n;
  member64(output, (ms - rest) / 1000n);
  member(output, 2, Number(rest) * 1_000_000);
}

/** Date: `year`, `month`, `day`. */
export function writeDate(output: ByteOutput, value: unknown): void {
  const days = epoch(value, LogicalName.DATE);
  const date = value instanceof Date ? value : new Date(Number(days) * DAY_MS);
  const year = date.getUTCFullYear();
  if (!(year >= 1 && year <= 9999)) throw dataFault('a Date of Protobuf is from year 1 to 9999');
  member(output, 1, year);
  member(output, 2, date.getUTCMonth() + 1);
  member(output, 3, date.getUTCDate());
}

/** TimeOfDay: `hours`, `minutes`, `seconds`, `nanos`. */
export function writeTime(output: ByteOutput, value: unknown): void {
  const ms = epoch(value, LogicalName.TIME);
  if (typeof ms !== 'number' || ms < 0 || ms > DAY_MS) throw dataFault('a time of day is not within one day');
  member(output, 1, Math.floor(ms / 3_600_000));
  member(output, 2, Math.floor(ms / 60_000) % 60);
  member(output, 3, Math.floor(ms / 1000) % 60);
  member(output, 4, (ms % 1000) * 1_000_000);
}

/** Decimal: `value`, `precision`, `scale`. */
export function writeDecimal(output: ByteOutput, value: unknown, scale: number, schema: Schema): void {
  if (!isDecimal(value)) throw mismatch(`a Decimal needs { unscaled: bigint, scale: number } but got ${kindOf(value)}`);
  if (value.scale !== scale) throw mismatch(`its schema has the scale ${scale}, and the value ${value.scale}`);
  output.reserve(1);
  output.bytes[output.length++] = BYTES_1;
  putBytes(output, unscaledBytes(value.unscaled));
  const precision = Number(schema.parameters?.[PRECISION] ?? 0);
  if (Number.isInteger(precision) && precision > 0 && precision < 2 ** 31) member(output, 2, precision);
  member(output, 3, scale);
}

/** The number that the logical type holds. */
function epoch(value: unknown, name: string): number | bigint {
  if (value instanceof Date) {
    const problem = temporalProblem(name, value);
    if (problem !== null) throw mismatch(problem);
    return value.getTime();
  }
  if (typeof value === 'number' && Number.isInteger(value)) {
    if (Number.isSafeInteger(value)) return value;
    return epoch(BigInt(value), name);
  }
  if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) return value;
  throw mismatch(`${name} needs a Date but got ${kindOf(value)}`);
}

function member(output: ByteOutput, number: number, value: number): void {
  if (value === 0) return;
  output.reserve(1);
  output.bytes[output.length++] = VARINTS[number] as number;
  putInt32(output, value);
}

function member64(output: ByteOutput, value: number | bigint): void {
  if (value === 0 || value === 0n) return;
  output.reserve(1);
  output.bytes[output.length++] = VARINTS[1] as number;
  putInt64(output, value);
}
