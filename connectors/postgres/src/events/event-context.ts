/** Facts that the events of a transaction or snapshot share, and the types of an event's parts. */
import type { Lsn } from '../database/lsn';

/** One instant in the three units of an event. */
export class Instant {
  millis = 0;
  micros = 0;
  /** Beyond 2^53. */
  nanos = 0n;

  setMicros(micros: number): void {
    this.micros = micros;
    this.millis = Math.floor(micros / 1000);
    this.nanos = BigInt(micros) * 1000n;
  }
}

/** Properties shared by all events of a transaction or snapshot. */
export interface EventContext {
  readonly time: Instant;
  readonly xid: Lsn | null;
  /** Of the slot's catalog, if it is read. */
  readonly xmin?: Lsn | null;
  /** Name of the replication origin; `originLsn` is the commit position on it. */
  readonly origin: string | null;
  readonly originLsn: Lsn | null;
}

export type SnapshotMark =
  'first' | 'first_in_data_collection' | 'last_in_data_collection' | 'last' | 'true' | 'false' | 'incremental';

/** A row, a key, or a block of an event. */
export type Struct = Record<string, unknown>;

/** The part of a record that is decided when the next row is known. */
export interface SourceStruct {
  snapshot: SnapshotMark;
}
