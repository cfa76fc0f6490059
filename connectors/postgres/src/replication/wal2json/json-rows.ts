/** Rows of wal2json's changes, and the definitions of their tables. */
import type { Client } from 'pg';
import type { Lsn } from '../../database/lsn';
import { readCell, sameValue, type Cells, type RowContext } from '../../events/row';
import type { Relations } from '../../events/relations';
import type { TableModel } from '../../events/table-model';
import { NamedTables, oldKind, type NamedTable, type RowShape } from '../named-table';
import type { OldTuple, RowChanges } from '../row-changes';
import type { ChangeObject } from './change-object';
import { malformed } from './json-cursor';
import { JsonTable, rowColumns, stringAt } from './json-table';
import type { JsonTuple } from './json-tuple';
import { JsonValue } from './json-value';

interface Lookup {
  readonly known: JsonTable;
  readonly shape: RowShape;
  readonly nullColumn: string | null;
}

export class JsonRows {
  private readonly named: NamedTables;
  private readonly tables = new Map<string, JsonTable>();
  private last: JsonTable | null = null;
  private lookup: Lookup | null = null;
  /** Its row is decoded again, whatever columns it lacks. */
  private justRead: JsonTable | null = null;
  private readonly value = new JsonValue();

  constructor(
    private readonly relations: Relations,
    private readonly rows: RowChanges,
    private readonly context: RowContext,
  ) {
    this.named = new NamedTables(relations);
  }

  restart(): void {
    this.tables.clear();
    this.last = null;
    this.lookup = null;
    this.justRead = null;
  }

  /** Reads the definition that `block` requires. */
  async prepare(connect: () => Promise<Client>): Promise<void> {
    const { lookup } = this;
    if (lookup === null) return;
    const { known, shape, nullColumn } = lookup;
    known.table = await this.named.read(await connect(), shape, nullColumn);
    this.justRead = known;
    this.lookup = null;
  }

  block(known: JsonTable, object: ChangeObject, buffer: Buffer, nullColumn: string | null): void {
    const { newTuple, oldTuple, action } = object;
    const columns = rowColumns(newTuple, buffer);
    const old = rowColumns(oldTuple, buffer);
    columns.push(...old.filter(({ name }) => columns.every((column) => column.name !== name)));
    const kind = action === 'insert' ? 'complete' : action === 'update' ? 'update' : 'key';
    const identity = old.map(({ name }) => name);
    this.lookup = { known, nullColumn, shape: { ...known.name, columns, kind, identity } };
  }

  tableOf({ schema, table }: ChangeObject, buffer: Buffer): JsonTable {
    if (this.last?.isNamed(buffer, schema, table)) return this.last;
    const encoded = [schema, table].map(([at, end]) => Buffer.from(buffer.subarray(at, end))) as [Buffer, Buffer];
    const key = encoded.map((name) => name.toString('latin1')).join('.');
    let known = this.tables.get(key);
    if (known === undefined) {
      const name = { schema: stringAt(buffer, ...schema), name: stringAt(buffer, ...table) };
      known = new JsonTable(...encoded, name, this.relations.captures(name));
      this.tables.set(key, known);
    }
    this.last = known;
    return known;
  }

  /** Adds the records of a change. False when the definition of its table must be read first: call `block`. */
  emit(known: JsonTable, object: ChangeObject, buffer: Buffer, lsn: Lsn): boolean {
    const { rows } = this;
    const { newTuple, oldTuple, action } = object;
    object.readTuples(buffer);
    const { table } = known;
    if (table === null) return false;
    const { relation } = table;
    const { model } = relation;
    if (model === null) return true;
    switch (action) {
      case 'insert':
        if (!rows.emits('c')) break;
        if (!this.fill(known, newTuple, model, buffer, rows.newCells, 'insert')) return false;
        rows.insert(model, lsn);
        break;
      case 'update': {
        if (!this.fill(known, newTuple, model, buffer, rows.newCells, 'update')) return false;
        if (!this.fill(known, oldTuple, model, buffer, rows.oldCells, 'old')) return false;
        rows.update(relation, model, this.oldTuple(table, oldTuple, model), lsn);
        break;
      }
      case 'delete':
        if (!rows.emits('d')) break;
        if (!this.fill(known, oldTuple, model, buffer, rows.oldCells, 'old')) return false;
        rows.delete(relation, model, table.isFull ? 'complete' : 'key', lsn);
        break;
      default:
        rows.truncate([model], 1, lsn);
    }
    this.justRead = null;
    return true;
  }

  /** The plugin takes the identity from the new row when there is no old one; that is no old tuple. */
  private oldTuple(table: NamedTable, { count }: JsonTuple, model: TableModel): OldTuple {
    const { newCells, oldCells } = this.rows;
    if (count === 0) return 'none';
    if (table.isFull) return oldKind(table, this.rows);
    for (let cell = 0; cell < model.decoders.length; cell++)
      if (oldCells[cell] !== null && !sameValue(oldCells[cell], newCells[cell])) return 'key';
    return 'none';
  }

  /** Fills the cells. False when the tuple has other columns than the table. */
  private fill(
    known: JsonTable,
    tuple: JsonTuple,
    model: TableModel,
    buffer: Buffer,
    cells: Cells,
    kind: 'insert' | 'update' | 'old',
  ): boolean {
    const { value, context } = this;
    const width = model.decoders.length;
    // What an update leaves out is unchanged; identities leave out NULL.
    for (let cell = 0; cell < width; cell++) cells[cell] = kind === 'old' ? null : undefined;
    let expected = 0;
    for (let i = 0; i < tuple.count; i++) {
      const cell = known.cellOf(tuple, i, buffer, expected);
      if (cell < 0) {
        if (this.justRead === known) throw malformed('a column has two types');
        return false;
      }
      expected = cell + 1;
      const at = tuple.valueAt[i] as number;
      const found = value.read(buffer, at, tuple.valueEnd[i] as number, known.isBytea(cell));
      cells[cell] = found === null ? null : readCell(value.buffer, value.start, value.end, model, cell, context);
    }
    return kind === 'old' || tuple.count === width || this.mayLack(known, model, cells, kind);
  }

  private mayLack(known: JsonTable, model: TableModel, cells: Cells, kind: 'insert' | 'update'): boolean {
    const { toastable } = known.table as NamedTable;
    const isSettled = this.justRead === known;
    for (let cell = 0; cell < model.decoders.length; cell++) {
      if (cells[cell] !== undefined) continue;
      const isUnchanged = kind === 'update' && toastable.has(model.columns[cell] as string);
      if (!isUnchanged && !isSettled) return false;
      if (!isUnchanged) cells[cell] = null;
    }
    return true;
  }
}
