/** Connect values as JSON text, without their schema. Source: analytics-sink §3.1; Connect's JSON converter. */
import {
  DAY_MS,
  LogicalName,
  expectNesting,
  isDecimal,
  plainDecimal,
  readMember,
  shortestFloat,
  type Schema,
} from '@millrace/sdk';

/**
 * Struct members in schema order; bytes as base64; decimals as numbers with all digits; float32 with a float32's
 * digits (0.1, not 0.10000000149011612); dates as Connect's JSON numbers.
 */
export function jsonText(schema: Schema | null, value: unknown, above = 0): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return numberText(schema, value);
  if (typeof value !== 'object') return JSON.stringify(value);
  if (value instanceof Uint8Array) return JSON.stringify(Buffer.from(value).toString('base64'));
  if (value instanceof Date) return dateText(schema, value);
  const depth = above + 1;
  // Defaults, too, may be nested without an end: of a struct that contains itself.
  expectNesting(depth);
  if (Array.isArray(value))
    return `[${value.map((item) => jsonText(schema?.valueSchema ?? null, item, depth)).join(',')}]`;
  if (value instanceof Map && schema?.keySchema && schema.keySchema.type !== 'STRING')
    return `[${[...value].map(([key, item]) => `[${jsonText(schema.keySchema, key, depth)},${jsonText(schema.valueSchema, item, depth)}]`).join(',')}]`;
  if (value instanceof Map)
    return object([...value].map(([key, item]) => [String(key), jsonText(schema?.valueSchema ?? null, item, depth)]));
  const members = value as Record<string, unknown>;
  if (schema?.fields)
    return object(
      schema.fields.map((field) => [
        field.name,
        jsonText(field.schema, readMember(members, field.name) ?? field.schema.default, depth),
      ]),
    );
  if (isDecimal(value)) return plainDecimal(value);
  return object(Object.entries(members).map(([key, item]) => [key, jsonText(null, item, depth)]));
}

function numberText(schema: Schema | null, value: number): string {
  if (!Number.isFinite(value)) return JSON.stringify(String(value));
  return String(schema?.type === 'FLOAT32' ? shortestFloat(value) : value);
}

function object(members: readonly (readonly [string, string])[]): string {
  return `{${members.map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`;
}

function dateText(schema: Schema | null, date: Date): string {
  if (Number.isNaN(date.getTime())) throw new RangeError('the date is invalid');
  if (schema?.name === LogicalName.DATE) return String(Math.floor(date.getTime() / DAY_MS));
  if (schema?.name === LogicalName.TIME || schema?.name === LogicalName.TIMESTAMP) return String(date.getTime());
  return JSON.stringify(date.toISOString());
}
