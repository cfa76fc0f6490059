/** Values as header text. Source: connect-runtime §6.4 "To bytes". */
import {
  DAY_MS,
  type Schema,
  expectNesting,
  isDecimal,
  decimalText,
  readMember,
  javaDouble,
  javaFloat,
} from '@millrace/sdk';

/** @param depth of the lists, maps and structs that contain the value: within one, strings and bytes are quoted */
export function formatValue(schema: Schema | null, value: unknown, depth = 0): string {
  if (value === null || value === undefined) return 'null';
  switch (typeof value) {
    case 'string':
      return depth > 0 ? quoted(value) : value;
    case 'number':
      if (schema?.type === 'FLOAT32') return javaFloat(value);
      if (schema?.type === 'FLOAT64' || !Number.isInteger(value)) return javaDouble(value);
      return Number.isSafeInteger(value) ? String(value) : BigInt(value).toString();
    case 'object':
      return objectText(schema, value, depth + 1);
    default:
      return String(value);
  }
}

function objectText(schema: Schema | null, value: object, depth: number): string {
  expectNesting(depth);
  if (Array.isArray(value)) {
    return `[${value.map((element) => formatValue(schema?.valueSchema ?? null, element, depth)).join(',')}]`;
  }
  if (value instanceof Uint8Array) {
    const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
    return depth > 1 ? `"${text}"` : text;
  }
  if (value instanceof Date) return dateText(value);
  if (isDecimal(value)) return decimalText(value);
  const entries: [Schema | null, unknown, Schema | null, unknown][] =
    schema?.type === 'STRUCT'
      ? (schema.fields ?? []).map((f) => [null, f.name, f.schema, readMember(value as Record<string, unknown>, f.name)])
      : [...(value instanceof Map ? (value as Map<unknown, unknown>) : Object.entries(value))].map(([key, member]) => {
          return [schema?.keySchema ?? null, key, schema?.valueSchema ?? null, member];
        });
  const members = entries.map(([keySchema, key, memberSchema, member]) => {
    return `${formatValue(keySchema, key, depth)}:${formatValue(memberSchema, member, depth)}`;
  });
  return `{${members.join(',')}}`;
}

function quoted(text: string): string {
  return `"${text.replace(/\\/g, '\\\\').replace(/"/g, '\\"')}"`;
}

/** The magnitude decides between time, date and timestamp, not the schema; always UTC. */
function dateText(date: Date): string {
  const ms = date.getTime();
  const iso = date.toISOString();
  if (ms < DAY_MS) return iso.slice(iso.indexOf('T') + 1);
  return ms % DAY_MS === 0 ? iso.slice(0, iso.indexOf('T')) : iso;
}
