/** The message of one change (cdc-postgres §5.12). Only positions are kept; the tuples are decoded from the buffer. */
import { malformed, WireReader } from './wire';

export const INSERT = 0;
export const DELETE = 2;
export const BEGIN = 3;
export const COMMIT = 4;

/** Where the columns of a tuple are: begin and end of each, in turn. Reused for every row. */
export class TupleBounds {
  readonly bounds: number[] = [];
  count = 0;

  clear(): void {
    this.count = 0;
  }

  add(start: number, end: number): void {
    this.bounds[this.count * 2] = start;
    this.bounds[this.count * 2 + 1] = end;
    this.count++;
  }
}

export class RowMessage {
  op = 0;
  xid = 0;
  /** Microseconds since 1970. */
  commitMicros: number | bigint = 0;
  /** The quoted name of the table, `schema.table`. */
  tableStart = 0;
  tableEnd = 0;
  readonly newTuple = new TupleBounds();
  readonly oldTuple = new TupleBounds();
  /** One per column of the new tuple. */
  readonly typeInfos = new TupleBounds();
  private readonly reader = new WireReader();

  /** Throws ConnectError `PG_PROTOCOL`. */
  parse(buffer: Buffer, at: number, end: number): void {
    const { reader, newTuple, oldTuple, typeInfos } = this;
    this.op = -1;
    this.tableStart = this.tableEnd = 0;
    newTuple.clear();
    oldTuple.clear();
    typeInfos.clear();
    reader.open(buffer, at, end);
    for (let field = reader.field(); field !== 0; field = reader.field()) {
      switch (field) {
        case 1:
          this.xid = reader.uint32();
          break;
        case 2:
          this.commitMicros = reader.int64();
          break;
        case 3:
          reader.bytes();
          this.tableStart = reader.start;
          this.tableEnd = reader.stop;
          break;
        case 4:
          this.op = reader.int32();
          break;
        case 5:
          reader.bytes();
          newTuple.add(reader.start, reader.stop);
          break;
        case 6:
          reader.bytes();
          oldTuple.add(reader.start, reader.stop);
          break;
        case 7:
          reader.bytes();
          typeInfos.add(reader.start, reader.stop);
          break;
        default:
          reader.skip();
      }
    }
    if (this.op < INSERT || this.op > COMMIT) throw malformed(`operation ${this.op}`);
  }
}
