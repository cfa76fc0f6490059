/**
 * The records of a table whose rows stay as the server sent them: one shape for each kind of change, built once with
 * the table's model.
 */
import type { ConnectValue, RawMember, RawShape, RawStruct, Schema } from '@millrace/sdk';
import type { TableCounts } from '../metrics/event-counts';
import type { RawCell } from '../values/plain-text';
import type { TextDecoder } from '../values/value-type';
import type { SourceIdentity, SourceTable } from './event-layout';
import { checkedColumns, locateTuple, locateTuples, type CheckedColumns } from './raw-tuple';

/** Slots of `RawRow.shared`. */
export const SHARED = {
  commitMillis: 0,
  commitMicros: 1,
  commitNanos: 2,
  xid: 3,
  xmin: 4,
  origin: 5,
  originLsn: 6,
  /** The text of `source.sequence` before the position of the row. */
  sequence: 7,
  nowMillis: 8,
  nowMicros: 9,
  nowNanos: 10,
} as const;

/** A column of a row or key. */
export interface RawField {
  /** See `ModelField`. */
  readonly field: { readonly cell: number; readonly optional: boolean };
  readonly decode: TextDecoder;
  readonly raw: RawCell | null;
  /** Published in place of a value, which may be null; null: the value itself. */
  readonly mask: ((value: unknown) => unknown) | null;
}

/** A value that is decoded at once, because nothing writes its text. */
export interface DecodedCell {
  readonly cell: number;
  readonly decode: TextDecoder;
  readonly mask: RawField['mask'];
}

/** Of the records of one kind of change. */
export interface RowShape extends RawShape {
  readonly op: string;
  readonly counts: TableCounts;
  /** In the order of `RawRow.decoded`. */
  readonly decoded: readonly DecodedCell[];
}

export interface RawTable {
  /** For other shapes of the same table. */
  readonly parts: RawTableParts;
  readonly columns: CheckedColumns;
  /** Cells of the key. */
  readonly key: readonly number[];
  readonly insert: RowShape;
  /** Without the old row. */
  readonly update: RowShape;
  /** With the complete old row, whose cells are the second half. */
  readonly replace: RowShape;
}

export interface RawTableParts {
  readonly identity: SourceIdentity;
  readonly table: SourceTable;
  readonly counts: TableCounts;
  readonly envelope: Schema;
  readonly keySchema: Schema | null;
  readonly key: readonly RawField[];
  /** See `TableModel`. */
  readonly keyOrigin: { readonly value: string } | null;
  readonly row: readonly RawField[];
  /** Number of columns that are sent, which come first. */
  readonly sent: number;
}

/** Null: rows must be decoded. */
export function rawTable(parts: RawTableParts): RawTable | null {
  const { key, row, sent } = parts;
  const fields = [...row, ...key];
  // Only columns that accept null are not sent.
  if (sent === 0 || fields.some(({ field }) => field.cell >= sent && !field.optional)) return null;
  const now = { cells: sent, locate: (b: Buffer, at: number, spans: Int32Array) => void locateTuple(b, at, spans) };
  return {
    parts,
    columns: columnsOf(parts),
    key: key.map(({ field }) => field.cell),
    insert: rowShape(parts, { op: 'c', before: null, after: 0, ...now }),
    update: rowShape(parts, { op: 'u', before: null, after: 0, ...now }),
    replace: rowShape(parts, { op: 'u', before: sent, after: 0, cells: sent * 2, locate: locateTuples }),
  };
}

/** Of a message that has the columns `sent`. */
export function columnsOf({ key, row, sent }: Pick<RawTableParts, 'key' | 'row' | 'sent'>): CheckedColumns {
  const fields = [...row, ...key];
  return checkedColumns(
    Array.from({ length: sent }, (_, cell) => {
      const used = fields.filter(({ field }) => field.cell === cell);
      const raw = used.find((one) => isText(one)) === undefined ? null : (used[0]?.raw ?? null);
      return { raw, isNullable: used.every(({ field }) => field.optional) };
    }),
  );
}

