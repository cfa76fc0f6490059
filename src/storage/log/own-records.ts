/** How far a log's own records reach, and who waits until they are read. */
import { startTimer } from '@millrace/sdk';

/** By partition: the offset after the last record. */
export type Ends = ReadonlyMap<number, number>;
/** Whether the partition has been read up to the offset. */
export type IsRead = (partition: number, end: number) => boolean;

export class OwnRecords {
  private readonly ends = new Map<number, number>();
  private readonly waiting = new Set<{ readonly ends: Ends; done(unread: Ends | null): void }>();

  /** Not the greatest one: the offsets of a topic that was created again begin with 0. */
  acknowledged(partition: number, offset: number): void {
    this.ends.set(partition, offset + 1);
  }

  /** Waits until those acknowledged so far are read. Returns those that are not after `timeoutMs`; null: none. */
  async unread(isRead: IsRead, timeoutMs: number): Promise<Ends | null> {
    const ends = new Map([...this.ends].filter(([partition, end]) => !isRead(partition, end)));
    if (ends.size === 0) return null;
    return await new Promise<Ends | null>((resolve) => {
      const waiter = {
        ends,
        done: (unread: Ends | null): void => {
          clearTimeout(timer);
          this.waiting.delete(waiter);
          resolve(unread);
        },
      };
      const timer = startTimer(() => waiter.done(ends), timeoutMs);
      this.waiting.add(waiter);
    });
  }

  /** After more was read. */
  update(isRead: IsRead): void {
    for (const { ends, done } of this.waiting)
      if ([...ends].every(([partition, end]) => isRead(partition, end))) done(null);
  }

  /** Kafka has them no more. */
  forget(lost: Ends): void {
    for (const [partition, end] of lost) if (this.ends.get(partition) === end) this.ends.delete(partition);
  }

  giveUp(): void {
    for (const { ends, done } of this.waiting) done(ends);
  }
}
