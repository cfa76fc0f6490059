/** The worker's side of one task thread. */
import { Worker, type ResourceLimits } from 'node:worker_threads';
import { messageOf } from '@millrace/sdk';
import { ThreadBeat } from '../../threads/thread-beat';
import { deathOf } from '../../threads/thread-death';
import { ThreadSecrets } from '../../threads/thread-secrets';
import { lookInto, type ThreadView } from '../../threads/thread-view';
import type { CallClock } from '../call-clock';
import type { TaskSpec, TaskTargetState } from '../host';
import type { FromThread, ThreadData, ToThread } from './thread-messages';

/**
 * V8 keeps the young generation of a busy thread at its largest size. Its default is this on Node 20 and 22, 192 MiB
 * on 24: too much for each of many threads. `--max-semi-space-size` overrides it.
 */
const YOUNG_GENERATION_MB = 48;

/** One start of one task. */
export interface Run {
  readonly number: number;
  readonly spec: TaskSpec;
  readonly thread: ThreadHandle;
  readonly calls: CallClock;
  /** Resolves when the task has ended, or its thread. */
  readonly ended: Promise<void>;
  end(): void;
  /** What was asked of it last. */
  target: TaskTargetState;
  /** Whether it said last that it runs. */
  running: boolean;
  stopping: boolean;
  /** Nothing it says counts any more. */
  cancelled: boolean;
  /** It stops only to begin anew: in a thread of its own, or in another that it shares. */
  moving: 'alone' | 'shared' | null;
  /** Why a call of it is over for the worker that never came back, as the end of a sentence. */
  fate: string | null;
}

export interface ThreadHandleOptions {
  /** File of the thread's code. */
  readonly module: string;
  readonly name: string;
  readonly data: Omit<ThreadData, 'beat'>;
  /** For a single task. */
  readonly dedicated: boolean;
  /** Heap limit; null: the process's own. */
  readonly memoryMb: number | null;
  onMessage(thread: ThreadHandle, message: FromThread): void;
  /** The thread is gone without having been told to. `reason` ends a sentence. */
  onDeath(thread: ThreadHandle, reason: string): void;
}

export class ThreadHandle {
  readonly runs = new Map<number, Run>();
  /** Runs that were cut off, and may still be busy in it. */
  readonly lost = new Map<number, Run>();
  /** It gets no new tasks. */
  tainted = false;
  gone = false;
  readonly beat = new ThreadBeat();
  private readonly worker: Worker;
  private error: unknown = null;
  private looked: Promise<ThreadView | null> | null = null;
  private readonly secrets = new ThreadSecrets((message) => this.post(message));

  constructor(readonly options: ThreadHandleOptions) {
    const resourceLimits: ResourceLimits = {
      maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
      ...(options.memoryMb !== null && { maxOldGenerationSizeMb: options.memoryMb }),
    };
    const workerData: ThreadData = { ...options.data, beat: this.beat.memory };
    this.worker = new Worker(options.module, { name: options.name, workerData, resourceLimits });
    this.worker.on('message', (message: FromThread) => options.onMessage(this, message));
    this.worker.on('error', (error) => {
      this.error = error;
    });
    this.worker.on('exit', (code) => this.exited(code));
  }

  /** Null: no answer within the time, or it is gone. */
  async look(timeoutMs: number): Promise<ThreadView | null> {
    if (this.gone) return null;
    this.looked = lookInto(this.worker.threadId, timeoutMs);
    return await this.looked;
  }

  post(message: ToThread): void {
    if (!this.gone) this.worker.postMessage(message);
  }

  /** Before a task's settings arrive in it: what config providers gave for them. */
  hideProvided(): void {
    this.secrets.tell();
  }

  /** Ends it now; nothing is reported. Resolves when it is gone: native code has to come back first. */
  async terminate(): Promise<void> {
    this.gone = true;
    // One that its debugger has stopped would never end.
    await this.looked;
    await this.worker.terminate();
  }

  private exited(code: number): void {
    if (this.gone) return;
    this.gone = true;
    this.options.onDeath(this, this.reason(code));
  }

  private reason(code: number): string {
    const { memoryMb } = this.options;
    const death = deathOf(this.error, code);
    switch (death.kind) {
      case 'memory':
        return memoryMb === null
          ? 'it ran out of memory; raise --max-old-space-size or have smaller batches'
          : `it ran out of the ${memoryMb} MB that task.memory.mb allows`;
      case 'error':
        return messageOf(death.error);
      case 'exit':
        return `the code of a task ended it (exit code ${code})`;
    }
  }
}
