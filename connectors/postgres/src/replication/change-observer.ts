import type { Cells } from '../events/row';
import type { TableModel } from '../events/table-model';

/** What the old row of a change holds: nothing, the columns of the replica identity, or all columns. */
export type OldTuple = 'none' | 'key' | 'complete';

/** Follows the changes of some tables, also those that `skipped.operations` leaves out. */
export interface ChangeObserver {
  watches(model: TableModel): boolean;
  /**
   * A change of a watched table was decoded, and its records are in the batch. The cells are valid during the call.
   */
  changed(
    op: 'c' | 'u' | 'd',
    model: TableModel,
    newCells: Cells,
    oldCells: Cells,
    old: OldTuple,
    /** Of the transaction, without its epoch. */
    xid: number,
  ): void;
  truncated(model: TableModel, xid: number): void;
}
