/** `ExtractNewRecordState` for events whose rows are not decoded: it gives them another shape. */
import {
  rawMember,
  rawValue,
  type Header,
  type RawMember,
  type RawRow,
  type RawShape,
  type Schema,
} from '@millrace/sdk';
import type { FoundField } from './field-reference';

export interface RawUnwrapping {
  readonly shape: RawShape;
  /** Members whose values become headers. */
  readonly headers: readonly { readonly field: FoundField; readonly member: RawMember }[];
}

interface Unwrapped {
  readonly schema: Schema;
  readonly added: readonly FoundField[];
  readonly headers: readonly FoundField[];
  /** `__deleted` is added. */
  readonly marksDeletion: boolean;
}

/** Null: events of this shape need plain values, because they have no new row. */
export function rawUnwrapping(shape: RawShape, to: Unwrapped): RawUnwrapping | null {
  const after = rawMember(shape.value, ['after']);
  if (after?.from !== 'struct') return null;
  const members = (fields: readonly FoundField[]): RawMember[] | null => {
    const found = fields.map(({ path }) => rawMember(shape.value, path));
    return found.every((member) => member !== null) ? found : null;
  };
  const added = members(to.added);
  const headers = members(to.headers);
  if (added === null || headers === null) return null;
  const deleted: RawMember[] = to.marksDeletion ? [{ from: 'constant', value: 'false' }] : [];
  return {
    shape: { ...shape, value: { schema: to.schema, members: [...after.struct.members, ...deleted, ...added] } },
    headers: to.headers.map((field, i) => ({ field, member: headers[i] as RawMember })),
  };
}

export function rawHeaders(row: RawRow, { headers }: RawUnwrapping): Header[] {
  return headers.map(({ field, member }) => ({
    key: field.newName,
    schema: field.schema,
    value: rawValue(row, member),
  }));
}
