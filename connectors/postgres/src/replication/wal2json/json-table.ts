/** A table that wal2json names in each row, and its columns as encoded there. */
import { qualified, type TableName } from '../../database/catalog';
import type { NamedTable, RowColumn } from '../named-table';
import { JsonCursor, malformed } from './json-cursor';
import type { JsonTuple } from './json-tuple';

const BYTEA = 17;

/** A column as it was last encoded. */
interface Column {
  readonly name: Buffer;
  readonly type: Buffer;
  readonly cell: number;
  readonly isBytea: boolean;
}

export class JsonTable {
  private read: NamedTable | null = null;
  /** By cell. */
  private columns: (Column | undefined)[] = [];

  constructor(
    /** As in the messages, as JSON strings. */
    private readonly encodedSchema: Buffer,
    private readonly encodedName: Buffer,
    readonly name: TableName,
    readonly isCaptured: boolean,
  ) {}

  get key(): string {
    return qualified(this.name);
  }

  get table(): NamedTable | null {
    return this.read;
  }

  set table(table: NamedTable | null) {
    this.read = table;
    this.columns = [];
  }

  isNamed(
    buffer: Buffer,
    [schemaAt, schemaEnd]: readonly [number, number],
    [at, end]: readonly [number, number],
  ): boolean {
    return isAt(this.encodedName, buffer, at, end) && isAt(this.encodedSchema, buffer, schemaAt, schemaEnd);
  }

  /**
   * The cell of a column of a tuple; -1 when the table has no such column, or one of another type.
   * @param expected where it is if the tuple has the columns of the one before
   */
  cellOf(tuple: JsonTuple, i: number, buffer: Buffer, expected: number): number {
    const nameAt = tuple.nameAt[i] as number;
    const nameEnd = tuple.nameEnd[i] as number;
    const typeAt = tuple.typeAt[i] as number;
    const typeEnd = tuple.typeEnd[i] as number;
    const { columns } = this;
    for (let cell = expected; cell < columns.length; cell++) {
      const column = columns[cell];
      if (
        column !== undefined &&
        isAt(column.name, buffer, nameAt, nameEnd) &&
        isAt(column.type, buffer, typeAt, typeEnd)
      )
        return cell;
    }
    return this.find(buffer, nameAt, nameEnd, typeAt, typeEnd);
  }

  isBytea(cell: number): boolean {
    return this.columns[cell]?.isBytea === true;
  }

  private find(buffer: Buffer, nameAt: number, nameEnd: number, typeAt: number, typeEnd: number): number {
    const table = this.read as NamedTable;
    const name = stringAt(buffer, nameAt, nameEnd);
    const cell = table.cells.get(name);
    if (cell === undefined) return -1;
    const type = table.types.get(name) ?? null;
    const given = typeText(buffer, typeAt, typeEnd);
    if (given !== null && type !== null && !given.includes(type)) return -1;
    this.columns[cell] = {
      name: Buffer.from(buffer.subarray(nameAt, nameEnd)),
      type: Buffer.from(buffer.subarray(typeAt, typeEnd)),
      cell,
      isBytea: table.message.columns.find((column) => column.name === name)?.typeOid === BYTEA,
    };
    return cell;
  }
}

export function rowColumns(tuple: JsonTuple, buffer: Buffer): RowColumn[] {
  return Array.from({ length: tuple.count }, (_, i) => ({
    name: stringAt(buffer, tuple.nameAt[i] as number, tuple.nameEnd[i] as number),
    typeOid: null,
    type: typeText(buffer, tuple.typeAt[i] as number, tuple.typeEnd[i] as number)?.[0] ?? null,
  }));
}

/** @param at begin of a JSON string */
export function stringAt(buffer: Buffer, at: number, end: number): string {
  const cursor = new JsonCursor();
  cursor.open(buffer, at, end);
  cursor.string();
  return cursor.text();
}

/**
 * What a declared type may mean, the likelier first: the plugin writes `"My Type"` as it is instead of making a JSON
 * string of it. Null if the row does not say. Throws for a name that makes it malformed, which might pass for other
 * members.
 */
function typeText(buffer: Buffer, at: number, end: number): readonly string[] | null {
  if (at === end) return null;
  const raw = buffer.toString('utf8', at, end);
  const cursor = new JsonCursor();
  cursor.open(buffer, at, end);
  cursor.string();
  if (cursor.at < end) {
    if (raw.includes('\\')) throw malformed(`the name of a type, ${raw}`);
    return [raw];
  }
  const text = cursor.text();
  // Quotes come in pairs.
  if (text.split('"').length % 2 === 0) throw malformed(`the name of a type, ${raw}`);
  return /^[a-z_]/.test(text) || text.includes('"') ? [text, raw] : [raw, text];
}

function isAt(expected: Buffer, buffer: Buffer, at: number, end: number): boolean {
  const { length } = expected;
  if (end - at !== length) return false;
  for (let i = 0; i < length; i++) if (buffer[at + i] !== expected[i]) return false;
  return true;
}