/** Where the cells of a shape are. */
export interface RowPlace extends Pick<RawShape, 'cells' | 'locate'> {
  readonly op: string;
  /** Number of its first cell; null: there is no such row. */
  readonly before: number | null;
  /** Number of its first cell; those of the key are of the same tuple. */
  readonly after: number;
  /** Members of `source` that differ from those of a change. */
  readonly source?: Readonly<Record<string, RawMember>>;
}

export function rowShape(parts: RawTableParts, { op, before, after, cells, locate, source = {} }: RowPlace): RowShape {
  const { identity, table, counts, envelope, keySchema, key, keyOrigin, row, sent } = parts;
  const decoded: DecodedCell[] = [];
  const indexOf = (cell: number, { decode, mask }: Pick<RawField, 'decode' | 'mask'>): number => {
    const known = decoded.findIndex((one) => one.cell === cell && one.mask === mask);
    return known < 0 ? decoded.push({ cell, decode, mask }) - 1 : known;
  };
  const memberOf = (one: RawField, first: number): RawMember => {
    const { field, mask, raw } = one;
    if (field.cell >= sent) return constant(mask === null ? null : mask(null));
    const cell = first + field.cell;
    return raw === null || mask !== null
      ? { from: 'decoded', index: indexOf(cell, one) }
      : { from: 'cell', cell, form: raw.form };
  };
  const rowStruct = (schema: Schema, first: number): RawMember => ({
    from: 'struct',
    struct: { schema, members: row.map((one) => memberOf(one, first)) },
  });
  const members: Readonly<Record<string, (schema: Schema) => RawMember>> = {
    before: (schema) => (before === null ? constant(null) : rowStruct(schema, before)),
    after: (schema) => rowStruct(schema, after),
    source: (schema) => ({
      from: 'struct',
      struct: structOf(schema, { ...sourceMembers(identity, table), ...source }),
    }),
    transaction: () => constant(null),
    op: () => constant(op),
    ts_ms: () => shared('nowMillis'),
    ts_us: () => shared('nowMicros'),
    ts_ns: () => shared('nowNanos'),
  };
  const value: RawStruct = {
    schema: envelope,
    members: fieldsOf(envelope).map(({ name, schema }) => (members[name] as (schema: Schema) => RawMember)(schema)),
  };
  // Keys are not masked.
  const keyMembers = key.map((one) => memberOf({ ...one, mask: null }, after));
  if (keyOrigin !== null) keyMembers.push(constant(keyOrigin.value));
  const keyStruct = keySchema === null ? null : { schema: keySchema, members: keyMembers };
  return { key: keyStruct, value, cells, locate, op, counts, decoded };
}

/** Of every event; a layout has some of them. */
function sourceMembers({ version, name, db }: SourceIdentity, table: SourceTable): Readonly<Record<string, RawMember>> {
  return {
    version: constant(version),
    connector: constant('postgresql'),
    name: constant(name),
    ts_ms: shared('commitMillis'),
    snapshot: constant('false'),
    db: constant(db),
    sequence: { from: 'joined', slot: SHARED.sequence, tail: '"]' },
    ts_us: shared('commitMicros'),
    ts_ns: shared('commitNanos'),
    schema: constant(table.schema),
    table: constant(table.name),
    txId: shared('xid'),
    lsn: { from: 'own' },
    xmin: shared('xmin'),
    origin: shared('origin'),
    origin_lsn: shared('originLsn'),
  };
}

function structOf(schema: Schema, members: Readonly<Record<string, RawMember>>): RawStruct {
  return { schema, members: fieldsOf(schema).map(({ name }) => members[name] as RawMember) };
}

const fieldsOf = ({ fields }: Schema) => fields ?? [];
export const constant = (value: ConnectValue): RawMember => ({ from: 'constant', value });
const shared = (name: keyof typeof SHARED): RawMember => ({ from: 'shared', slot: SHARED[name] });
const isText = ({ raw, mask }: RawField): boolean => raw !== null && mask === null;
