/** Runs tasks inside a task thread, controlled by the worker's messages. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { type TaskSignal, ConnectError, messageOf } from '@millrace/sdk';
import { hideProvidedValues } from '@millrace/texts/redaction';
import { registerOwner } from '../../threads/inspect-thread';
import { CallClock } from '../call-clock';
import type { RunListener, TaskSpec } from '../host';
import type { TaskEnvironment } from '../task-environment';
import { TaskRunner } from '../task-runner';
import { TaskSignalError } from '../task-signal-error';
import type { FromThread, ToThread } from './task-thread-messages';
import { formatTrace } from '../trace';
import { WorkerCalls } from './worker-calls';

interface Owner {
  readonly run: number;
  readonly connector: string;
}

export class ThreadServer {
  private readonly runners = new Map<number, TaskRunner>();
  private readonly calls: WorkerCalls;
  private readonly crashes = new Set<number | null>();
  /** The run that the current asynchronous call belongs to. */
  private readonly owner = new AsyncLocalStorage<Owner>();
  /** Of all tasks that have run here: an error of an unknown task may quote the config of each. */
  private readonly connectors = new Set<string>();

  constructor(
    private readonly environment: Omit<TaskEnvironment, 'offsets' | 'gate'>,
    private readonly post: (message: FromThread) => void,
  ) {
    this.calls = new WorkerCalls(post);
  }

  handle(message: Exclude<ToThread, { type: 'log-level' | 'hide' | 'beat' }>): void {
    switch (message.type) {
      case 'start':
        this.start(message.run, message.spec, new CallClock(message.clock));
        break;
      case 'answer':
        this.calls.onAnswer(message);
        break;
      case 'forget-topic':
        this.runners.get(message.run)?.forgetTopic(message.topic);
        break;
      case 'signal':
        this.signal(message.run, message.request, message.signal);
        break;
      default:
        this.runners.get(message.run)?.[message.type]();
    }
  }

  /** The run whose code calls this. */
  get currentRun(): number | undefined {
    return this.owner.getStore()?.run;
  }

  /** Reports an uncaught error. The thread's state is unknown: the worker moves the other tasks and terminates it. */
  onCrash(error: unknown): void {
    const run = this.currentRun ?? null;
    if (this.crashes.has(run)) return;
    this.crashes.add(run);
    const owners = this.owner.getStore()?.connector ?? [...this.connectors];
    this.post({ type: 'crash', run, trace: formatTrace(error, owners) });
    if (run !== null) this.runners.get(run)?.cancel();
  }

  private signal(run: number, request: number, signal: TaskSignal): void {
    const runner = this.runners.get(run);
    // The run has reported its end, so the worker has answered already.
    if (!runner) return;
    const { connector } = runner.spec.id;
    this.owner.run({ run, connector }, () => {
      runner.signal(signal).then(
        () => this.post({ type: 'signaled', run, request, failure: null }),
        (error: unknown) => {
          const kind = error instanceof TaskSignalError ? error.failure : 'rejected';
          const message = hideProvidedValues(messageOf(error), connector, { words: true });
          this.post({ type: 'signaled', run, request, failure: { kind, message } });
        },
      );
    });
  }

  private start(run: number, spec: TaskSpec, calls: CallClock): void {
    const { connector } = spec.id;
    this.connectors.add(connector);
    this.owner.run({ run, connector }, () => {
      const environment = { ...this.environment, offsets: this.calls.offsets(run), gate: this.calls.gate(run) };
      const runner = new TaskRunner(spec, environment, this.listener(run), calls);
      this.runners.set(run, runner);
      void runner.done.then(() => {
        this.runners.delete(run);
        if (runner.isCancelled) this.post({ type: 'cancelled', run });
      });
      runner.start();
    });
  }

  private listener(run: number): RunListener {
    return {
      onRunning: () => this.post({ type: 'running', run }),
      onPaused: () => this.post({ type: 'paused', run }),
      onResumed: () => this.post({ type: 'resumed', run }),
      onStopped: () => this.post({ type: 'stopped', run }),
      onFailed: (_id, trace, retriable) => this.post({ type: 'failed', run, trace, retriable }),
      onTopicActive: (_id, topic) => this.post({ type: 'topic', run, topic }),
      onMetrics: (_id, series) => this.post({ type: 'metrics', run, series }),
      onCondition: (_id, condition) => this.post({ type: 'condition', run, condition }),
      onClient: (_id, announcement) => this.post({ type: 'client', run, announcement }),
    };
  }
}

/**
 * Attributes uncaught errors and `process.exit` to the task whose code caused them, instead of losing the thread with
 * all its tasks.
 */
export function guardThread(server: ThreadServer): void {
  registerOwner(() => server.currentRun);
  process.exit = (code?: number | string | null): never => {
    const error = new ConnectError(`The code of this task called process.exit(${code ?? ''}).`, {
      code: 'TASK_THREAD_DIED',
    });
    server.onCrash(error);
    // Must not return to its caller. The worker terminates the thread once the other tasks have left it.
    throw error;
  };
  process.on('uncaughtException', (error) => server.onCrash(error));
}
