/** The worker's side of one task thread: its runs, messages to it, its exit. */
import { setFlagsFromString } from 'node:v8';
import type { ResourceLimits, Worker } from 'node:worker_threads';
import { messageOf } from '@millrace/sdk';
import { hideProvidedValues } from '@millrace/texts/redaction';
import { ThreadHeartbeat } from '../../threads/thread-heartbeat';
import { exitCauseOf } from '../../threads/exit-cause';
import { startThread } from '../../threads/running-threads';
import { ThreadSecrets } from '../../threads/thread-secrets';
import { inspectThread, type ThreadView } from '../../threads/inspect-thread';
import type { CallClock } from '../call-clock';
import type { TaskSpec, TaskTargetState } from '../host';
import type { DeliveryProgress } from './delivery-progress';
import type { FromThread, ThreadData, ToThread } from './task-thread-messages';

/**
 * V8 keeps the young generation of a busy thread at its largest size: 48 MiB on Node 20 and 22, 192 on 24. The records
 * of a poll and their conversion fit into a third of this, and hardly anything else that is allocated for them lives
 * longer, so that a larger one saves no CPU. `--max-semi-space-size` overrides it.
 */
const YOUNG_GENERATION_MB = 12;
/**
 * V8 allocates what has survived its first collections, such as the records of a poll, in the old generation from then
 * on. In one of three streams this has let the heap of the thread grow from 30 to 65 MiB.
 */
const ALLOCATE_YOUNG = '--no-allocation-site-pretenuring';

/**
 * In which thread a task runs: with any other; with others that were stuck, because the end of one ends the thread; or
 * alone, because it has harmed its thread or may have.
 */
export type Place = 'shared' | 'stuck' | 'alone';

/** One start of one task. */
export interface Run {
  readonly number: number;
  readonly spec: TaskSpec;
  readonly thread: ThreadHandle;
  readonly calls: CallClock;
  /** Sources only; null: their metrics are not read. */
  readonly deliveries: DeliveryProgress | null;
  /** Resolves when the task or its thread has ended. */
  readonly ended: Promise<void>;
  end(): void;
  /** Requested last. */
  target: TaskTargetState;
  /** According to its last report. */
  running: boolean;
  stopping: boolean;
  /** Its reports are ignored. */
  cancelled: boolean;
  /** It stops only to restart in a dedicated thread or in another shared one. */
  moving: 'alone' | 'shared' | null;
  /** What happened to a call that never returned; ends a sentence. */
  fate: string | null;
}

/** Cancels the run. A blocked thread receives no message, but must send nothing once it runs again. */
export function cancelInThread(run: Run): void {
  run.calls.revoke();
  run.thread.post({ type: 'cancel', run: run.number });
}

export interface ThreadHandleOptions {
  /** File that the thread runs. */
  readonly module: string;
  readonly number: number;
  readonly name: string;
  readonly data: Omit<ThreadData, 'beat'>;
  readonly place: Place;
  /** Heap limit; null: the process's own. */
  readonly memoryMb: number | null;
  onMessage(thread: ThreadHandle, message: FromThread): void;
  /** The thread has exited without being terminated. `reason` ends a sentence. */
  onDeath(thread: ThreadHandle, reason: string): void;
}

export class ThreadHandle {
  readonly runs = new Map<number, Run>();
  /** Cancelled runs whose code may still be running in the thread. */
  readonly cancelledRuns = new Map<number, Run>();
  /** Gets no new tasks. */
  draining = false;
  /** Gets no new tasks, because it may have loaded plugins that have changed since. */
  retired = false;
  gone = false;
  readonly beat = new ThreadHeartbeat();
  private readonly worker: Worker;
  private error: unknown = null;
  private viewing: Promise<ThreadView | null> | null = null;
  private readonly secrets = new ThreadSecrets((message) => this.post(message));

  constructor(readonly options: ThreadHandleOptions) {
    const resourceLimits: ResourceLimits = {
      maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
      ...(options.memoryMb !== null && { maxOldGenerationSizeMb: options.memoryMb }),
    };
    const workerData: ThreadData = { ...options.data, beat: this.beat.memory };
    setFlagsFromString(ALLOCATE_YOUNG);
    this.worker = startThread(options.module, { name: options.name, workerData, resourceLimits });
    this.beat.of(this.worker, () => this.post({ type: 'beat' }));
    this.worker.on('message', (message: FromThread) => options.onMessage(this, message));
    this.worker.on('error', (error) => {
      this.error = error;
    });
    this.worker.on('exit', (code) => this.exited(code));
  }

  /** Null: no answer in time, or the thread has exited. */
  async view(timeoutMs: number): Promise<ThreadView | null> {
    if (this.gone) return null;
    this.viewing = inspectThread(this.worker.threadId, timeoutMs);
    return await this.viewing;
  }

  post(message: ToThread): void {
    if (!this.gone) this.worker.postMessage(message);
  }

  /** Values of config providers, which the thread hides in its logs. Sent before the task's settings. */
  sendSecrets(): void {
    this.secrets.send();
  }

  /** Terminates the thread without a report. Resolves when it has exited, which native code delays. */
  async terminate(): Promise<void> {
    this.gone = true;
    // A thread that the debugger has paused would never exit.
    await this.viewing;
    await this.worker.terminate();
  }

  private exited(code: number): void {
    if (this.gone) return;
    this.gone = true;
    this.options.onDeath(this, this.reason(code));
  }

  private get connectors(): readonly string[] {
    return [...this.runs.values(), ...this.cancelledRuns.values()].map(({ spec }) => spec.id.connector);
  }

  private reason(code: number): string {
    const { memoryMb } = this.options;
    const exit = exitCauseOf(this.error, code);
    switch (exit.kind) {
      case 'memory':
        return memoryMb === null
          ? 'it ran out of memory; raise --max-old-space-size or reduce the batch size'
          : `it ran out of the ${memoryMb} MB that task.memory.mb allows`;
      case 'error':
        return hideProvidedValues(messageOf(exit.error), this.connectors, { words: true });
      case 'exit':
        return `the code of a task ended it (exit code ${code})`;
    }
  }
}
