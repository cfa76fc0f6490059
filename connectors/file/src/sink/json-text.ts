/** A value as Connect's JSON converter writes it without its schema, on one line; decimals are numbers with all their digits (`decimal.format=NUMERIC`). */
import { LogicalName, isDecimal, plainDecimal, type ConnectValue, type Schema } from '@millrace/sdk';

const DAY_MS = 86_400_000;

export function jsonText(schema: Schema | null, value: ConnectValue): string {
  const present = value ?? schema?.default ?? null;
  switch (typeof present) {
    case 'number':
      // JSON has no numbers for NaN and the infinities.
      return Number.isFinite(present) ? numberText(present) : `"${present}"`;
    case 'bigint':
      return present.toString();
    case 'object':
      return present === null ? 'null' : objectText(schema, present);
    default:
      return JSON.stringify(present);
  }
}

function numberText(value: number): string {
  return Number.isInteger(value) ? BigInt(value).toString() : String(value);
}

function objectText(schema: Schema | null, value: object): string {
  if (value instanceof Uint8Array)
    return `"${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64')}"`;
  if (value instanceof Date)
    return String(schema?.name === LogicalName.DATE ? value.getTime() / DAY_MS : value.getTime());
  const item = schema?.valueSchema ?? null;
  if (Array.isArray(value)) return `[${value.map((element) => jsonText(item, element)).join(',')}]`;
  if (value instanceof Map) return mapText(schema, value);
  if (isDecimal(value)) return plainDecimal(value);
  const members = value as Readonly<Record<string, ConnectValue>>;
  if (!schema?.fields) return braced(Object.entries(members).map(([name, member]) => [name, jsonText(null, member)]));
  return braced(schema.fields.map(({ name, schema: own }) => [name, jsonText(own, members[name])]));
}

/** String keys make an object, all others pairs. */
function mapText(schema: Schema | null, map: ReadonlyMap<unknown, unknown>): string {
  const item = schema?.valueSchema ?? null;
  const entries = [...map];
  const named = schema?.keySchema
    ? schema.keySchema.type === 'STRING'
    : entries.every(([key]) => typeof key === 'string');
  if (named) return braced(entries.map(([key, value]) => [String(key), jsonText(item, value)]));
  const keys = schema?.keySchema ?? null;
  return `[${entries.map(([key, value]) => `[${jsonText(keys, key)},${jsonText(item, value)}]`).join(',')}]`;
}

export function braced(members: readonly (readonly [name: string, text: string])[]): string {
  return `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}
