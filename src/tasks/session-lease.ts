/**
 * How long this worker may go on with its work without having heard from the group's coordinator. A process that slept,
 * or a thread whose worker hears nothing any more, learns it from the clock alone, before it sends anything: others may
 * have its work by then.
 */
import type { ClockReading, SendPermission } from '../kafka/port';

/** `performance.now()` begins with each thread; this is the same in all of them. Milliseconds. */
const BEGIN = Number(process.hrtime.bigint() / 1_000n) / 1_000 - performance.now();
const sharedNow = (): number => performance.now() + BEGIN;

const TERM = 4;
const MONOTONIC = 0;
const WALL = 1;

/** What a task is given when it starts. Crosses threads; `memory` is shared with all that this worker runs. */
export interface LeaseMemory {
  readonly memory: SharedArrayBuffer;
  readonly term: number;
}

/** Two deadlines in milliseconds, and the number of memberships that were lost so far. */
class LeaseCells {
  readonly deadlines: Float64Array;
  readonly terms: Int32Array;

  constructor(readonly memory = new SharedArrayBuffer(3 * Float64Array.BYTES_PER_ELEMENT)) {
    this.deadlines = new Float64Array(memory);
    this.terms = new Int32Array(memory);
  }

  /**
   * By both clocks, since each has its weakness: the monotonic one stands still while a machine is suspended, and the
   * wall clock may be set. Where that makes it late by mistake, the next heartbeat puts it right.
   */
  get inTime(): boolean {
    return sharedNow() < (this.deadlines[MONOTONIC] as number) && Date.now() < (this.deadlines[WALL] as number);
  }
}

/** The worker's side: the membership renews it and ends it. */
export class SessionLease {
  private readonly cells = new LeaseCells();
  private state: 'none' | 'held' | 'lost' = 'none';

  constructor(private readonly sessionTimeoutMs: number) {}

  /**
   * The coordinator has answered a request that was sent then: it keeps this member for a session from there on, or
   * longer.
   */
  renew(sent: ClockReading): void {
    // Whatever was handed in between two memberships belongs to neither.
    if (this.state === 'lost') this.nextTerm();
    const monotonic = sent.monotonic + BEGIN + this.sessionTimeoutMs;
    // Answers may overtake each other.
    if (this.state === 'held' && monotonic <= (this.cells.deadlines[MONOTONIC] as number)) return;
    this.state = 'held';
    this.setDeadlines(monotonic, sent.wall + this.sessionTimeoutMs);
  }

  /** For a worker that leaves on purpose: nobody takes its work before this is over. */
  keepFor(ms: number): void {
    if (this.state === 'held') this.setDeadlines(sharedNow() + ms, Date.now() + ms);
  }

  /** What was started under it may never send anything again. */
  end(): void {
    this.nextTerm();
    this.state = 'lost';
  }

  forWork(): LeaseMemory {
    return { memory: this.cells.memory, term: this.term };
  }

  get term(): number {
    return Atomics.load(this.cells.terms, TERM);
  }

  /** Before a worker has ever joined it holds nothing that others could have. */
  ask(): ReturnType<SendPermission['ask']> {
    if (this.state === 'lost') return 'never';
    return this.state === 'none' || this.cells.inTime ? 'now' : 'later';
  }

  private nextTerm(): void {
    Atomics.add(this.cells.terms, TERM, 1);
  }

  private setDeadlines(monotonic: number, wall: number): void {
    this.cells.deadlines[MONOTONIC] = monotonic;
    this.cells.deadlines[WALL] = wall;
  }
}

/** A task's side. What it may not send now waits: either the worker is heard again, or it cancels the task. */
export class WorkLease implements SendPermission {
  private constructor(
    private readonly cells: LeaseCells,
    readonly term: number,
  ) {}

  /** Without memory it never ends. */
  static of(given: LeaseMemory | undefined): WorkLease {
    if (given) return new WorkLease(new LeaseCells(given.memory), given.term);
    const cells = new LeaseCells();
    cells.deadlines.fill(Infinity, MONOTONIC, WALL + 1);
    return new WorkLease(cells, 0);
  }

  get holds(): boolean {
    return this.cells.inTime && Atomics.load(this.cells.terms, TERM) === this.term;
  }

  ask(): 'now' | 'later' {
    return this.holds ? 'now' : 'later';
  }
}

/** A storage topic's side: it outlives memberships, what is written to it does not. */
export class LogPermission implements SendPermission {
  private drops = 0;

  constructor(private readonly lease: SessionLease) {}

  /** Each of the two only grows, so no sum comes twice. */
  get term(): number {
    return this.lease.term + this.drops;
  }

  ask(term: number): ReturnType<SendPermission['ask']> {
    return term === this.term ? this.lease.ask() : 'never';
  }

  /** What was handed in so far and is still on its way here is not to be sent any more. */
  dropUnsent(): void {
    this.drops++;
  }
}
