/** The worker's side of one task thread. */
import { Worker, type ResourceLimits } from 'node:worker_threads';
import { ConnectError } from '@millrace/sdk';
import { providedValues } from '../logging/hidden-values';
import type { CallClock } from './call-clock';
import type { TaskSpec } from './host';
import { taskName } from './task-id';
import type { FromThread, ThreadData, ToThread } from './thread-messages';
import { formatTrace, messageOf } from './trace';

/** One start of one task. */
export interface Run {
  readonly number: number;
  readonly spec: TaskSpec;
  readonly thread: HostThread;
  readonly calls: CallClock;
  /** Resolves when the task has ended, or its thread. */
  readonly ended: Promise<void>;
  end(): void;
  stopping: boolean;
  /** Nothing it says counts any more. */
  cancelled: boolean;
}

export interface HostThreadOptions {
  /** File of the thread's code. */
  readonly module: string;
  readonly name: string;
  readonly data: ThreadData;
  /** For a single task. */
  readonly dedicated: boolean;
  /** Heap limit; null: the process's own. */
  readonly memoryMb: number | null;
  onMessage(thread: HostThread, message: FromThread): void;
  /** The thread is gone without having been told to. `traceFor` explains it to each of its tasks. */
  onDeath(thread: HostThread, traceFor: (run: Run) => string): void;
}

export class HostThread {
  readonly runs = new Map<number, Run>();
  /** A task that was cut off may still be busy in it: it gets no new ones. */
  tainted = false;
  gone = false;
  private readonly worker: Worker;
  private error: unknown = null;
  /** Version of the provided values that it knows. */
  private hidden = 0;
  private crash: { run: number | null; trace: string } | null = null;

  constructor(readonly options: HostThreadOptions) {
    const resourceLimits: ResourceLimits =
      options.memoryMb === null ? {} : { maxOldGenerationSizeMb: options.memoryMb };
    this.worker = new Worker(options.module, { name: options.name, workerData: options.data, resourceLimits });
    this.worker.on('message', (message: FromThread) => {
      if (message.type === 'crash') this.crash = message;
      else options.onMessage(this, message);
    });
    this.worker.on('error', (error) => {
      this.error = error;
    });
    this.worker.on('exit', (code) => this.exited(code));
  }

  post(message: ToThread): void {
    if (!this.gone) this.worker.postMessage(message);
  }

  /** Before a task's settings arrive in it: what config providers gave for them. */
  hideProvided(): void {
    if (this.hidden === providedValues.version) return;
    this.hidden = providedValues.version;
    this.post({ type: 'hide', values: providedValues.snapshot() });
  }

  /** Ends it now; nothing is reported. */
  async terminate(): Promise<void> {
    this.gone = true;
    await this.worker.terminate();
  }

  private exited(code: number): void {
    if (this.gone) return;
    this.gone = true;
    this.options.onDeath(this, (run) => this.traceFor(run, code));
  }

  private traceFor(run: Run, code: number): string {
    const culprit = this.crash?.run ?? null;
    if (this.crash && (culprit === run.number || (culprit === null && this.runs.size === 1))) return this.crash.trace;
    const others = [...this.runs.values()].filter((r) => r !== run).map((r) => taskName(r.spec.id));
    const shared =
      others.length === 0
        ? ''
        : ` It was shared with ${others.join(', ')}; task.isolation=dedicated gives a connector threads of its own.`;
    return formatTrace(
      new ConnectError(`The thread of this task ended: ${this.reason(code)}.${shared}`, { code: 'TASK_THREAD_DIED' }),
    );
  }

  private reason(code: number): string {
    if (this.crash) {
      const culprit = this.crash.run === null ? undefined : this.runs.get(this.crash.run);
      const firstLine = this.crash.trace.split('\n', 1)[0];
      return `an error in ${culprit ? `task ${taskName(culprit.spec.id)}` : 'one of its tasks'} was not caught (${firstLine})`;
    }
    if ((this.error as { code?: string } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      const { memoryMb } = this.options;
      return memoryMb === null
        ? 'it ran out of memory; raise --max-old-space-size or have smaller batches'
        : `it ran out of the ${memoryMb} MB that task.memory.mb allows`;
    }
    if (this.error !== null) return messageOf(this.error);
    return `the code of a task called process.exit(${code})`;
  }
}
