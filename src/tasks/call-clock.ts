/**
 * Which of a task's methods is running, and since when. Written by the thread that runs the task and read by the worker's, through memory
 * that both share: a thread that is stuck cannot answer a question.
 */
const CALLS = ['start', 'poll', 'put', 'preCommit'] as const;
export type TaskCall = (typeof CALLS)[number];

export interface RunningCall {
  readonly call: TaskCall;
  /** Absolute, milliseconds, of whole seconds. */
  readonly since: number;
}

export class CallClock {
  /** Seconds since the epoch, and the number of the call from 1; 0: none. */
  private readonly view: Uint32Array;

  constructor(readonly memory: SharedArrayBuffer = new SharedArrayBuffer(2 * Uint32Array.BYTES_PER_ELEMENT)) {
    this.view = new Uint32Array(memory);
  }

  async during<T>(call: TaskCall, run: () => T | Promise<T>): Promise<T> {
    Atomics.store(this.view, 0, Math.floor(Date.now() / 1000));
    Atomics.store(this.view, 1, CALLS.indexOf(call) + 1);
    try {
      return await run();
    } finally {
      Atomics.store(this.view, 1, 0);
    }
  }

  running(): RunningCall | null {
    const call = CALLS[Atomics.load(this.view, 1) - 1];
    return call ? { call, since: Atomics.load(this.view, 0) * 1000 } : null;
  }
}
