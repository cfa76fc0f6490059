/** Reads signals from rows that are inserted into the signal table (cdc-postgres §4.9). */
import type { JsonValue } from '@millrace/sdk';
import { qualified } from '../database/catalog';
import type { Cells } from '../events/row';
import type { TableModel } from '../events/table-model';
import { signalOf } from '../signals/parse-signal';
import type { Signal } from '../signals/signal';

export function isSignalTable(model: TableModel, table: string | null): boolean {
  return table !== null && table.length === model.schema.length + model.name.length + 1 && qualified(model) === table;
}

/** The columns are taken by their position. Throws an Error whose message completes "The signal …". */
export function signalOfRow(cells: Cells): Signal {
  return signalOf(text(cells[0]), text(cells[1]), text(cells[2]), 'source');
}

/** Id of a row, also of a deleted one; null: it is not a text. */
export function rowId(cells: Cells): string | null {
  return typeof cells[0] === 'string' ? cells[0] : null;
}

function text(value: unknown): JsonValue {
  return typeof value === 'string' ? value : null;
}
