/**
 * Detects that a worker thread no longer returns to its event loop. The thread counts heartbeats in shared memory, so
 * that the check never waits for it.
 */
import { url as debuggerUrl } from 'node:inspector';
import { startInterval } from '@millrace/sdk';

const BEAT_MS = 500;

/** Counter of the heartbeats of one thread. */
export class ThreadHeartbeat {
  private readonly turns: Int32Array;

  constructor(readonly memory: SharedArrayBuffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.turns = new Int32Array(memory);
  }

  /** Called in the watched thread. Does not keep it alive. */
  start(): void {
    const beat = (): number => Atomics.add(this.turns, 0, 1);
    beat();
    startInterval(beat, BEAT_MS).unref();
  }

  /** Wraps around; 0 before the thread has loaded its code. */
  get count(): number {
    return Atomics.load(this.turns, 0);
  }
}

/** With a debugger attached, a thread may be paused on purpose. */
export function isDebugged(): boolean {
  return debuggerUrl() !== undefined;
}

/** Called in the watching thread: measures how long heartbeats are missing. */
export class SilenceWatch {
  private count: number;
  private silence = 0;
  private checkedAt: number;

  /** @param everyMs how often `checkHeartbeat` is called */
  constructor(
    private readonly beat: Pick<ThreadHeartbeat, 'count'>,
    private readonly everyMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.count = beat.count;
    this.checkedAt = now();
  }

  /**
   * How long the thread has been silent, in milliseconds. A late call counts as one interval: if this thread did not
   * run, because the process was stopped or the machine was busy, the other may not have run either.
   */
  checkHeartbeat(): number {
    const now = this.now();
    const passed = Math.min(now - this.checkedAt, this.everyMs);
    this.checkedAt = now;
    const { count } = this.beat;
    this.silence = count === this.count ? this.silence + passed : 0;
    this.count = count;
    return this.silence;
  }
}
