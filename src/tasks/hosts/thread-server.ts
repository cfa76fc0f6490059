/** Runs tasks inside a task thread, controlled by the worker's messages. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ConnectError, type SourceOffset, type SourcePartition, type TaskSignal, messageOf } from '@millrace/sdk';
import { CallClock } from '../call-clock';
import type { OffsetStorage, RunListener, TaskSpec } from '../host';
import type { TaskEnvironment } from '../task-environment';
import { TaskRunner } from '../task-runner';
import { TaskSignalError } from '../task-signal-error';
import type { FromThread, ToThread } from './task-thread-messages';
import { formatTrace } from '../trace';

interface Waiting {
  resolve(offsets: (SourceOffset | null)[]): void;
  reject(error: Error): void;
}

export class ThreadServer {
  private readonly runners = new Map<number, TaskRunner>();
  private readonly waiting = new Map<number, Waiting>();
  private readonly crashes = new Set<number | null>();
  private requests = 0;
  /** The run that the current asynchronous call belongs to. */
  private readonly owner = new AsyncLocalStorage<number>();

  constructor(
    private readonly environment: Omit<TaskEnvironment, 'offsets'>,
    private readonly post: (message: FromThread) => void,
  ) {}

  handle(message: Exclude<ToThread, { type: 'log-level' | 'hide' }>): void {
    switch (message.type) {
      case 'start':
        this.start(message.run, message.spec, new CallClock(message.clock));
        break;
      case 'answer':
        this.onAnswer(message.request, message.offsets, message.error);
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
    return this.owner.getStore();
  }

  /** Reports an uncaught error. The thread's state is unknown: the worker moves the other tasks and terminates it. */
  onCrash(error: unknown): void {
    const run = this.currentRun ?? null;
    if (this.crashes.has(run)) return;
    this.crashes.add(run);
    this.post({ type: 'crash', run, trace: formatTrace(error) });
    if (run !== null) this.runners.get(run)?.cancel();
  }

  private signal(run: number, request: number, signal: TaskSignal): void {
    const runner = this.runners.get(run);
    // The run has reported its end, so the worker has answered already.
    if (!runner) return;
    this.owner.run(run, () => {
      runner.signal(signal).then(
        () => this.post({ type: 'signaled', run, request, failure: null }),
        (error: unknown) => {
          const kind = error instanceof TaskSignalError ? error.failure : 'rejected';
          this.post({ type: 'signaled', run, request, failure: { kind, message: messageOf(error) } });
        },
      );
    });
  }

  private start(run: number, spec: TaskSpec, calls: CallClock): void {
    this.owner.run(run, () => {
      const environment = { ...this.environment, offsets: this.offsets(run) };
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
    };
  }

  /** The offset store is in the worker's main thread. */
  private offsets(run: number): OffsetStorage {
    return {
      read: (_connector, partitions: readonly SourcePartition[]) =>
        this.request((request) => this.post({ type: 'read', run, request, partitions })),
      write: async (_connector, offsets) => {
        await this.request((request) => this.post({ type: 'write', run, request, offsets }));
      },
    };
  }

  private async request(send: (request: number) => void): Promise<(SourceOffset | null)[]> {
    const request = ++this.requests;
    return await new Promise((resolve, reject) => {
      this.waiting.set(request, { resolve, reject });
      send(request);
    });
  }

  private onAnswer(request: number, offsets: readonly (SourceOffset | null)[], error: string | null): void {
    const waiting = this.waiting.get(request);
    this.waiting.delete(request);
    if (error === null) waiting?.resolve([...offsets]);
    else waiting?.reject(new ConnectError(error, { code: 'OFFSET_STORAGE' }));
  }
}
