/**
 * Which of a task's methods is running, and since when. Written by the thread that runs the task and read by the
 * worker's, through memory that both share: a thread that is stuck cannot answer a question.
 */
const CALLS = ['start', 'poll', 'put', 'preCommit'] as const;
export type TaskCall = (typeof CALLS)[number];

export interface RunningCall {
  readonly call: TaskCall;
  /** Absolute, milliseconds, of whole seconds. */
  readonly since: number;
}

export class CallClock {
  /** Seconds since the epoch; the number of the call from 1, 0: none; 1 while its own code runs. */
  private readonly view: Uint32Array;

  constructor(readonly memory: SharedArrayBuffer = new SharedArrayBuffer(3 * Uint32Array.BYTES_PER_ELEMENT)) {
    this.view = new Uint32Array(memory);
  }

  async during<T>(call: TaskCall, run: () => T | Promise<T>): Promise<T> {
    Atomics.store(this.view, 0, Math.floor(Date.now() / 1000));
    Atomics.store(this.view, 1, CALLS.indexOf(call) + 1);
    try {
      return await this.entered(run);
    } finally {
      Atomics.store(this.view, 1, 0);
    }
  }

  /** True: the thread is inside the call this very moment, and no other task of it can be. */
  get holdsThread(): boolean {
    return Atomics.load(this.view, 2) === 1;
  }

  private entered<T>(run: () => T): T {
    Atomics.store(this.view, 2, 1);
    try {
      return run();
    } finally {
      Atomics.store(this.view, 2, 0);
    }
  }

  running(): RunningCall | null {
    const call = CALLS[Atomics.load(this.view, 1) - 1];
    return call ? { call, since: Atomics.load(this.view, 0) * 1000 } : null;
  }
}
