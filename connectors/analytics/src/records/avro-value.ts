/** Converts Connect values to those that avsc writes. 64-bit integers stay exact. */
import { DAY_MS, LogicalName, plainDecimal, readMember, type Decimal, type Schema } from '@millrace/sdk';
import { avroFieldName } from './avro-schema';

export function avroValue(schema: Schema, value: unknown): unknown {
  if (value === null || value === undefined) return schema.default == null ? null : avroValue(schema, schema.default);
  switch (schema.type) {
    case 'STRUCT': {
      const members = value as Record<string, unknown>;
      return Object.fromEntries(
        (schema.fields ?? []).map((field) => [
          avroFieldName(field.name),
          avroValue(field.schema, readMember(members, field.name)),
        ]),
      );
    }
    case 'ARRAY':
      return (value as unknown[]).map((item) => avroValue(schema.valueSchema as Schema, item));
    case 'MAP':
      return Object.fromEntries(
        [...(value as Map<unknown, unknown>)].map(([key, item]) => [
          String(key),
          avroValue(schema.valueSchema as Schema, item),
        ]),
      );
    case 'INT64':
      return value instanceof Date ? BigInt(value.getTime()) : BigInt(value as number | bigint);
    case 'BYTES':
      if (schema.name === LogicalName.DECIMAL) return plainDecimal(value as Decimal);
      return Buffer.from(value as Uint8Array);
    default:
      if (!(value instanceof Date)) return value;
      return schema.name === LogicalName.DATE ? Math.floor(value.getTime() / DAY_MS) : value.getTime();
  }
}
