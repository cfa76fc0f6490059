/** Key values in PostgreSQL's text form. */
import { decimalText, isDecimal, LogicalName, type Schema } from '@millrace/sdk';

/** Units per second of Debezium's types for timestamps. */
const UNITS: Readonly<Record<string, bigint>> = {
  'io.debezium.time.Timestamp': 1_000n,
  'io.debezium.time.MicroTimestamp': 1_000_000n,
  'io.debezium.time.NanoTimestamp': 1_000_000_000n,
};

/** Null for a null and for types of which the event does not have the value that PostgreSQL has, e.g. intervals. */
export function keyText(schema: Schema, value: unknown): string | null {
  if (value === null) return null;
  switch (schema.name) {
    case 'io.debezium.time.Date':
      return isoDate(BigInt(value as number) * 86_400n)?.slice(0, 10) ?? null;
    case LogicalName.DATE:
      return value instanceof Date ? value.toISOString().slice(0, 10) : null;
    case LogicalName.TIMESTAMP:
      return value instanceof Date ? value.toISOString() : null;
    case 'io.debezium.time.Timestamp':
    case 'io.debezium.time.MicroTimestamp':
    case 'io.debezium.time.NanoTimestamp':
      return timestampText(BigInt(value as number | bigint), UNITS[schema.name] as bigint);
  }
  if (isDecimal(value)) return decimalText(value);
  if (Buffer.isBuffer(value)) return schema.name === null ? `\\x${value.toString('hex')}` : null;
  if (typeof value === 'string') return value;
  // Other named types, e.g. times of day, hold a number that PostgreSQL would read as something else.
  if (schema.name !== null) return null;
  return typeof value === 'object' ? null : String(value as number | bigint | boolean);
}

function timestampText(value: bigint, unit: bigint): string | null {
  const rest = ((value % unit) + unit) % unit;
  const date = isoDate((value - rest) / unit);
  const digits = String(unit).length - 1;
  return date === null ? null : `${date}.${String(rest).padStart(digits, '0')}`;
}

/** Null beyond the years 1 to 9999. */
function isoDate(seconds: bigint): string | null {
  const ms = Number(seconds) * 1000;
  return ms >= FIRST && ms <= LAST ? new Date(ms).toISOString().slice(0, 19) : null;
}

const FIRST = Date.parse('0001-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59Z');
