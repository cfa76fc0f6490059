/** One row of a `RawShape`, as key and value of a source record. */
import { setMember } from '../member';
import type { ConnectValue, SourceRecord } from '../record';
import type { RawCells, RawMember, RawShape, RawStruct, SharedValues } from './raw-struct';

const BRAND = Symbol.for('millrace.raw-row');

/** Both `key` and `value` of a source record; the key is null where the shape has none. */
export class RawRow {
  /**
   * @param bytes stay as they are until the record is converted
   * @param own an integer that a double represents exactly
   */
  constructor(
    readonly shape: RawShape,
    readonly bytes: Buffer,
    readonly at: number,
    readonly shared: SharedValues,
    readonly own: number,
    readonly decoded: readonly ConnectValue[] | null,
  ) {}

  /** The row with the members of another shape, which refers to the same cells, shared and decoded values. */
  as(shape: RawShape): RawRow {
    return new RawRow(shape, this.bytes, this.at, this.shared, this.own, this.decoded);
  }
}
Object.defineProperty(RawRow.prototype, BRAND, { value: true });

/** Also of another copy of this package. */
export function isRawRow(value: unknown): value is RawRow {
  return typeof value === 'object' && value !== null && BRAND in value;
}

/** The cells of one row after another, in memory that is reused. */
export class RawCursor implements RawCells {
  bytes: Buffer = Buffer.alloc(0);
  spans = new Int32Array(32);
  shared: SharedValues = [];
  own = 0;
  decoded: readonly ConnectValue[] | null = null;

  /** Valid until the next call. */
  locate(row: RawRow): void {
    const { shape, bytes } = row;
    if (shape.cells * 2 > this.spans.length) this.spans = new Int32Array(shape.cells * 2);
    this.bytes = bytes;
    this.shared = row.shared;
    this.own = row.own;
    this.decoded = row.decoded;
    shape.locate(bytes, row.at, this.spans);
  }
}

const cursor = new RawCursor();

/** The record with plain values in place of a raw row; other records as they are. */
export function plainRecord<R extends Pick<SourceRecord, 'key' | 'value'>>(record: R): R {
  const { key, value } = record;
  if (!isRawRow(value)) return record;
  cursor.locate(value);
  const { shape } = value;
  return {
    ...record,
    key: isRawRow(key) && shape.key !== null ? plainStruct(shape.key, cursor) : key,
    value: plainStruct(shape.value, cursor),
  };
}

/** The value of one member of the row's shape. */
export function rawValue(row: RawRow, member: RawMember): ConnectValue {
  cursor.locate(row);
  return plainMember(member, cursor);
}

/** The member that a path of field names leads to; null: the struct has none there. */
export function rawMember({ schema, members }: RawStruct, [name, ...rest]: readonly string[]): RawMember | null {
  const field = schema.fields?.find((one) => one.name === name);
  if (field === undefined) return null;
  const member = members[field.index] as RawMember;
  if (rest.length === 0) return member;
  if (member.from === 'struct') return rawMember(member.struct, rest);
  return member.from === 'constant' && member.value === null ? member : null;
}

function plainStruct({ schema, members }: RawStruct, cells: RawCells): Record<string, ConnectValue> {
  const struct: Record<string, ConnectValue> = {};
  for (const { name, index } of schema.fields ?? [])
    setMember(struct, name, plainMember(members[index] as RawMember, cells));
  return struct;
}

function plainMember(member: RawMember, cells: RawCells): ConnectValue {
  switch (member.from) {
    case 'constant':
      return member.value;
    case 'shared':
      return cells.shared[member.slot];
    case 'own':
      return cells.own;
    case 'joined':
      return `${String(cells.shared[member.slot])}${cells.own}${member.tail}`;
    case 'cell': {
      const start = cells.spans[member.cell * 2] as number;
      return start < 0 ? null : member.form.decode(cells.bytes, start, cells.spans[member.cell * 2 + 1] as number);
    }
    case 'decoded':
      return cells.decoded?.[member.index] ?? null;
    case 'struct':
      return plainStruct(member.struct, cells);
  }
}
