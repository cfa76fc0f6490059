/**
 * Which of a task's methods is running, and since when. The task's thread writes it to shared memory and the main
 * thread reads it, because a blocked thread cannot answer a message.
 */
const CALLS = ['start', 'poll', 'put', 'preCommit'] as const;
export type TaskCall = (typeof CALLS)[number];

export interface RunningCall {
  readonly call: TaskCall;
  /** Absolute, milliseconds, of whole seconds. */
  readonly since: number;
}

export class CallClock {
  /** Start in seconds since the epoch; the call's number from 1, 0: none; 1 while its synchronous code runs. */
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

  /** True: the thread executes the synchronous code of this call right now. */
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
