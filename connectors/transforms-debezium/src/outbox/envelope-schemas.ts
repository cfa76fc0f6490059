/** Schemas of values that hold the payload and further columns of an outbox table. Source: cdc-postgres §7.12. */
import { structSchema, type Schema } from '@millrace/sdk';
import { connectError, dataError, schemaOf } from '../structs';
import type { AdditionalField } from './outbox-settings';

/** Names contain values of rows, so they are kept up to this number per payload schema, and length. */
const MANY_NAMES = 1_000;
const LONG_NAME = 1_000;

export class EnvelopeSchemas {
  private readonly known = new WeakMap<Schema, WeakMap<Schema, Map<string, Schema>>>();

  constructor(
    private readonly fields: readonly AdditionalField[],
    private readonly ignoreMissing: boolean,
  ) {}

  /** The same object for the same arguments, because converters compile each schema object once. */
  schema(payload: Schema, row: Schema, name: string, version: number | null): Schema {
    let ofPayload = this.known.get(payload);
    if (!ofPayload) this.known.set(payload, (ofPayload = new WeakMap()));
    let named = ofPayload.get(row);
    if (!named) ofPayload.set(row, (named = new Map()));
    const text = `${version} ${name}`;
    let schema = named.get(text);
    if (!schema) {
      schema = this.made(payload, row, name, version);
      if (text.length > LONG_NAME) return schema;
      if (named.size >= MANY_NAMES) named.clear();
      named.set(text, schema);
    }
    return schema;
  }

  private made(payload: Schema, row: Schema, name: string, version: number | null): Schema {
    const fields: [string, Schema][] = [['payload', payload]];
    for (const { column, name: field } of this.fields) {
      const schema = schemaOf(row, column);
      if (!schema && this.ignoreMissing) continue;
      if (!schema) throw connectError(`Unable to find field ${column} in event`);
      if (fields.some(([other]) => other === field)) {
        throw dataError(`Cannot create field because of field name duplication ${field}`);
      }
      fields.push([field, schema]);
    }
    return structSchema(fields, { name, ...(version !== null && { version }) });
  }
}

/** `shop.public.outbox.Value` and route `Order`: `shop.public.outbox.Order.Value`. */
export function envelopeName({ name }: Schema, route: string | null): string {
  if (name === null) return String(route);
  const dot = name.lastIndexOf('.') + 1;
  return `${name.slice(0, dot)}${route}.${name.slice(dot)}`;
}
