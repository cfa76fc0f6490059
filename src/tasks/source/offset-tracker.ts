/**
 * Tracks which source offsets may be committed: per source partition, the newest one up to which every record is
 * acknowledged. Slots are in flat arrays and reused. Source: connect-runtime §4.4.
 *
 * Records with the same offset object share one slot, which is committable once all of them are acknowledged. Under
 * load so do the next ones of a batch, and the slot keeps the newest of their offsets: one for each record in flight
 * would outlive the young generation, so that the collector copies and promotes them all.
 */
import type { SourceOffset, SourcePartition } from '@millrace/sdk';
import { PartitionNumbers } from './partition-numbers';

const NONE = -1;
/** Offsets that share a slot at most: after a crash, all but one of them may be of acknowledged records. */
const GROUP = 16;
/** Records in flight from which offsets share slots. Many more than `GROUP` are sent again after a crash then. */
const LOAD = 1_000;

export interface Committable {
  readonly partition: SourcePartition | null;
  readonly offset: SourceOffset | null;
}

export class OffsetTracker {
  // Slots: offset, unacknowledged records, queue, next slot of the same queue (or of the free list).
  private readonly offsets: (SourceOffset | null)[] = [];
  private readonly waiting: number[] = [];
  /** Distinct offsets that the slot has had. */
  private readonly grouped: number[] = [];
  private readonly queueOf: number[] = [];
  private readonly next: number[] = [];
  private free = NONE;

  // Queues, one per source partition.
  private readonly numbers = new PartitionNumbers();
  private readonly heads: number[] = [];
  private readonly tails: number[] = [];

  /** Queues whose last slot may still get records of the batch being sent. */
  private readonly open = new Set<number>();
  private committable = new Map<number, SourceOffset | null>();
  /**
   * Callbacks for offsets without a record, by slot; `reached` has those whose offset, or a newer one, is
   * committable.
   */
  private readonly awaited = new Map<number, () => void>();
  private reached: (() => void)[] = [];
  private records = 0;
  /** The slot that the newest record has joined with an offset of its own, and the offset before it. */
  private joined = NONE;
  private before: SourceOffset | null = null;

  /** Records in flight. */
  get size(): number {
    return this.records;
  }

  /** Call before the record is sent; returns the slot to pass to `acknowledge` or `withdraw`. */
  add(partition: SourcePartition | null, offset: SourceOffset | null): number {
    const queue = this.queue(partition);
    this.records++;
    this.joined = NONE;
    const tail = this.tails[queue] as number;
    if (tail === NONE || !this.open.has(queue)) return this.append(queue, offset);
    if (this.offsets[tail] !== offset && !this.join(tail, offset)) return this.append(queue, offset);
    (this.waiting[tail] as number)++;
    return tail;
  }

  private join(slot: number, offset: SourceOffset | null): boolean {
    // A slot whose records are all acknowledged is committable at once.
    if (this.records < LOAD || this.waiting[slot] === 0 || this.grouped[slot] === GROUP) return false;
    (this.grouped[slot] as number)++;
    this.joined = slot;
    this.before = this.offsets[slot] as SourceOffset | null;
    this.offsets[slot] = offset;
    return true;
  }

  /**
   * An offset without a record, committable once everything before it is acknowledged. Between batches only.
   * @param onStored returned by `takeReached` from then on
   */
  addOffset(partition: SourcePartition | null, offset: SourceOffset | null, onStored: () => void): void {
    const queue = this.queue(partition);
    const slot = this.append(queue, offset);
    this.records++;
    this.awaited.set(slot, onStored);
    this.open.delete(queue);
    this.acknowledge(slot);
  }

  acknowledge(slot: number): void {
    this.records--;
    if (--(this.waiting[slot] as number) === 0) this.advance(this.queueOf[slot] as number);
  }

  /** The record was not sent. Only for the record added last. */
  withdraw(slot: number): void {
    this.records--;
    (this.waiting[slot] as number)--;
    if (this.joined !== slot) return;
    this.joined = NONE;
    this.offsets[slot] = this.before;
    (this.grouped[slot] as number)--;
  }

  /** Gives the record added last a slot of its own and returns it: the ones before must not share its failure. */
  part(slot: number): number {
    if (this.joined !== slot) return slot;
    const offset = this.offsets[slot] as SourceOffset | null;
    this.withdraw(slot);
    this.records++;
    return this.append(this.queueOf[slot] as number, offset);
  }

  /**
   * The batch is sent completely. Until then the newest slot of each partition is not committable, because more records
   * with its offset may follow: committing it earlier would lose them in a crash.
   */
  endBatch(): void {
    for (const queue of this.open) {
      this.open.delete(queue);
      this.advance(queue);
    }
  }

  /** The next record. Unless it shares the newest slot's offset, no more records can join that slot. */
  announce(partition: SourcePartition | null, offset: SourceOffset | null): void {
    const queue = this.queue(partition);
    const tail = this.tails[queue] as number;
    if (tail === NONE || this.offsets[tail] === offset) return;
    this.open.delete(queue);
    this.advance(queue);
  }

  /** Offsets that became committable since the last call, newest per partition. */
  takeCommittable(): Map<number, Committable> {
    const taken = new Map<number, Committable>();
    for (const [queue, offset] of this.committable) {
      taken.set(queue, { partition: this.numbers.partition(queue), offset });
    }
    this.committable = new Map();
    return taken;
  }

  /** Callbacks for the offsets of the last `takeCommittable`: call them when those are stored. */
  takeReached(): (() => void)[] {
    const { reached } = this;
    this.reached = [];
    return reached;
  }

  private append(queue: number, offset: SourceOffset | null): number {
    let slot = this.free;
    if (slot === NONE) slot = this.offsets.length;
    else this.free = this.next[slot] as number;
    this.offsets[slot] = offset;
    this.waiting[slot] = 1;
    this.grouped[slot] = 1;
    this.queueOf[slot] = queue;
    this.next[slot] = NONE;
    const tail = this.tails[queue] as number;
    if (tail === NONE) this.heads[queue] = slot;
    else this.next[tail] = slot;
    this.tails[queue] = slot;
    this.open.add(queue);
    // The previous slot may have waited for this one only.
    if (tail !== NONE && this.waiting[tail] === 0) this.advance(queue);
    return slot;
  }

  private advance(queue: number): void {
    let head = this.heads[queue] as number;
    while (head !== NONE && this.waiting[head] === 0) {
      const following = this.next[head] as number;
      if (following === NONE && this.open.has(queue)) break;
      this.committable.set(queue, this.offsets[head] as SourceOffset | null);
      if (this.awaited.size > 0) this.markReached(head);
      this.offsets[head] = null;
      this.next[head] = this.free;
      this.free = head;
      head = following;
    }
    this.heads[queue] = head;
    if (head === NONE) this.tails[queue] = NONE;
  }

  private markReached(slot: number): void {
    const onStored = this.awaited.get(slot);
    if (onStored === undefined) return;
    this.awaited.delete(slot);
    this.reached.push(onStored);
  }

  private queue(partition: SourcePartition | null): number {
    const queue = this.numbers.of(partition);
    if (queue === this.heads.length) {
      this.heads.push(NONE);
      this.tails.push(NONE);
    }
    return queue;
  }
}
