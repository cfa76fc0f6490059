/** A table that rows of decoderbufs name, and how its columns begin in their encoded form. */
import { qualified, type TableName } from '../../database/catalog';
import { unquoteIdentifier, unquoteTable } from '../../database/identifiers';
import type { NamedTable, RowShape } from '../named-table';
import { readHeader } from './datum';
import type { RowMessage, TupleBounds } from './row-message';
import { malformed, WireReader } from './wire';

/** The columns of a table's rows, as encoded; a row with others has been written under another definition. */
export interface Shape {
  /** Name and type of each column. */
  readonly headers: readonly Buffer[];
  readonly typeOids: readonly number[];
  /** Position of each column in the model's cells; -1: none. */
  readonly cells: readonly number[];
  /** All type infos; null until a row had them. */
  readonly typeInfos: Buffer | null;
}

export class KnownTable {
  table: NamedTable | null = null;
  shape: Shape | null = null;
  warned = false;

  constructor(
    /** As in the messages. */
    readonly encodedName: Buffer,
    readonly name: TableName,
    readonly isCaptured: boolean,
  ) {}

  get key(): string {
    return qualified(this.name);
  }

  /** Whether `encodedName` is the name of the row's table. */
  isTableOf(row: RowMessage, buffer: Buffer): boolean {
    return sameBytes(this.encodedName, buffer, row.tableStart, row.tableEnd);
  }
}

export function tableName(row: RowMessage, buffer: Buffer): TableName {
  const text = buffer.toString('utf8', row.tableStart, row.tableEnd);
  const name = unquoteTable(text);
  if (name === null) throw malformed(`table name ${text}`);
  return name;
}

/** Whether the bytes from `start` on, at most to `end`, begin with `expected`. */
export function beginsWith(expected: Buffer, buffer: Buffer, start: number, end: number): boolean {
  const { length } = expected;
  if (end - start < length) return false;
  for (let i = 0; i < length; i++) if (buffer[start + i] !== expected[i]) return false;
  return true;
}

function sameBytes(expected: Buffer, buffer: Buffer, start: number, end: number): boolean {
  return end - start === expected.length && beginsWith(expected, buffer, start, end);
}

export function hasTypeInfos({ typeInfos }: Shape, row: RowMessage, buffer: Buffer): boolean {
  const { count, bounds } = row.typeInfos;
  if (count === 0 || typeInfos === null) return count === 0;
  // One comparison instead of one per column.
  return typeInfos.compare(buffer, bounds[0], bounds[count * 2 - 1]) === 0;
}

/** The tuple that names all columns: the new one, or the old one of a delete. */
function namingTuple(row: RowMessage): TupleBounds {
  return row.newTuple.count > 0 ? row.newTuple : row.oldTuple;
}

/** What a row says about its table. */
export function rowShape(known: KnownTable, row: RowMessage, buffer: Buffer): RowShape {
  const { bounds, count } = namingTuple(row);
  const types = typeTexts(row, buffer);
  const columns = Array.from({ length: count }, (_, i) => {
    const { name, typeOid } = readHeader(buffer, bounds[i * 2] as number, bounds[i * 2 + 1] as number);
    return { name: unquoteIdentifier(name), typeOid, type: types[i] ?? null };
  });
  return { ...known.name, columns, kind: 'complete', identity: null };
}

export function encodedShape(table: NamedTable, row: RowMessage, buffer: Buffer): Shape {
  const { bounds, count } = namingTuple(row);
  const headers: Buffer[] = [];
  const typeOids: number[] = [];
  const cells: number[] = [];
  for (let i = 0; i < count; i++) {
    const at = bounds[i * 2] as number;
    const { name, typeOid, end } = readHeader(buffer, at, bounds[i * 2 + 1] as number);
    headers.push(Buffer.from(buffer.subarray(at, end)));
    typeOids.push(typeOid);
    cells.push(table.cells.get(unquoteIdentifier(name)) ?? -1);
  }
  const infos = row.typeInfos;
  const typeInfos =
    infos.count === 0 ? null : Buffer.from(buffer.subarray(infos.bounds[0], infos.bounds[infos.count * 2 - 1]));
  return { headers, typeOids, cells, typeInfos };
}

/** The declared type of each column, where the row has them. */
function typeTexts(row: RowMessage, buffer: Buffer): readonly string[] {
  const { bounds, count } = row.typeInfos;
  const reader = new WireReader();
  return Array.from({ length: count }, (_, i) => {
    reader.open(buffer, bounds[i * 2] as number, bounds[i * 2 + 1] as number);
    let text = '';
    for (let field = reader.field(); field !== 0; field = reader.field()) {
      if (field === 1) text = reader.text();
      else reader.skip();
    }
    return text;
  });
}
