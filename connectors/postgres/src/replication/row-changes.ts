/**
 * Converts the decoded tuples of a change to source records, with old and new values where Debezium puts them
 * (cdc-postgres §2).
 */
import { ConnectError, RawRow, type Logger, type SourceOffset, type SourceRecord } from '@millrace/sdk';
import type { Operation, PostgresConfig } from '../config/postgres-config';
import type { Lsn } from '../database/lsn';
import type { Struct } from '../events/event-context';
import type { EventFactory } from '../events/event-factory';
import { completeRow, keyOf, keyOnlyRow, sameStruct, type Cells, type RowContext } from '../events/row';
import type { RawTable, RowShape } from '../events/raw-table';
import type { ModelField, TableModel } from '../events/table-model';
import type { OffsetMembers } from './offset-members';
import { decodedValues, isPlainInsert, isPlainReplace, SharedRowValues } from './raw-changes';
import type { ChangeObserver, OldTuple } from './change-observer';
import { streamedOffset, type Position } from './position';
import type { Relation } from '../events/relations';
import type { UnsentValues } from '../events/unsent-values';
import type { Transaction } from './transaction';

export type { OldTuple };

export class RowChanges {
  /** Where records go; set before each batch. */
  out: SourceRecord[] = [];
  /** The row of the next `insert` or `update`. */
  readonly newCells: Cells = [];
  /** The old row of the next `update` or `delete`. */
  readonly oldCells: Cells = [];
  observer: ChangeObserver | null = null;
  /** See `lastOffset`. */
  private last: SourceOffset;
  /** Of the last event, while the records carry an earlier offset. */
  private pending: SourceOffset | null = null;
  /** The change that `notify` reports; null: its table is not observed. */
  private seen: { op: 'c' | 'u' | 'd'; model: TableModel; old: OldTuple } | null = null;
  private readonly shared = new SharedRowValues();
  /** Columns and counts are added to events later, so that rows must be decoded. */
  private readonly completes: boolean;
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
    private readonly members: OffsetMembers,
    private readonly unsent: UnsentValues,
    lastOffset: SourceOffset,
  ) {
    this.last = lastOffset;
    this.completes = config.reselect !== null || members.metadata !== null;
  }

  /** Carried by records that precede the last one of their event. */
  get lastOffset(): SourceOffset {
    return this.last;
  }
  set lastOffset(offset: SourceOffset) {
    if (offset !== this.last) this.pending = null;
    this.last = offset;
  }

  /** Removes the records from `mark` on. @param lastOffset the offset before them */
  discard(mark: number, lastOffset: SourceOffset): void {
    this.out.length = mark;
    this.last = lastOffset;
    this.pending = null;
  }

  /** The last record gets the offset of its event. Only the batch that is being decoded may be changed. */
  endBatch(): void {
    const { pending, last, out } = this;
    if (pending !== null) {
      this.lastOffset = this.members.add(pending);
      const record = out.at(-1);
      if (record?.sourceOffset === last) (record as { sourceOffset: SourceOffset }).sourceOffset = this.lastOffset;
    }
    this.out = [];
  }

  /** Whether rows of the operation must be decoded. A key change counts as a delete and a create. */
  emits(operation: Operation): boolean {
    if (this.observer !== null || !this.config.skipped.has(operation)) return true;
    this.factory.counts.filtered++;
    return false;
  }

  /** Whether `skipped.operations` leaves the operation in. */
  private publishes(operation: Operation): boolean {
    if (!this.config.skipped.has(operation)) return true;
    this.factory.counts.filtered++;
    return false;
  }

  /** Reports the last change. Call when its records are final. */
  notify(): void {
    const { seen } = this;
    if (seen === null) return;
    this.seen = null;
    this.observer?.changed(seen.op, seen.model, this.newCells, this.oldCells, seen.old, this.tx.xid);
  }

  /** The last change is not published, so it is not reported either. */
  forget(): void {
    this.seen = null;
  }

  /** From now on, and in the record that was emitted last. Null: none. */
  shareMembers(members: SourceOffset | null, bare: (offset: SourceOffset) => SourceOffset): void {
    const { lastOffset, out } = this;
    this.members.snapshot = members;
    this.last = { ...bare(lastOffset), ...members };
    const last = out.at(-1);
    if (last?.sourceOffset === lastOffset) (last as { sourceOffset: SourceOffset }).sourceOffset = this.last;
  }

  private see(op: 'c' | 'u' | 'd', model: TableModel, old: OldTuple): void {
    if (this.observer?.watches(model)) this.seen = { op, model, old };
  }

  private source(model: TableModel, lsn: Lsn): Struct {
    return this.factory.source(model, this.tx, 'false', lsn, this.at.commit);
  }

  private offset(type: string, lsn: Lsn, sameLsn = this.tx.sameLsn): SourceOffset {
    return this.offsetOf(streamedOffset(type, lsn, this.at.commit, sameLsn, this.tx));
  }

  /** @returns the offset that the event gets: its own with all members, or the last one */
  offsetOf(offset: SourceOffset): SourceOffset {
    if (this.members.isDue()) return this.members.add(offset);
    this.pending = offset;
    return this.last;
  }

  /** Counts an event; call before its offset is built. Returns its `transaction` block. */
  private counted(model: TableModel, lsn: Lsn): Struct | null {
    const { metadata } = this.members;
    return metadata === null ? null : metadata.event(this.tx, model.counts.table, lsn);
  }

  private push(record: SourceRecord, transaction: Struct | null): void {
    if (transaction !== null) (record.value as Struct).transaction = transaction;
    this.out.push(record);
  }

  /** Emits the row as the server sent it. False: it must be decoded. Call only if `emits('c')`. */
  insertRaw(model: TableModel, bytes: Buffer, at: number, end: number, lsn: Lsn): boolean {
    const raw = this.rawOf(model, 'c', lsn);
    if (raw === null || !isPlainInsert(raw, bytes, at, end)) return false;
    return this.pushRaw(model, raw.insert, bytes, at, 'INSERT', lsn);
  }

  /** As `insertRaw`. @param at of the complete old row, or of the new one if there is no old one */
  updateRaw(model: TableModel, old: OldTuple, bytes: Buffer, at: number, end: number, lsn: Lsn): boolean {
    if (old === 'key') return false;
    const raw = this.rawOf(model, 'u', lsn);
    if (raw === null) return false;
    const isComplete = old === 'complete';
    if (isComplete && this.config.events.skipUnchanged) return false;
    if (!(isComplete ? isPlainReplace(raw, bytes, at, end) : isPlainInsert(raw, bytes, at, end))) return false;
    return this.pushRaw(model, isComplete ? raw.replace : raw.update, bytes, at, 'UPDATE', lsn);
  }

  private rawOf(model: TableModel, operation: Operation, lsn: Lsn): RawTable | null {
    if (this.completes || typeof lsn !== 'number' || this.config.skipped.has(operation)) return null;
    return this.observer?.watches(model) ? null : model.raw;
  }

  private pushRaw(model: TableModel, shape: RowShape, bytes: Buffer, at: number, type: string, lsn: Lsn): boolean {
    const decoded = decodedValues(shape, bytes, at);
    if (decoded === undefined) return false;
    const { factory } = this;
    const offset = this.offset(type, lsn);
    factory.count(model, shape.op);
    const shared = this.shared.of(this.tx, this.at, factory);
    const row = new RawRow(shape, bytes, at, shared, lsn as number, decoded);
    this.out.push(factory.rawRecord(model, row, offset));
    this.lastOffset = offset;
    return true;
  }

  /** Call only if `emits('c')`. */
  insert(model: TableModel, lsn: Lsn): void {
    if (this.observer !== null) this.see('c', model, 'none');
    if (!this.publishes('c')) return;
    const { newCells, factory, context } = this;
    const transaction = this.counted(model, lsn);
    const offset = this.offset('INSERT', lsn);
    const source = this.source(model, lsn);
    const row = completeRow(model, newCells, context);
    this.push(factory.record(model, keyOf(model, newCells), 'c', null, row, source, offset), transaction);
    this.lastOffset = offset;
  }

  update(relation: Relation, model: TableModel, old: OldTuple, lsn: Lsn): void {
    if (this.observer !== null) this.see('u', model, old);
    const { newCells, oldCells, factory, context } = this;
    let before: Struct | null = null;
    if (old === 'complete') {
      for (let i = 0; i < model.decoders.length; i++) if (newCells[i] === undefined) newCells[i] = oldCells[i];
      before = completeRow(model, oldCells, context);
    } else if (old === 'key') {
      // The old key is also sent when it is TOASTed and unchanged. Columns outside the replica identity are null here.
      for (let i = 0; i < model.decoders.length; i++)
        if (newCells[i] === undefined && oldCells[i] !== null) newCells[i] = oldCells[i];
      before = keyOnlyRow(model, oldCells);
    }
    // What an old row lacks.
    context.takeUnsent();
    const after = completeRow(model, newCells, context);
    const unsent = context.takeUnsent();
    const key = keyOf(model, newCells);
    if (old !== 'none' && key !== null && this.oldKeyKnown(relation, model, old === 'complete')) {
      const oldKey = keyOf(model, oldCells) as Struct;
      if (!sameStruct(oldKey, key)) {
        this.checkNewKey(model, newCells);
        this.keyChange(model, oldKey, key, before, after, unsent, lsn);
        return;
      }
    }
    if (!this.publishes('u')) return;
    if (this.config.events.skipUnchanged && old === 'complete' && sameStruct(before as Struct, after)) {
      factory.counts.unchanged++;
      return;
    }
    this.checkNewKey(model, newCells);
    if (unsent !== null) this.unsent.check(model, unsent);
    const transaction = this.counted(model, lsn);
    const offset = this.offset('UPDATE', lsn);
    const record = factory.record(model, key, 'u', before, after, this.source(model, lsn), offset);
    if (unsent !== null) this.unsent.mark(record, model, unsent);
    this.push(record, transaction);
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
    unsent: readonly ModelField[] | null,
    lsn: Lsn,
  ): void {
    const { factory, out, lastOffset } = this;
    const create = this.publishes('c');
    if (create && unsent !== null) this.unsent.check(model, unsent);
    const remove = this.publishes('d');
    const deleted = remove ? this.counted(model, lsn) : null;
    const created = create ? this.counted(model, lsn) : null;
    const offset = this.offset('UPDATE', lsn);
    const source = this.source(model, lsn);
    if (remove) {
      const headers = factory.keyHeader('newkey', model, key);
      const tombstone = this.config.events.tombstones;
      const deleteOffset = create || tombstone ? lastOffset : offset;
      this.push(factory.record(model, oldKey, 'd', before, null, source, deleteOffset, headers), deleted);
      if (tombstone) out.push(factory.tombstone(model, oldKey, create ? lastOffset : offset, headers));
    }
    if (create) {
      const headers = factory.keyHeader('oldkey', model, oldKey);
      const record = factory.record(model, key, 'c', null, after, source, offset, headers);
      if (unsent !== null) this.unsent.mark(record, model, unsent);
      this.push(record, created);
    }
    this.lastOffset = offset;
  }

  /** Call only if `emits('d')`. */
  delete(relation: Relation, model: TableModel, old: OldTuple, lsn: Lsn): void {
    if (this.observer !== null) this.see('d', model, old);
    if (!this.publishes('d')) return;
    const { oldCells, factory, context, lastOffset, out } = this;
    const complete = old === 'complete';
    if (!complete) this.oldKeyKnown(relation, model, complete);
    const before = complete ? completeRow(model, oldCells, context) : keyOnlyRow(model, oldCells);
    const key = keyOf(model, oldCells);
    const transaction = this.counted(model, lsn);
    const offset = this.offset('DELETE', lsn);
    const source = this.source(model, lsn);
    // A tombstone without key would be refused by compacted topics and means nothing in others (§2.8).
    const tombstone = this.config.events.tombstones && key !== null;
    this.push(factory.record(model, key, 'd', before, null, source, tombstone ? lastOffset : offset), transaction);
    if (tombstone) out.push(factory.tombstone(model, key, offset));
    this.lastOffset = offset;
  }

  /** @param count number of tables truncated together, of which `models` are captured */
  truncate(models: readonly TableModel[], count: number, lsn: Lsn): void {
    const { observer } = this;
    if (observer !== null)
      for (const model of models) if (observer.watches(model)) observer.truncated(model, this.tx.xid);
    if (models.length === 0 || !this.publishes('t')) return;
    const transactions = models.map((model) => this.counted(model, lsn));
    // Debezium counts each table as one event.
    const offset = this.offset('TRUNCATE', lsn, count);
    models.forEach((model, i) => {
      const own = i === models.length - 1 ? offset : this.lastOffset;
      const record = this.factory.record(model, null, 't', null, null, this.source(model, lsn), own);
      this.push(record, transactions[i] ?? null);
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
      `to columns of its identity, or event.incomplete.key.handling=debezium.`;
    if (this.config.events.incompleteKey === 'fail')
      throw new ConnectError(message, { code: 'PG_INCOMPLETE_KEY', place: { table } });
    warned.add(model);
    this.logger.warn(message);
  }
}

function tableName(model: TableModel): string {
  return `${model.schema}.${model.name}`;
}
