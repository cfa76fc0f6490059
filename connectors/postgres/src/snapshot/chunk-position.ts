/** How far the rows of a chunk were read: exactly-once offsets carry it. Pure. */
import { rowPosition } from './block-ranges';

/** The last row: the part of the table that it lies in (0 unless there are several), and its position there. */
export interface LastRow {
  readonly part: number;
  readonly position: number;
}

export class ChunkPosition {
  private part = 0;
  private position = -1;
  private partBefore = 0;
  private positionBefore = -1;

  /** @param hasParts the query of the chunk has the part's oid as its last column but one */
  constructor(private readonly hasParts: boolean) {}

  /** @param end of a DataRow message, whose last column is the ctid as text */
  row(buffer: Buffer, end: number): void {
    this.partBefore = this.part;
    this.positionBefore = this.position;
    let at = end - 2;
    let number = 0;
    let scale = 1;
    for (let byte = buffer[at] as number; byte !== COMMA; byte = buffer[--at] as number) {
      number += (byte - ZERO) * scale;
      scale *= 10;
    }
    const row = number;
    number = 0;
    scale = 1;
    for (let byte = buffer[--at] as number; byte !== PARENTHESIS; byte = buffer[--at] as number) {
      number += (byte - ZERO) * scale;
      scale *= 10;
    }
    this.position = rowPosition(number, row);
    if (!this.hasParts) return;
    // Before the length of the last column. The length of the oid is no digit.
    at -= 5;
    number = 0;
    scale = 1;
    for (let byte = buffer[at] as number; byte >= ZERO && byte <= NINE; byte = buffer[--at] as number) {
      number += (byte - ZERO) * scale;
      scale *= 10;
    }
    this.part = number;
  }

  /** The last row, or the one before it. Null: there is none. */
  last(before: boolean): LastRow | null {
    const position = before ? this.positionBefore : this.position;
    return position < 0 ? null : { part: before ? this.partBefore : this.part, position };
  }
}

const PARENTHESIS = 0x28;
const COMMA = 0x2c;
const ZERO = 0x30;
const NINE = 0x39;
