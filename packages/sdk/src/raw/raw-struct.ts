/**
 * Structs whose members still are the text of another system: a converter can write them to its own format without
 * making JavaScript values of them. What describes them is built once, for all rows of a table.
 *
 * Only sources that move many rows need them. The runtime makes plain values of them before anything that does not
 * take them: transformations, other converters, reports.
 */
import type { ConnectValue } from '../record';
import type { Schema } from '../schema';

/** Reads what lies between `start` and `end`. */
export type ReadCell<T> = (bytes: Buffer, start: number, end: number) => T;

/**
 * What the text of a cell looks like. `decode` gives its Connect value; the other members are a shorter way to the same
 * value, for converters that know it:
 *
 * - `text`: UTF-8, the value of a STRING. Bytes that are no UTF-8 stand for what `decode` makes of them.
 * - `integer`: decimal digits, perhaps after a minus sign, the value of an INT8 to INT64.
 * - `boolean`: `t` or `f`.
 * - `number`: `read` gives the integer that the schema's type holds, e.g. milliseconds for a Timestamp.
 * - `decimal`: `read` gives the unscaled value, which a double represents exactly; the schema has the scale.
 * - `ascii`: `write` puts the value of a STRING at `to` of `target` and gives where it ends. It has at most `size`
 *   characters, printable ASCII without quotes and backslashes.
 */
export type CellForm =
  | { readonly form: 'text' | 'integer' | 'boolean'; readonly decode: ReadCell<ConnectValue> }
  | { readonly form: 'number' | 'decimal'; readonly decode: ReadCell<ConnectValue>; readonly read: ReadCell<number> }
  | {
      readonly form: 'ascii';
      readonly decode: ReadCell<ConnectValue>;
      readonly size: number;
      readonly write: (bytes: Buffer, start: number, end: number, target: Uint8Array, to: number) => number;
    };

/**
 * Where a member has its value from:
 *
 * - `constant`: the same in every row.
 * - `shared`: `shared[slot]` of the row, a value that consecutive rows share: an integer, a string, a boolean or null.
 * - `own`: the row's own integer.
 * - `joined`: a string of `shared[slot]`, a string, the row's own integer, and `tail`.
 * - `cell`: a cell of the row; null if it has none.
 * - `decoded`: `decoded[index]` of the row, any Connect value.
 */
export type RawMember =
  | { readonly from: 'constant'; readonly value: ConnectValue }
  | { readonly from: 'shared'; readonly slot: number }
  | { readonly from: 'own' }
  | { readonly from: 'joined'; readonly slot: number; readonly tail: string }
  | { readonly from: 'cell'; readonly cell: number; readonly form: CellForm }
  | { readonly from: 'decoded'; readonly index: number }
  | { readonly from: 'struct'; readonly struct: RawStruct };

export interface RawStruct {
  readonly schema: Schema;
  /** In the order of the schema's fields. A source has made sure that each value fits its field. */
  readonly members: readonly RawMember[];
}

export interface RawShape {
  /** Null: records have no key. */
  readonly key: RawStruct | null;
  readonly value: RawStruct;
  /** Number of cells. */
  readonly cells: number;
  /** Writes where each cell of the row at `at` starts and ends into `spans`, two numbers each; a start of -1: null. */
  readonly locate: (bytes: Buffer, at: number, spans: Int32Array) => void;
}

/** Values that consecutive rows share, by slot. Another array wherever one of them differs. */
export type SharedValues = readonly (string | number | bigint | boolean | null)[];

/** What members are read from: a row whose cells are located. */
export interface RawCells {
  readonly bytes: Buffer;
  readonly spans: Int32Array;
  readonly shared: SharedValues;
  readonly own: number;
  readonly decoded: readonly ConnectValue[] | null;
}
