import type { RecordMetadata, SourceRecord } from '@millrace/sdk';
import type { HostSession } from '../connection/host-session';
import { ByteWriter } from '../wire/byte-writer';
import type { JavaSourceRecord } from './source-batch';

/** More are sent at once. Bytes. */
const MOST = 256 * 1024;

/**
 * Tells the host which records are acknowledged: those of one turn, of one part, in one event. In the order of `poll`:
 * Kafka acknowledges records of several topics in another one, and a task that confirms the position of the last record
 * to its source would confirm earlier ones, which a crash may still lose.
 */
export class CommitOutcomes {
  private readonly outcomes = new ByteWriter();
  private part = 0;
  private scheduled = false;
  /** Parts with records that the host is not told of yet, and how many of the first it is told of. */
  private readonly parts: (readonly JavaSourceRecord[])[] = [];
  private told = 0;
  /** Acknowledged before an earlier record. */
  private readonly early = new Map<SourceRecord, RecordMetadata | null>();

  constructor(private readonly session: HostSession) {}

  /** The runtime gets these records next. */
  expect(records: readonly JavaSourceRecord[]): void {
    if (records.length > 0) this.parts.push(records);
  }

  /** For each record once. */
  add(record: SourceRecord, metadata: RecordMetadata | null): void {
    const { early } = this;
    if (record !== this.next()) {
      early.set(record, metadata);
      return;
    }
    this.write(metadata);
    for (let next = this.next(); next !== null && early.size > 0; next = this.next()) {
      const outcome = early.get(next);
      if (outcome === undefined) return;
      early.delete(next);
      this.write(outcome);
    }
  }

  /** Before what must come after them. */
  flush(): void {
    if (this.outcomes.length > 0) this.session.event('committed', this.part, this.outcomes.take());
  }

  private next(): JavaSourceRecord | null {
    return this.parts[0]?.[this.told] ?? null;
  }

  /** Of the next record. */
  private write(metadata: RecordMetadata | null): void {
    const { outcomes } = this;
    const { part, index } = this.next() as JavaSourceRecord;
    if (outcomes.length > 0 && (part !== this.part || outcomes.length > MOST)) this.flush();
    this.part = part;
    outcomes.i32(index);
    outcomes.u8(metadata === null ? 0 : 1);
    if (metadata !== null) {
      outcomes.i32(metadata.partition);
      outcomes.i64(metadata.offset);
      outcomes.string(metadata.topic);
    }
    if (++this.told === this.parts[0]?.length) {
      this.parts.shift();
      this.told = 0;
    }
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(this.onTurn);
  }

  private readonly onTurn = (): void => {
    this.scheduled = false;
    this.flush();
  };
}
