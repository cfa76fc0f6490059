/** Connect schemas and values as Avro's. Source: analytics-sink §3.1 (`avro` of structures), Connect's data model. */
import { DAY_MS, LogicalName, isRecursive, plainDecimal, readMember, type Decimal, type Schema } from '@millrace/sdk';
import type { schema as avro } from 'avsc';

const PRIMITIVES: Readonly<Record<string, string>> = {
  INT8: 'int',
  INT16: 'int',
  INT32: 'int',
  INT64: 'long',
  FLOAT32: 'float',
  FLOAT64: 'double',
  BOOLEAN: 'boolean',
  STRING: 'string',
  BYTES: 'bytes',
};
const LOGICAL: Readonly<Record<string, string>> = {
  [LogicalName.DATE]: 'date',
  [LogicalName.TIME]: 'time-millis',
  [LogicalName.TIMESTAMP]: 'timestamp-millis',
};

/** Each use of a struct is a record of its own. */
const MOST_STRUCTS = 10_000;

/** Characters that Avro names do not allow become `_`. Throws RangeError for a schema that is too large. */
export function avroSchema(schema: Schema): avro.AvroSchema {
  if (isRecursive(schema)) throw new RangeError('the schema contains itself, or is nested too deep');
  const names = new Set<string>();
  return convert(schema, 'ConnectDefault', names) as avro.AvroSchema;
}

function convert(schema: Schema, path: string, names: Set<string>): unknown {
  const plain = convertPlain(schema, path, names);
  return schema.optional ? ['null', plain] : plain;
}

function convertPlain(schema: Schema, path: string, names: Set<string>): unknown {
  switch (schema.type) {
    case 'STRUCT': {
      if (names.size >= MOST_STRUCTS) throw new RangeError(`the schema has more than ${MOST_STRUCTS} structs`);
      const name = unique((schema.name ?? path).split('.').map(avroFieldName).join('.'), names);
      const fields = (schema.fields ?? []).map((field) => ({
        name: avroFieldName(field.name),
        type: convert(field.schema, `${path}_${field.name}`, names),
        ...(field.schema.optional && { default: null }),
      }));
      return { type: 'record', name, fields };
    }
    case 'ARRAY':
      return { type: 'array', items: convert(schema.valueSchema as Schema, `${path}_item`, names) };
    case 'MAP':
      return { type: 'map', values: convert(schema.valueSchema as Schema, `${path}_value`, names) };
    default: {
      // Decimals as text, which needs no precision. The service converts it to its own decimals.
      if (schema.name === LogicalName.DECIMAL) return 'string';
      const type = PRIMITIVES[schema.type] ?? 'string';
      const logicalType = schema.name === null ? undefined : LOGICAL[schema.name];
      return logicalType === undefined ? type : { type, logicalType };
    }
  }
}

/** Connect values as those that avsc writes. 64-bit integers stay exact. */
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

function avroFieldName(name: string): string {
  const clean = name.replaceAll(/[^A-Za-z0-9_]/g, '_');
  return /^[A-Za-z_]/.test(clean) ? clean : `_${clean}`;
}

function unique(name: string, names: Set<string>): string {
  let candidate = name;
  for (let i = 2; names.has(candidate); i++) candidate = `${name}_${i}`;
  names.add(candidate);
  return candidate;
}
