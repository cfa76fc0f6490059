/** Decodes the columns of a message to row and key structs. */
import { ConnectError, setMember } from '@millrace/sdk';
import { isTooLongText, MAX_TEXT_LENGTH } from '../values/too-long-text';
import { ascii } from '../values/value-type';
import type { Struct } from './event-context';
import type { ModelField, TableModel } from './table-model';
import type { UnrepresentableValues } from './unrepresentable-values';

/**
 * Decoded columns of one tuple by position; undefined for an unchanged TOASTed value, which is not sent. Reused for
 * every row.
 */
export type Cells = unknown[];

const TEXT = 0x74; // t
const NULL = 0x6e; // n

/** State that a decoder shares with the functions below. One object per decoder, reused for every row. */
export class RowContext {
  /**
   * Required column that was NULL in the last row: the row is older or newer than the definition that
   * its model was built from. The decoder resets it; snapshots ignore it.
   */
  nullInRequired: ModelField | null = null;
  /** Columns of the rows since `takeUnsent` whose values were not sent. */
  private readonly unsent: ModelField[] = [];

  constructor(readonly unrepresentable: UnrepresentableValues) {}

  missing(field: ModelField): unknown {
    this.unsent.push(field);
    return missing(field);
  }

  /** Null: none. */
  takeUnsent(): readonly ModelField[] | null {
    return this.unsent.length === 0 ? null : this.unsent.splice(0);
  }
}

/**
 * TupleData of a change message. Throws ConnectError `PG_DECODE` naming the column.
 * @returns where the tuple ends
 */
export function readTuple(buffer: Buffer, from: number, model: TableModel, cells: Cells, context: RowContext): number {
  const { decoders } = model;
  const count = (buffer[from] as number) * 256 + (buffer[from + 1] as number);
  let at = from + 2;
  for (let i = 0; i < count; i++) {
    const kind = buffer[at++];
    if (kind === TEXT) {
      const length = int32(buffer, at);
      at += 4;
      const decode = decoders[i];
      if (decode != null) {
        let value: unknown;
        try {
          value = decode(buffer, at, at + length);
        } catch (cause) {
          value = undecodable(buffer, at, at + length, model, i, context, cause);
        }
        cells[i] = typeof value === 'symbol' ? context.unrepresentable.report(model, i, value) : value;
      }
      at += length;
    } else {
      cells[i] = kind === NULL ? null : undefined;
    }
  }
  // Clear the values of columns that are not sent.
  for (let i = count; i < decoders.length; i++) cells[i] = null;
  return at;
}

/**
 * One value in the server's text form, which lies between `start` and `end`. Throws ConnectError `PG_DECODE` naming the
 * column.
 */
export function readCell(
  buffer: Buffer,
  start: number,
  end: number,
  model: TableModel,
  cell: number,
  context: RowContext,
): unknown {
  const decode = model.decoders[cell];
  if (decode == null) return null;
  let value: unknown;
  try {
    value = decode(buffer, start, end);
  } catch (cause) {
    value = undecodable(buffer, start, end, model, cell, context, cause);
  }
  return typeof value === 'symbol' ? context.unrepresentable.report(model, cell, value) : value;
}

/** DataRow of a query whose columns are the model's, in text format. */
export function readDataRow(buffer: Buffer, from: number, model: TableModel, cells: Cells, context: RowContext): void {
  const { decoders } = model;
  const count = buffer.readUInt16BE(from);
  let at = from + 2;
  for (let i = 0; i < count; i++) {
    const length = int32(buffer, at);
    at += 4;
    if (length < 0) {
      cells[i] = null;
      continue;
    }
    const decode = decoders[i];
    if (decode != null) {
      let value: unknown;
      try {
        value = decode(buffer, at, at + length);
      } catch (cause) {
        value = undecodable(buffer, at, at + length, model, i, context, cause);
      }
      cells[i] = typeof value === 'symbol' ? context.unrepresentable.report(model, i, value) : value;
    }
    at += length;
  }
}

function int32(buffer: Buffer, at: number): number {
  return (
    ((buffer[at] as number) << 24) |
    ((buffer[at + 1] as number) << 16) |
    ((buffer[at + 2] as number) << 8) |
    (buffer[at + 3] as number)
  );
}

