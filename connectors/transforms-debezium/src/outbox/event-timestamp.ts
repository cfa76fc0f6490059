/** The timestamp of an event's record. Source: cdc-postgres §7.12. */
import { safeInteger, type Schema } from '@millrace/sdk';
import { connectError, schemaOf, typedField, type StructValue } from '../structs';

/** Divisors of the types of columns. */
const PER_MILLISECOND: Readonly<Record<string, bigint>> = {
  'io.debezium.time.Timestamp': 1n,
  'io.debezium.time.MicroTimestamp': 1_000n,
  'io.debezium.time.NanoTimestamp': 1_000_000n,
};

/** Milliseconds, rounded towards the epoch as in Java. Null columns have the event's own. Throws ConnectError. */
export function eventTimestamp(
  column: string | null,
  event: StructValue,
  rowSchema: Schema,
  row: StructValue,
): number | null {
  const ofEvent = (event.ts_ms ?? null) as number | null;
  if (column === null) return ofEvent;
  const schema = schemaOf(rowSchema, column);
  if (!schema) throw connectError(`Unable to find timestamp field ${column} in event`);
  const value = typedField(rowSchema, row, column, 'INT64') as number | bigint | null;
  if (value === null) return ofEvent;
  if (schema.name === null) {
    throw connectError(`Unsupported field type ${schema.type} (without logical schema name) for event timestamp`);
  }
  const divisor = Object.hasOwn(PER_MILLISECOND, schema.name) ? PER_MILLISECOND[schema.name] : undefined;
  if (divisor === undefined) throw connectError(`Unsupported field type ${schema.name} for event timestamp`);
  return Number(safeInteger(BigInt(value) / divisor));
}
