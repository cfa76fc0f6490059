/**
 * How long this worker may work without a response from the group coordinator. A suspended process, or a thread whose
 * worker has lost the coordinator, detects from the clock alone that its session is over, before it sends anything:
 * other workers may run its tasks by then.
 */
import type { ClockReading, SendPermission } from '@millrace/kafka-client';

/** `performance.now()` starts at 0 in each thread; this offset makes it the same in all. Milliseconds. */
const BEGIN = Number(process.hrtime.bigint() / 1_000n) / 1_000 - performance.now();
const sharedNow = (): number => performance.now() + BEGIN;

const EPOCH = 4;
const MONOTONIC = 0;
const WALL = 1;

/** Passed to a task when it starts. Crosses threads; `memory` is shared by all tasks of this worker. */
export interface LeaseMemory {
  readonly memory: SharedArrayBuffer;
  readonly epoch: number;
}

/** Two deadlines in milliseconds, and the number of lost memberships. */
class LeaseCells {
  readonly deadlines: Float64Array;
  readonly epochs: Int32Array;

  constructor(readonly memory = new SharedArrayBuffer(3 * Float64Array.BYTES_PER_ELEMENT)) {
    this.deadlines = new Float64Array(memory);
    this.epochs = new Int32Array(memory);
  }

  /**
   * By both clocks: the monotonic clock stops while a machine is suspended, and the wall clock may be set. If that
   * expires the lease by mistake, the next heartbeat renews it.
   */
  get inTime(): boolean {
    return sharedNow() < (this.deadlines[MONOTONIC] as number) && Date.now() < (this.deadlines[WALL] as number);
  }
}

/** The worker's side: the group membership renews it and ends it. */
export class SessionLease {
  private readonly cells = new LeaseCells();
  private state: 'none' | 'held' | 'left' | 'lost' = 'none';
  /** When the worker left the group last; on the clock that all threads share. */
  private leftAt = 0;

  constructor(private readonly sessionTimeoutMs: number) {}

  /**
   * The coordinator has responded to a request sent at that time: it keeps this member for at least a session timeout
   * from then on.
   */
  renew(sent: ClockReading): void {
    // Writes submitted between two memberships belong to neither.
    if (this.state === 'lost') this.nextEpoch();
    const sentAt = sent.monotonic + BEGIN;
    const monotonic = sentAt + this.sessionTimeoutMs;
    // The first response after a rejoin replaces the time that was granted for the absence, which may end later.
    if (this.state === 'left' && sentAt <= this.leftAt) return;
    // Responses may arrive out of order.
    if (this.state === 'held' && monotonic <= (this.cells.deadlines[MONOTONIC] as number)) return;
    this.state = 'held';
    this.setDeadlines(monotonic, sent.wall + this.sessionTimeoutMs);
  }

  /** For a worker that leaves the group: its work is not reassigned before this time, unless it rejoins. */
  keepFor(ms: number): void {
    if (this.state !== 'held' && this.state !== 'left') return;
    this.state = 'left';
    this.leftAt = sharedNow();
    this.setDeadlines(this.leftAt + ms, Date.now() + ms);
  }

  /** Work that was started under it may never send again. */
  end(): void {
    this.nextEpoch();
    this.state = 'lost';
  }

  forWork(): LeaseMemory {
    return { memory: this.cells.memory, epoch: this.epoch };
  }

  get epoch(): number {
    return Atomics.load(this.cells.epochs, EPOCH);
  }

  /** Before its first join a worker has no work that others could run. */
  check(): ReturnType<SendPermission['check']> {
    if (this.state === 'lost') return 'never';
    return this.state === 'none' || this.cells.inTime ? 'now' : 'later';
  }

  private nextEpoch(): void {
    Atomics.add(this.cells.epochs, EPOCH, 1);
  }

  private setDeadlines(monotonic: number, wall: number): void {
    this.cells.deadlines[MONOTONIC] = monotonic;
    this.cells.deadlines[WALL] = wall;
  }
}

/** A task's side. Sends wait until the lease is renewed or the worker cancels the task. */
export class WorkLease implements SendPermission {
  private constructor(
    private readonly cells: LeaseCells,
    readonly epoch: number,
    private readonly run: { readonly revoked: boolean },
  ) {}

  /**
   * Without memory it never expires.
   * @param run ends the lease of a single task
   */
  static from(given: LeaseMemory | undefined, run: { readonly revoked: boolean } = { revoked: false }): WorkLease {
    if (given) return new WorkLease(new LeaseCells(given.memory), given.epoch, run);
    const cells = new LeaseCells();
    cells.deadlines.fill(Infinity, MONOTONIC, WALL + 1);
    return new WorkLease(cells, 0, run);
  }

  get holds(): boolean {
    return this.cells.inTime && Atomics.load(this.cells.epochs, EPOCH) === this.epoch && !this.run.revoked;
  }

  check(): 'now' | 'later' {
    return this.holds ? 'now' : 'later';
  }
}

/** A storage topic's side: the topic outlives memberships, pending writes do not. */
export class LogPermission implements SendPermission {
  private drops = 0;

  constructor(private readonly lease: SessionLease) {}

  /** Both only grow, so each sum is unique. */
  get epoch(): number {
    return this.lease.epoch + this.drops;
  }

  check(epoch: number): ReturnType<SendPermission['check']> {
    return epoch === this.epoch ? this.lease.check() : 'never';
  }

  /** Drops the writes submitted so far that have not been sent. */
  dropUnsent(): void {
    this.drops++;
  }
}
