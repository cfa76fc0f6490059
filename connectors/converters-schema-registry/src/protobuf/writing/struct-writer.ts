/** Writes structs as messages. */
import { isInherited, isOpaque, kindOf, readMember, type Schema } from '@millrace/sdk';
import type { ByteOutput } from '../../byte-output';
import { dataFault, mismatch, within } from '../faults';
import type { FieldWriter } from './field-writer';
import type { FieldsWriter } from './value-writer';

/** A field of the struct. */
export interface StructMember {
  readonly name: string;
  readonly schema: Schema;
  /** Null: the schema has no such field, which is left out; or it is a union. */
  readonly field: FieldWriter | null;
  /** Fields of a struct that stands for a oneof. Null: it is none. */
  readonly union: readonly FieldWriter[] | null;
}

export class StructWriter implements FieldsWriter {
  /** In the order of the fields' numbers. */
  members: readonly StructMember[] = [];
  /** Some fields are part of a oneof, of which at most one may be set. */
  hasOneofs = false;

  write(output: ByteOutput, value: unknown, depth: number): void {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Map || isOpaque(value))
      throw mismatch(`its schema is STRUCT but the value is ${kindOf(value)}`);
    const struct = value as Record<string, unknown>;
    const { members } = this;
    let i = 0;
    try {
      for (; i < members.length; i++) {
        const { name, schema, field, union } = members[i] as StructMember;
        const member = memberOf(struct, name, schema);
        if (member === null) {
          if (field !== null && field.field.presence === 'required')
            throw dataFault('the registered schema requires a value');
        } else if (field !== null) field.write(output, member, depth);
        else if (union !== null) writeUnion(union, output, member, depth);
      }
    } catch (error) {
      throw within(error, (members[i] as StructMember).name);
    }
    if (this.hasOneofs) this.checkOneofs(struct);
  }

  private checkOneofs(struct: Record<string, unknown>): void {
    const set = new Map<unknown, string>();
    for (const { name, schema, field } of this.members) {
      const oneof = field?.field.oneof ?? null;
      if (oneof === null || memberOf(struct, name, schema) === null) continue;
      const other = set.get(oneof);
      if (other !== undefined)
        throw within(dataFault(`it and ${other} are fields of one oneof, of which one may be set`), name);
      set.set(oneof, name);
    }
  }
}

function writeUnion(fields: readonly FieldWriter[], output: ByteOutput, value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Map)
    throw mismatch(`its schema is STRUCT but the value is ${kindOf(value)}`);
  const struct = value as Record<string, unknown>;
  let set: string | null = null;
  for (const field of fields) {
    const member = memberOf(struct, field.name, field.schema);
    if (member === null) continue;
    if (set !== null) throw dataFault(`${set} and ${field.name} are fields of one oneof, of which one may be set`);
    set = field.name;
    try {
      field.write(output, member, depth);
    } catch (error) {
      throw within(error, field.name);
    }
  }
}

/** The member, or its default. Null: it has none, and may be null. */
function memberOf(struct: Readonly<Record<string, unknown>>, name: string, schema: Schema): unknown {
  const member = isInherited(name) ? readMember(struct, name) : struct[name];
  if (member !== null && member !== undefined) return member;
  const { default: value, optional } = schema;
  if (value !== null && value !== undefined) return value;
  if (!optional) throw mismatch('null value for field that is required and has no default value');
  return null;
}
