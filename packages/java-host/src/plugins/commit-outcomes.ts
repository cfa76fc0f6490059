import type { RecordMetadata } from '@millrace/sdk';
import type { HostSession } from '../connection/host-session';
import { ByteWriter } from '../wire/byte-writer';

/** More are sent at once. Bytes. */
const MOST = 256 * 1024;

/** Tells the host which records are acknowledged: those of one turn, of one part, in one event. */
export class CommitOutcomes {
  private readonly outcomes = new ByteWriter();
  private part = 0;
  private scheduled = false;

  constructor(private readonly session: HostSession) {}

  add(part: number, index: number, metadata: RecordMetadata | null): void {
    const { outcomes } = this;
    if (outcomes.length > 0 && (part !== this.part || outcomes.length > MOST)) this.flush();
    this.part = part;
    outcomes.i32(index);
    outcomes.u8(metadata === null ? 0 : 1);
    if (metadata !== null) {
      outcomes.i32(metadata.partition);
      outcomes.i64(metadata.offset);
      outcomes.string(metadata.topic);
    }
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(this.onTurn);
  }

  /** Before what must come after them. */
  flush(): void {
    if (this.outcomes.length > 0) this.session.event('committed', this.part, this.outcomes.take());
  }

  private readonly onTurn = (): void => {
    this.scheduled = false;
    this.flush();
  };
}
