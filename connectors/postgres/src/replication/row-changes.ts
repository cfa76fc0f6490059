/**
 * Converts the tuples of a change message to source records, with old and new values where Debezium puts them
 * (cdc-postgres §2).
 */
import { ConnectError, type Logger, type SourceOffset, type SourceRecord } from '@millrace/sdk';
import type { Operation, PostgresConfig } from '../config/postgres-config';
import type { Lsn } from '../database/lsn';
import type { EventFactory } from '../events/event-factory';
import {
  completeRow,
  keyOf,
  keyOnlyRow,
  readTuple,
  sameKey,
  sameRow,
  type Cells,
  type RowContext,
  type Struct,
} from '../events/row';
import type { ModelField, TableModel } from '../events/table-model';
import { streamedOffset, type Position } from './position';
import type { Relation } from '../events/relations';
import type { Transaction } from './transaction';

const KEY_TUPLE = 0x4b; // K
const OLD_TUPLE = 0x4f; // O

export class RowChanges {
  /** Where records go; set before each batch. */
  out: SourceRecord[] = [];
  private readonly newCells: Cells = [];
  private readonly oldCells: Cells = [];
  /** Tables whose incomplete keys, in old and in new rows, were logged. */
  private readonly warnedOfOld = new WeakSet<TableModel>();
  private readonly warnedOfNew = new WeakSet<TableModel>();

  constructor(
    private readonly config: PostgresConfig,
    private readonly factory: EventFactory,
    private readonly logger: Logger,
    private readonly context: RowContext,
    private readonly tx: Transaction,
    private readonly at: Pick<Position, 'commit'>,
    /** Carried by records that precede the last one of their event. */
    public lastOffset: SourceOffset,
  ) {}

  private emits(operation: Operation): boolean {
    return !this.config.skipped.has(operation);
  }

  private source(model: TableModel, lsn: Lsn): Struct {
    return this.factory.source(model, this.tx, 'false', lsn, this.at.commit);
  }

  private offset(type: string, lsn: Lsn, sameLsn = this.tx.sameLsn): SourceOffset {
    return streamedOffset(type, lsn, this.at.commit, sameLsn, this.tx);
  }

  insert(model: TableModel, buffer: Buffer, at: number, lsn: Lsn): void {
    if (!this.emits('c')) return;
    const { newCells, factory, context } = this;
    readTuple(buffer, at, model, newCells, context);
    const offset = this.offset('INSERT', lsn);
    const source = this.source(model, lsn);
    this.out.push(
      factory.record(model, keyOf(model, newCells), 'c', null, completeRow(model, newCells, context), source, offset),
    );
    this.lastOffset = offset;
  }

  update(relation: Relation, model: TableModel, buffer: Buffer, from: number, lsn: Lsn): void {
    const { newCells, oldCells, factory, context } = this;
    let at = from;
    const oldKind = buffer[at];
    const hasOld = oldKind === KEY_TUPLE || oldKind === OLD_TUPLE;
    if (hasOld) {
      at = readTuple(buffer, at + 1, model, oldCells, context);
    }
    readTuple(buffer, at + 1, model, newCells, context);
    let before: Struct | null = null;
    if (oldKind === OLD_TUPLE) {
      for (let i = 0; i < model.decoders.length; i++) if (newCells[i] === undefined) newCells[i] = oldCells[i];
      before = completeRow(model, oldCells, context);
    } else if (hasOld) {
      // The old key is also sent when it is TOASTed and unchanged. Columns outside the replica identity are null here.
      for (let i = 0; i < model.decoders.length; i++)
        if (newCells[i] === undefined && oldCells[i] !== null) newCells[i] = oldCells[i];
      before = keyOnlyRow(model, oldCells);
    }
    const after = completeRow(model, newCells, context);
    const key = keyOf(model, newCells);
    if (hasOld && key !== null && this.oldKeyKnown(relation, model, oldKind === OLD_TUPLE)) {
      const oldKey = keyOf(model, oldCells) as Struct;
      if (!sameKey(oldKey, key)) {
        this.checkNewKey(model, newCells);
        this.keyChange(model, oldKey, key, before, after, lsn);
        return;
      }
    }
    if (!this.emits('u')) return;
    if (this.config.events.skipUnchanged && oldKind === OLD_TUPLE && sameRow(model, oldCells, newCells)) return;
    this.checkNewKey(model, newCells);
    const offset = this.offset('UPDATE', lsn);
    this.out.push(factory.record(model, key, 'u', before, after, this.source(model, lsn), offset));
    this.lastOffset = offset;
  }

