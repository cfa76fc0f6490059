/** Connect schemas and values as Avro's. Source: analytics-sink §3.1 (`avro` of structures), Connect's data model. */
import { LogicalName, type Schema } from '@millrace/sdk';
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

/** Characters that Avro names do not allow become `_`. */
export function avroSchema(schema: Schema): avro.AvroSchema {
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

export function avroFieldName(name: string): string {
  const clean = name.replaceAll(/[^A-Za-z0-9_]/g, '_');
  return /^[A-Za-z_]/.test(clean) ? clean : `_${clean}`;
}

function unique(name: string, names: Set<string>): string {
  let candidate = name;
  for (let i = 2; names.has(candidate); i++) candidate = `${name}_${i}`;
  names.add(candidate);
  return candidate;
}
