/** Decodes the messages of decoderbufs (cdc-postgres §5.12) to source records in place, as they are in Protobuf. */
import type { SourceOffset } from '@millrace/sdk';
import type { Client } from 'pg';
import type { Lsn } from '../../database/lsn';
import { readCell, undecodable, type Cells } from '../../events/row';
import type { TableModel } from '../../events/table-model';
import type { Session } from '../../session';
import { isTooLongText } from '../../values/too-long-text';
import { ChangeDecoder } from '../change-decoder';
import { NamedTables, oldKind, type RowShape } from '../named-table';
import type { Position } from '../position';
import type { Decoded } from '../stream-decoder';
import { Datum } from './datum';
import { beginsWith, encodedShape, hasTypeInfos, KnownTable, rowShape, tableName, type Shape } from './known-table';
import { malformed } from './wire';
import { BEGIN, COMMIT, DELETE, INSERT, RowMessage, type TupleBounds } from './row-message';

interface Lookup {
  readonly known: KnownTable;
  readonly shape: RowShape;
  readonly nullColumn: string | null;
}

export class DecoderbufsDecoder extends ChangeDecoder {
  private readonly row = new RowMessage();
  /** The buffer and position that `row` was parsed from. */
  private parsed: Buffer | null = null;
  private parsedAt = 0;
  private readonly datum = new Datum();
  private readonly named: NamedTables;
  private readonly tables = new Map<string, KnownTable>();
  private last: KnownTable | null = null;
  private lookup: Lookup | null = null;
  /** Its row is decoded again. */
  private justRead: KnownTable | null = null;

  constructor(
    private readonly session: Pick<Session, 'config' | 'relations' | 'factory' | 'logger'>,
    position: Position,
    lastOffset: SourceOffset | null,
  ) {
    super(session, position, lastOffset);
    this.named = new NamedTables(session.relations);
  }

  override restart(): void {
    super.restart();
    this.tables.clear();
    this.last = null;
    this.lookup = null;
    this.justRead = null;
    this.parsed = null;
  }

  override async prepare(connect: () => Promise<Client>): Promise<void> {
    const { lookup } = this;
    if (lookup === null) return;
    const { known, shape, nullColumn } = lookup;
    known.table = await this.named.read(await connect(), shape, nullColumn);
    // The row that is decoded again has this shape.
    known.shape = null;
    this.justRead = known;
    this.lookup = null;
  }

  protected override payload(buffer: Buffer, at: number, end: number, lsn: Lsn): Decoded {
    const { row } = this;
    this.parse(buffer, at, end);
    if (row.op === BEGIN) {
      this.begin(Infinity, row.xid, Number(row.commitMicros));
      return 'all';
    }
    if (row.op === COMMIT) {
      this.commit(lsn);
      return 'all';
    }
    const decoded = this.change(buffer, at, end, lsn);
    this.parsed = null;
    return decoded ? 'all' : 'blocked';
  }

  private parse(buffer: Buffer, at: number, end: number): void {
    this.row.parse(buffer, at, end);
    this.parsed = buffer;
    this.parsedAt = at;
  }

  protected override emit(buffer: Buffer, at: number, end: number, lsn: Lsn): boolean {
    if (this.parsed !== buffer || this.parsedAt !== at) this.parse(buffer, at, end);
    const known = this.tableOf(buffer);
    if (!known.isCaptured || !this.hasRow(known)) {
      this.counts.filtered++;
      this.advance(lsn);
      return true;
    }
    const { rows } = this;
    const mark = rows.out.length;
    const { lastOffset } = rows;
    if (!this.rowRecords(known, buffer, lsn)) {
      if (this.justRead === known) throw malformed('the tuples of a change have different columns');
      this.lookup = { known, shape: rowShape(known, this.row, buffer), nullColumn: null };
      return false;
    }
    this.justRead = null;
    const contradiction = this.contradiction(mark, lastOffset);
    if (contradiction !== null) {
      const shape = rowShape(known, this.row, buffer);
      this.lookup = { known, shape, nullColumn: contradiction.nullColumn };
      return false;
    }
    this.advance(lsn);
    return true;
  }

