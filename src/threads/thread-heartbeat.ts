/**
 * Detects that a worker thread no longer returns to its event loop, without waking it while it sleeps: how long its
 * event loop has waited is read from outside. A thread that never waits is asked for a beat, which it counts in shared
 * memory, so that no check waits for it.
 */
import { url as debuggerUrl } from 'node:inspector';
import type { Worker } from 'node:worker_threads';
import { startTimer } from '@millrace/sdk';

/** How often a thread is checked that is busy or silent. */
export const CHECK_MS = 500;
/** Checks of sleeping threads are at most so far apart. */
const CALM_CHECK_MS = 2_500;
/** A thread that has worked for less of an interval sleeps. */
const CALM_WORK_MS = 100;

/** What the watching thread sees of the watched one. */
interface Pulse {
  /** Changes while the thread answers; 0 before it has loaded its code. */
  readonly count: number;
  /** How long its event loop has waited, in total; absent: unknown. Milliseconds. */
  readonly waitedMs?: number;
  /** Asks for a beat. */
  ask?(): void;
}

/** Both sides of the heartbeat of one thread. */
export class ThreadHeartbeat implements Pulse {
  private readonly turns: Int32Array;
  private worker: Pick<Worker, 'performance'> | null = null;
  private request: () => void = () => undefined;
  private askedAt = 0;

  constructor(readonly memory: SharedArrayBuffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.turns = new Int32Array(memory);
  }

  /** Called in the watched thread: once it has loaded its code, and whenever it is asked. */
  beat(): void {
    Atomics.add(this.turns, 0, 1);
  }

  /** Called in the watching thread. `request` sends a message upon which the thread beats. */
  of(worker: Pick<Worker, 'performance'>, request: () => void): this {
    this.worker = worker;
    this.request = request;
    return this;
  }

  get count(): number {
    const turns = this.beats;
    return turns === 0 ? 0 : turns + this.waitedMs;
  }

  get waitedMs(): number {
    // A loop that has not begun has no figures.
    return this.worker?.performance?.eventLoopUtilization().idle ?? 0;
  }

  /** Once per beat: a blocked thread shall not find its messages piled up. */
  ask(): void {
    const turns = this.beats;
    if (turns === 0 || turns === this.askedAt) return;
    this.askedAt = turns;
    this.request();
  }

  private get beats(): number {
    return Atomics.load(this.turns, 0);
  }
}

/** With a debugger attached, a thread may be paused on purpose. */
export function isDebugged(): boolean {
  return debuggerUrl() !== undefined;
}

/** Called in the watching thread: measures how long a thread does not answer. */
export class SilenceWatch {
  private count: number;
  private silence = 0;
  private checkedAt: number;
  private waitedMs: number;
  private sleeps = false;

  constructor(
    private readonly pulse: Pulse,
    private readonly everyMs = CHECK_MS,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.count = pulse.count;
    this.waitedMs = pulse.waitedMs ?? 0;
    this.checkedAt = now();
  }

  /** True: the thread did nearly nothing before the last check, so that the next one may come later. */
  get isCalm(): boolean {
    return this.sleeps;
  }

  /**
   * How long the thread has been silent, in milliseconds. A late call counts as one interval: if this thread did not
   * run, because the process was stopped or the machine was busy, the other may not have run either.
   *
   * @param everyMs time between the last call and this one, if this thread ran as it should
   */
  checkHeartbeat(everyMs: number = this.everyMs): number {
    const now = this.now();
    const { count, waitedMs = 0 } = this.pulse;
    const passed = Math.min(now - this.checkedAt, everyMs);
    const worked = now - this.checkedAt - (waitedMs - this.waitedMs);
    // After a longer interval than usual, the thread may have been blocked since shortly after the last check.
    const afterAnswer = everyMs > this.everyMs && worked > CALM_WORK_MS ? Math.min(worked, passed) : 0;
    this.silence = count === this.count ? this.silence + passed : afterAnswer;
    this.sleeps = this.silence === 0 && worked < CALM_WORK_MS;
    if (!this.sleeps) this.pulse.ask?.();
    this.checkedAt = now;
    this.count = count;
    this.waitedMs = waitedMs;
    return this.silence;
  }
}

/** Calls `check` often while a thread is busy or silent, and seldom while all sleep. Keeps no process alive. */
export class SilenceChecks {
  private timer: NodeJS.Timeout | null = null;

  /**
   * @param check gets the time since the last call, and returns whether all threads are calm
   * @param limitMs the shortest silence that matters; 0: none
   */
  constructor(
    private readonly check: (everyMs: number) => boolean,
    private readonly limitMs: () => number,
  ) {}

  start(): void {
    if (this.timer === null) this.schedule(CHECK_MS);
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }

  private schedule(ms: number): void {
    const timer = startTimer(() => {
      const isCalm = this.check(ms);
      if (this.timer === timer) this.schedule(isCalm ? this.calmMs() : CHECK_MS);
    }, ms).unref();
    this.timer = timer;
  }

  private calmMs(): number {
    const limitMs = this.limitMs();
    return limitMs === 0 ? CALM_CHECK_MS : Math.max(CHECK_MS, Math.min(CALM_CHECK_MS, limitMs / 4));
  }
}
