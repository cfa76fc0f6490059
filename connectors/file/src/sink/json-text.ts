/**
 * A value as Connect's JSON converter writes it without its schema, on one line. Decimals are numbers with all their
 * digits (`decimal.format=NUMERIC`).
 */
import {
  DAY_MS,
  LogicalName,
  expectNesting,
  isDecimal,
  javaDouble,
  javaFloat,
  plainDecimal,
  readMember,
  type ConnectValue,
  type Schema,
} from '@millrace/sdk';

export function jsonText(schema: Schema | null, value: ConnectValue, depth = 0): string {
  const present = value ?? schema?.default ?? null;
  switch (typeof present) {
    case 'number':
      return numberText(schema, present);
    case 'bigint':
      return present.toString();
    case 'object':
      return present === null ? 'null' : objectText(schema, present, depth + 1);
    default:
      return JSON.stringify(present);
  }
}

function numberText(schema: Schema | null, value: number): string {
  const number = schema?.type === 'FLOAT32' ? Math.fround(value) : value;
  // JSON has no numbers for NaN and infinity.
  if (!Number.isFinite(number)) return `"${number}"`;
  if (schema?.type === 'FLOAT32') return javaFloat(number);
  const whole = schema?.type !== 'FLOAT64' && Number.isInteger(number) && !Object.is(number, -0);
  return whole ? BigInt(number).toString() : javaDouble(number);
}

function objectText(schema: Schema | null, value: object, depth: number): string {
  // Defaults, too, may be nested without an end: of a struct that contains itself.
  expectNesting(depth);
  if (value instanceof Uint8Array)
    return `"${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')}"`;
  if (value instanceof Date)
    return String(schema?.name === LogicalName.DATE ? value.getTime() / DAY_MS : value.getTime());
  const item = schema?.valueSchema ?? null;
  if (Array.isArray(value)) return `[${value.map((element) => jsonText(item, element, depth)).join(',')}]`;
  if (value instanceof Map) return mapText(schema, value, depth);
  if (isDecimal(value)) return plainDecimal(value);
  const members = value as Readonly<Record<string, ConnectValue>>;
  if (!schema?.fields)
    return jsonObject(Object.entries(members).map(([name, member]) => [name, jsonText(null, member, depth)]));
  return jsonObject(
    schema.fields.map(({ name, schema: fieldSchema }) => [
      name,
      jsonText(fieldSchema, readMember(members, name) as ConnectValue, depth),
    ]),
  );
}

/** A map with string keys becomes an object, any other a list of pairs. */
function mapText(schema: Schema | null, map: ReadonlyMap<unknown, unknown>, depth: number): string {
  const item = schema?.valueSchema ?? null;
  const entries = [...map];
  const named = schema?.keySchema
    ? schema.keySchema.type === 'STRING'
    : entries.every(([key]) => typeof key === 'string');
  if (named) return jsonObject(entries.map(([key, value]) => [String(key), jsonText(item, value, depth)]));
  const keys = schema?.keySchema ?? null;
  return `[${entries.map(([key, value]) => `[${jsonText(keys, key, depth)},${jsonText(item, value, depth)}]`).join(',')}]`;
}

export function jsonObject(members: readonly (readonly [name: string, text: string])[]): string {
  return `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}
