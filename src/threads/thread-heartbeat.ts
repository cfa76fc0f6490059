/**
 * Whether a worker thread still comes round to its event loop, seen from outside. The thread counts its turns in memory
 * that both share, so nobody has to ask it and wait.
 */
import { url as debuggerUrl } from 'node:inspector';
import { startInterval } from '@millrace/sdk';

const BEAT_MS = 500;

/** The side of the thread that is watched. */
export class ThreadBeat {
  private readonly turns: Int32Array;

  constructor(readonly memory: SharedArrayBuffer = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.turns = new Int32Array(memory);
  }

  /** Begins to beat; keeps no thread alive. */
  start(): void {
    const beat = (): number => Atomics.add(this.turns, 0, 1);
    beat();
    startInterval(beat, BEAT_MS).unref();
  }

  /** Wraps around; 0 before the thread has come to its code. */
  get count(): number {
    return Atomics.load(this.turns, 0);
  }
}

/** Whoever has a debugger open may have stopped a thread on purpose. */
export function isDebugged(): boolean {
  return debuggerUrl() !== undefined;
}

/** The side that watches. */
export class SilenceWatch {
  private count: number;
  private silence = 0;
  private lookedAt: number;

  /** @param everyMs how often `look` is called */
  constructor(
    private readonly beat: Pick<ThreadBeat, 'count'>,
    private readonly everyMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.count = beat.count;
    this.lookedAt = now();
  }

  /**
   * For how long the thread has been silent, in milliseconds. A look that comes late counts as one in time: when this
   * thread did not run, because the process was stopped or the machine was busy, the other one may not have run either.
   */
  look(): number {
    const now = this.now();
    const passed = Math.min(now - this.lookedAt, this.everyMs);
    this.lookedAt = now;
    const { count } = this.beat;
    this.silence = count === this.count ? this.silence + passed : 0;
    this.count = count;
    return this.silence;
  }
}
