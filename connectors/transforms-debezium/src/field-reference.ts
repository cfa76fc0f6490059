/**
 * A field of an event to copy to the row or to headers: `op`, `source.ts_ms`, `lsn:LSN`. Source: cdc-postgres §7.10.
 */
import { ConfigError, type Schema } from '@millrace/sdk';
import { asOptional, type StructValue } from './structs';

export interface FieldReference {
  /** Member of the envelope that holds the field; null: the envelope itself. */
  readonly parent: string | null;
  readonly field: string;
  readonly newName: string;
}

const OF_TRANSACTION = ['id', 'data_collection_order', 'total_order'];
const OF_ENVELOPE = ['op', 'ts_ms', 'ts_us', 'ts_ns'];

/** Throws ConfigError. */
export function fieldReference(text: string, prefix: string): FieldReference {
  const [path = '', alias, ...others] = text.split(':');
  if (others.length > 0) {
    throw new ConfigError(`Unexpected field name: ${text}`, { code: 'PG_TRANSFORM_CONFIG' });
  }
  const [first = '', second] = path.split('.');
  const field = second ?? first;
  const parent = second === undefined ? parentOf(field) : first;
  return { parent, field, newName: prefix + (alias ?? (second === undefined ? field : `${first}_${field}`)) };
}

function parentOf(field: string): string | null {
  if (OF_TRANSACTION.includes(field)) return 'transaction';
  return OF_ENVELOPE.includes(field) ? null : 'source';
}

/** Where the field is in envelopes of one schema. */
export interface FoundField {
  readonly newName: string;
  readonly schema: Schema;
  readonly path: readonly string[];
  valueIn(envelope: StructValue): unknown;
}

/** Null when the envelope has no such field. */
export function findField({ parent, field, newName }: FieldReference, envelope: Schema): FoundField | null {
  const schemaOf = (of: Schema | undefined, name: string): Schema | undefined => {
    return of?.fields?.find((one) => one.name === name)?.schema;
  };
  const inside = parent === null ? undefined : schemaOf(schemaOf(envelope, parent), field);
  const schema = inside ?? schemaOf(envelope, field);
  if (!schema) return null;
  const isInside = parent !== null && inside !== undefined;
  return {
    newName,
    schema: asOptional(schema),
    path: isInside ? [parent, field] : [field],
    valueIn: isInside
      ? (event) => (event[parent] as StructValue | null)?.[field] ?? null
      : (event) => event[field] ?? null,
  };
}