  private tableOf(buffer: Buffer): KnownTable {
    const { row, last } = this;
    if (last?.isTableOf(row, buffer)) return last;
    const key = buffer.toString('latin1', row.tableStart, row.tableEnd);
    let known = this.tables.get(key);
    if (known === undefined) {
      const name = tableName(row, buffer);
      const encoded = Buffer.from(buffer.subarray(row.tableStart, row.tableEnd));
      known = new KnownTable(encoded, name, this.relations.captures(name));
      this.tables.set(key, known);
    }
    this.last = known;
    return known;
  }

  /** The plugin sends updates and deletes of tables without replica identity, but not their rows. */
  private hasRow(known: KnownTable): boolean {
    const { row } = this;
    const { count } = row.op === DELETE ? row.oldTuple : row.newTuple;
    if (count === 0 && !known.warned) {
      known.warned = true;
      this.session.logger.warn(
        `The plugin decoderbufs sends neither updates nor deletes of table ${known.key}, which has no usable replica identity: they are not captured. Add a primary key, or run ALTER TABLE ${known.key} REPLICA IDENTITY FULL;`,
      );
    }
    return count > 0;
  }

  /** Adds the records of the parsed row. False when the definition of its table must be read first. */
  private rowRecords(known: KnownTable, buffer: Buffer, lsn: Lsn): boolean {
    const { rows, row } = this;
    const { table } = known;
    if (table === null) return false;
    const shape = (known.shape ??= encodedShape(table, row, buffer));
    const { model } = table.relation;
    if (model === null) {
      this.counts.filtered++;
      return true;
    }
    if (!hasTypeInfos(shape, row, buffer)) return false;
    if (row.op === INSERT) {
      if (!rows.emits('c')) return true;
      if (!this.tuple(row.newTuple, model, shape, buffer, rows.newCells)) return false;
      rows.insert(model, lsn);
    } else if (row.op === DELETE) {
      if (!rows.emits('d')) return true;
      if (!this.tuple(row.oldTuple, model, shape, buffer, rows.oldCells)) return false;
      rows.delete(table.relation, model, table.isFull ? 'complete' : 'key', lsn);
    } else {
      const hasOld = row.oldTuple.count > 0;
      if (hasOld && !this.tuple(row.oldTuple, model, shape, buffer, rows.oldCells)) return false;
      if (!this.tuple(row.newTuple, model, shape, buffer, rows.newCells)) return false;
      rows.update(table.relation, model, hasOld ? oldKind(table, rows) : 'none', lsn);
    }
    return true;
  }

  /** Fills the cells. False when the tuple has other columns than the shape. */
  private tuple(tuple: TupleBounds, model: TableModel, shape: Shape, buffer: Buffer, cells: Cells): boolean {
    const { datum, rowContext } = this;
    const { headers, typeOids, cells: positions } = shape;
    const { bounds, count } = tuple;
    if (count !== headers.length) return false;
    for (let i = 0; i < count; i++) {
      const header = headers[i] as Buffer;
      const at = bounds[i * 2] as number;
      const end = bounds[i * 2 + 1] as number;
      if (!beginsWith(header, buffer, at, end)) return false;
      const cell = positions[i] as number;
      if (cell < 0 || model.decoders[cell] == null) continue;
      const from = at + header.length;
      let found: 'text' | null | undefined;
      try {
        found = datum.read(buffer, from, end, typeOids[i] as number);
      } catch (error) {
        if (!isTooLongText(error)) throw error;
        cells[cell] = undecodable(buffer, from, end, model, cell, rowContext, error);
        continue;
      }
      cells[cell] = found === 'text' ? readCell(datum.buffer, datum.start, datum.end, model, cell, rowContext) : found;
    }
    // Columns that the row does not have.
    if (count < model.decoders.length)
      for (let cell = 0; cell < model.decoders.length; cell++) if (!positions.includes(cell)) cells[cell] = null;
    return true;
  }
}