/** See `UnrepresentableValues`. @param start of the value's text, or of what it cannot be made from */
export function undecodable(
  buffer: Buffer,
  start: number,
  end: number,
  model: TableModel,
  cell: number,
  context: RowContext,
  cause: unknown,
): unknown {
  return context.unrepresentable.undecodable(model, cell, valueError(model, cell, buffer, start, end - start, cause));
}

function valueError(
  model: TableModel,
  cell: number,
  buffer: Buffer,
  at: number,
  length: number,
  cause: unknown,
): ConnectError {
  const table = `${model.schema}.${model.name}`;
  const column = model.columns[cell] as string;
  const what = `Column "${column}" of table ${table} holds a value that cannot be emitted`;
  const options = { code: 'PG_DECODE', place: { table, column } };
  if (isTooLongText(cause))
    return new ConnectError(
      `${what}: its text form, made from ${length} bytes, has more than ${MAX_TEXT_LENGTH} characters. Leave the column out with column.exclude.list, or set event.converting.failure.handling.mode=warn to publish null in place of such values.`,
      { ...options, cause },
    );
  // The cause may quote the value.
  if (model.hiddenCells.has(cell))
    return new ConnectError(`${what}; the reason is not shown, because the column is masked.`, options);
  const value = ascii(buffer, at, at + Math.min(length, 60));
  return new ConnectError(`${what}, ${value}: ${(cause as Error).message}.`, { ...options, cause });
}

/** A row whose columns were all sent or are unchanged. */
export function completeRow(model: TableModel, cells: Cells, context: RowContext): Struct {
  const row: Struct = {};
  const { row: fields } = model;
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] as ModelField;
    let value = cells[field.cell];
    if (value == null) {
      if (value === undefined) value = context.missing(field);
      else value = field.optional ? null : requiredValue(field, context);
    }
    if (field.isProto) setMember(row, field.name, value);
    else row[field.name] = value;
  }
  if (model.masks.length > 0) mask(row, model);
  return row;
}

function mask(row: Struct, { masks }: TableModel): void {
  for (const member of masks) setMember(row, member.name, member.mask(row[member.name]));
}

function missing(field: ModelField): unknown {
  return field.unavailable ?? (field.required ? field.fallback : null);
}

function requiredValue(field: ModelField, context: RowContext): unknown {
  context.nullInRequired = field;
  return field.hasDefault ? field.fallback : null;
}

/** An old row of which only the key was sent. Required columns get their fallback (cdc-postgres §3.6). */
export function keyOnlyRow(model: TableModel, cells: Cells): Struct {
  const row = withFallbacks(model.row, cells);
  if (model.masks.length > 0) mask(row, model);
  return row;
}

/** Null when the table has no key. */
export function keyOf(model: TableModel, cells: Cells): Struct | null {
  if (model.key.length === 0) return null;
  const key = withFallbacks(model.key, cells);
  const { keyOrigin } = model;
  if (keyOrigin !== null) setMember(key, keyOrigin.name, keyOrigin.value);
  return key;
}

function withFallbacks(fields: readonly ModelField[], cells: Cells): Struct {
  const struct: Struct = {};
  for (let i = 0; i < fields.length; i++) {
    const field = fields[i] as ModelField;
    let value = cells[field.cell];
    if (value == null) value = value === undefined ? missing(field) : field.optional ? null : field.fallback;
    if (field.isProto) setMember(struct, field.name, value);
    else struct[field.name] = value;
  }
  return struct;
}

/** Whether two keys or two rows of the same model are the same. */
export function sameStruct(a: Struct, b: Struct): boolean {
  for (const name of Object.keys(a)) if (!sameValue(a[name], b[name])) return false;
  return true;
}

/** Whether two values of a column are the same. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b);
  if (Buffer.isBuffer(a)) return Buffer.isBuffer(b) && a.equals(b);
  if (a instanceof Date) return b instanceof Date && a.getTime() === b.getTime();
  if (a instanceof Map)
    return b instanceof Map && a.size === b.size && [...a].every(([name, value]) => sameValue(value, b.get(name)));
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => sameValue(item, b[i]));
  const names = Object.keys(a);
  return names.every((name) => sameValue((a as Struct)[name], (b as Struct)[name]));
}