  /**
   * Delete and tombstone of the old key, then creation of the new one (§2.6 e). Only the last record carries the new
   * offset.
   */
  private keyChange(
    model: TableModel,
    oldKey: Struct,
    key: Struct,
    before: Struct | null,
    after: Struct,
    lsn: Lsn,
  ): void {
    const { factory, out, lastOffset } = this;
    const offset = this.offset('UPDATE', lsn);
    const create = this.emits('c');
    const source = this.source(model, lsn);
    if (this.emits('d')) {
      const headers = factory.keyHeader('newkey', model, key);
      const tombstone = this.config.events.tombstones;
      const deleteOffset = create || tombstone ? lastOffset : offset;
      out.push(factory.record(model, oldKey, 'd', before, null, source, deleteOffset, headers));
      if (tombstone) out.push(factory.tombstone(model, oldKey, create ? lastOffset : offset, headers));
    }
    if (create) {
      const headers = factory.keyHeader('oldkey', model, oldKey);
      out.push(factory.record(model, key, 'c', null, after, source, offset, headers));
    }
    this.lastOffset = offset;
  }

  delete(relation: Relation, model: TableModel, buffer: Buffer, at: number, lsn: Lsn): void {
    if (!this.emits('d')) return;
    const { oldCells, factory, context, lastOffset, out } = this;
    const complete = buffer[at] === OLD_TUPLE;
    readTuple(buffer, at + 1, model, oldCells, context);
    if (!complete) this.oldKeyKnown(relation, model, complete);
    const before = complete ? completeRow(model, oldCells, context) : keyOnlyRow(model, oldCells);
    const key = keyOf(model, oldCells);
    const offset = this.offset('DELETE', lsn);
    const source = this.source(model, lsn);
    // A tombstone without key would be refused by compacted topics and means nothing in others (§2.8).
    const tombstone = this.config.events.tombstones && key !== null;
    out.push(factory.record(model, key, 'd', before, null, source, tombstone ? lastOffset : offset));
    if (tombstone) out.push(factory.tombstone(model, key, offset));
    this.lastOffset = offset;
  }

  /** @param count number of tables truncated together, of which `models` are captured */
  truncate(models: readonly TableModel[], count: number, lsn: Lsn): void {
    if (!this.emits('t') || models.length === 0) return;
    // Debezium counts each table as one event.
    const offset = this.offset('TRUNCATE', lsn, count);
    models.forEach((model, i) => {
      const own = i === models.length - 1 ? offset : this.lastOffset;
      this.out.push(this.factory.record(model, null, 't', null, null, this.source(model, lsn), own));
    });
    this.lastOffset = offset;
  }

  private oldKeyKnown(relation: Relation, model: TableModel, complete: boolean): boolean {
    if (complete || relation.missingInOldKey.length === 0) return true;
    if (this.complains(model, this.warnedOfOld)) {
      const columns = relation.missingInOldKey.join(', ');
      const reason = `Old rows of table ${tableName(model)} do not contain the key column ${columns}: its REPLICA IDENTITY does not cover the record key.`;
      this.incompleteKey(model, this.warnedOfOld, reason);
    }
    // Debezium takes the key without those columns for another one.
    return this.config.events.incompleteKey === 'debezium';
  }

  /**
   * Large values that an update leaves alone come with the identity only, and from servers before 2022 not even then.
   */
  private checkNewKey(model: TableModel, cells: Cells): void {
    const { key } = model;
    for (let i = 0; i < key.length; i++) {
      const { cell, column } = key[i] as ModelField;
      if (cells[cell] !== undefined || !this.complains(model, this.warnedOfNew)) continue;
      const reason = `An update of table ${tableName(model)} does not hold the key column ${column}: its value is stored out of line and did not change, and its REPLICA IDENTITY does not cover it.`;
      this.incompleteKey(model, this.warnedOfNew, reason);
    }
  }

  private complains(model: TableModel, warned: WeakSet<TableModel>): boolean {
    const mode = this.config.events.incompleteKey;
    return mode === 'fail' || (mode === 'warn' && !warned.has(model));
  }

  private incompleteKey(model: TableModel, warned: WeakSet<TableModel>, reason: string): void {
    const table = tableName(model);
    const message =
      `${reason} Run ALTER TABLE ${table} REPLICA IDENTITY FULL; (DEFAULT where the key is the primary key), or set message.key.columns ` +
      `to columns of its identity, or event.incomplete.key.handling=warn.`;
    if (this.config.events.incompleteKey === 'fail')
      throw new ConnectError(message, { code: 'PG_INCOMPLETE_KEY', place: { table } });
    warned.add(model);
    this.logger.warn(message);
  }
}

function tableName(model: TableModel): string {
  return `${model.schema}.${model.name}`;
}
