/**
 * A record without buffers of its own: most consumers of text copy its bytes, and a buffer per record costs more than
 * reading the record. Buffers are made when they are asked for.
 */
import type { RecordHeader, RecordView } from '../port';

export class ViewedRecord implements RecordView {
  constructor(
    readonly offset: number,
    readonly timestamp: number,
    readonly bytes: Buffer,
    readonly keyStart: number,
    readonly keyEnd: number,
    readonly valueStart: number,
    readonly valueEnd: number,
    readonly headers: readonly RecordHeader[],
  ) {}

  get key(): Buffer | null {
    return this.keyStart < 0 ? null : this.bytes.subarray(this.keyStart, this.keyEnd);
  }

  get value(): Buffer | null {
    return this.valueStart < 0 ? null : this.bytes.subarray(this.valueStart, this.valueEnd);
  }
}
