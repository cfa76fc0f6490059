/** Enums and unions, as parameters and names of Connect schemas say that they are some. */
import type { Schema } from '@millrace/sdk';
import { ENUM, GENERALIZED_ENUM, GENERALIZED_UNION, UNION } from '../schema/connect-names';
import type { EnumType } from '../schema/proto-model';
import type { DraftMessage } from './draft-message';

/** Names that a value of an enum can have: not the words that begin something else there. */
const VALID = /^(?!(?:option|reserved)$)[A-Za-z_]\w*$/;

/** The name of the oneof that the struct stands for. Null: it is a message. */
export function unionOf(schema: Schema): string | null {
  if (schema.type !== 'STRUCT') return null;
  const generalized = schema.parameters?.[GENERALIZED_UNION];
  if (generalized !== undefined) return generalized;
  return schema.name !== null && schema.name.startsWith(`${UNION}.`) ? schema.name.slice(UNION.length + 1) : null;
}

/** The names and numbers of an enum's values. Null: the schema is none of an enum. */
export function enumValues(schema: Schema): ReadonlyMap<string, number> | null {
  if ((schema.type !== 'STRING' && schema.type !== 'INT32') || schema.parameters === null) return null;
  const marker = [ENUM, GENERALIZED_ENUM].find((name) => schema.parameters?.[name] !== undefined);
  if (marker === undefined) return null;
  const values = new Map<string, number>();
  for (const [name, number] of Object.entries(schema.parameters))
    if (name.startsWith(`${marker}.`)) values.set(name.slice(marker.length + 1), Number(number));
  return values;
}

/**
 * The enum of a schema that is marked as one, declared in the message. Null: it is none, or none that Protobuf can
 * declare there, and becomes its type.
 */
export function enumOf(schema: Schema, parent: DraftMessage): EnumType | null {
  const values = enumValues(schema);
  if (values === null || values.size === 0) return null;
  const fullName = schema.parameters?.[ENUM] ?? schema.parameters?.[GENERALIZED_ENUM] ?? '';
  const name = fullName.slice(fullName.lastIndexOf('.') + 1);
  // The same enum in another field.
  const known = parent.enums.find((other) => other.name === name && sameValues(other.values, values));
  if (known !== undefined) return known;
  const numbers = [...values.values()];
  const free = [name, ...values.keys()].every((one) => VALID.test(one) && !parent.taken.has(one));
  if (!free || values.has(name) || !numbers.includes(0) || numbers.some((number) => number !== (number | 0)))
    return null;
  for (const one of [name, ...values.keys()]) parent.taken.add(one);
  // The first value of an enum in proto3 is 0.
  const sorted = new Map([...values].sort(([, a], [, b]) => Number(b === 0) - Number(a === 0)));
  const names = new Map<number, string>();
  for (const [value, number] of sorted) if (!names.has(number)) names.set(number, value);
  const type: EnumType = {
    kind: 'enum',
    name,
    fullName: `${parent.fullName}.${name}`,
    values: sorted,
    names,
    closed: false,
  };
  parent.enums.push(type);
  return type;
}

function sameValues(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): boolean {
  return one.size === other.size && [...one].every(([name, number]) => other.get(name) === number);
}
