/**
 * Which of a task's methods are running, what the task waits for from Kafka, and since when. The task's thread writes
 * it to shared memory and the main thread reads it, because a blocked thread cannot answer a message.
 */
import { monotonicNow } from '@millrace/sdk';
import { readableError } from './readable-error';

const CALLS = [
  'start',
  'open',
  'poll',
  'put',
  'preCommit',
  'commit',
  'revoking',
  'close',
  'stop',
  'takeProcessing',
  'process',
  'convert',
] as const;
/**
 * A method of the plugin's task. `commit` may run beside `poll`. `convert`: a call of a transformation, predicate or
 * converter elsewhere, e.g. in a JVM, that takes long.
 */
export type TaskCall = (typeof CALLS)[number];

const WAITS = ['offset-read', 'offset-write', 'offset-commit', 'dead-letter'] as const;
/** A request to Kafka, which its client repeats until it succeeds. */
export type TaskWait = (typeof WAITS)[number];

export interface RunningCall<C = TaskCall> {
  readonly call: C;
  /** Absolute, milliseconds, of whole seconds. */
  readonly since: number;
}

const SLOTS: readonly (TaskCall | TaskWait)[] = [...CALLS, ...WAITS];
const HOLDS_THREAD = 0;
const REVOKED = 1;
const FIRST_SLOT = 2;

export class CallClock {
  /** 1 while synchronous code of a call runs; 1 once revoked; a start per slot in seconds since the epoch, 0: none. */
  private readonly view: Uint32Array;
  private readonly waiting = new Map<TaskWait, number>();

  constructor(
    readonly memory: SharedArrayBuffer = new SharedArrayBuffer(
      (FIRST_SLOT + SLOTS.length) * Uint32Array.BYTES_PER_ELEMENT,
    ),
  ) {
    this.view = new Uint32Array(memory);
  }

  /** What the call throws can be read as an error. */
  async during<T>(call: TaskCall, run: () => T | Promise<T>): Promise<T> {
    this.set(call, nowSeconds());
    try {
      return await this.entered(run);
    } catch (thrown) {
      throw readableError(thrown);
    } finally {
      this.set(call, 0);
    }
  }

  /** Of a call that began then, by `monotonicNow()`, and is waited for. */
  beginCall(call: TaskCall, since: number): void {
    this.set(call, Math.floor((Date.now() - (monotonicNow() - since)) / 1000));
  }

  endCall(call: TaskCall): void {
    this.set(call, 0);
  }

  /** Waits of one kind count as one, which starts again whenever one of them ends. */
  begin(wait: TaskWait): void {
    const waiting = this.waiting.get(wait) ?? 0;
    this.waiting.set(wait, waiting + 1);
    if (waiting === 0) this.set(wait, nowSeconds());
  }

  end(wait: TaskWait): void {
    const waiting = (this.waiting.get(wait) ?? 1) - 1;
    this.waiting.set(wait, waiting);
    this.set(wait, waiting === 0 ? 0 : nowSeconds());
  }

  async duringWait<T>(wait: TaskWait, run: () => Promise<T>): Promise<T> {
    this.begin(wait);
    try {
      return await run();
    } finally {
      this.end(wait);
    }
  }

  /** True: the thread executes the synchronous code of a call right now. */
  get holdsThread(): boolean {
    return Atomics.load(this.view, HOLDS_THREAD) === 1;
  }

  /** From now on the task may send, store and commit nothing, even if its thread receives no message. */
  revoke(): void {
    Atomics.store(this.view, REVOKED, 1);
  }

  get revoked(): boolean {
    return Atomics.load(this.view, REVOKED) === 1;
  }

  /** The call that began first; null: none. */
  running(): RunningCall | null {
    return this.calls().sort((a, b) => a.since - b.since)[0] ?? null;
  }

  calls(): RunningCall[] {
    return this.ongoing(CALLS);
  }

  waits(): RunningCall<TaskWait>[] {
    return this.ongoing(WAITS);
  }

  private ongoing<C extends TaskCall | TaskWait>(slots: readonly C[]): RunningCall<C>[] {
    return slots.flatMap((call) => {
      const since = Atomics.load(this.view, slotOf(call));
      return since === 0 ? [] : [{ call, since: since * 1000 }];
    });
  }

  private set(slot: TaskCall | TaskWait, seconds: number): void {
    Atomics.store(this.view, slotOf(slot), seconds);
  }

  private entered<T>(run: () => T): T {
    Atomics.store(this.view, HOLDS_THREAD, 1);
    try {
      return run();
    } finally {
      Atomics.store(this.view, HOLDS_THREAD, 0);
    }
  }
}

function slotOf(slot: TaskCall | TaskWait): number {
  return FIRST_SLOT + SLOTS.indexOf(slot);
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
