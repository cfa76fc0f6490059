/** Runs tasks in this thread: for tests and debugging. */
import { type TaskSignal, settledWithin } from '@millrace/sdk';
import type { ConnectorTaskId } from '../../connector-task-id';
import { about } from '../../logging/line-subject';
import { CallClock } from '../call-clock';
import type { RunListener, TaskHost, TaskListener, TaskSpec, TaskWatch } from '../host';
import type { TaskEnvironment } from '../task-environment';
import { taskName } from '../task-id';
import { TaskRunner } from '../task-runner';
import { TaskSignalError } from '../task-signal-error';
import { deliveriesOf } from './delivery-progress';
import { TaskWatchdog, type WatchedTask } from './task-watchdog';

export class InlineTaskHost implements TaskHost {
  private readonly runners = new Map<string, TaskRunner>();
  private readonly watchdog: TaskWatchdog;
  private readonly watched = new WeakMap<TaskRunner, Pick<WatchedTask, 'calls' | 'deliveries'>>();

  constructor(
    private readonly environment: TaskEnvironment,
    private readonly listener: TaskListener,
  ) {
    const { taskMs, taskAction } = environment.config.watchdog;
    this.watchdog = new TaskWatchdog({
      tasks: () => this.watchedTasks(),
      limitMs: taskMs,
      action: taskAction,
      consequence: 'The call itself continues: with task.host=inline nothing can terminate it.',
      logger: environment.logger,
    });
    this.watchdog.start();
  }

  async start(spec: TaskSpec): Promise<void> {
    const name = taskName(spec.id);
    if (this.runners.has(name)) throw new Error(`Task ${name} is running already`);
    const calls = new CallClock();
    const runner = new TaskRunner(spec, this.environment, this.releasingListener(name), calls);
    this.watched.set(runner, { calls, deliveries: deliveriesOf(spec) });
    this.runners.set(name, runner);
    runner.start();
  }

  prepare(): void {
    // Needs no threads.
  }

  pause(id: ConnectorTaskId): void {
    this.runners.get(taskName(id))?.pause();
  }

  resume(id: ConnectorTaskId): void {
    this.runners.get(taskName(id))?.resume();
  }

  forgetTopic(id: ConnectorTaskId, topic: string): void {
    this.runners.get(taskName(id))?.forgetTopic(topic);
  }

  async signal(id: ConnectorTaskId, signal: TaskSignal): Promise<void> {
    const runner = this.runners.get(taskName(id));
    if (!runner) throw TaskSignalError.notRunning(id);
    await runner.signal(signal);
  }

  async stop(ids: readonly ConnectorTaskId[], timeoutMs: number): Promise<ConnectorTaskId[]> {
    const runners = ids.flatMap((id) => this.runners.get(taskName(id)) ?? []);
    for (const runner of runners) runner.stop();
    return await this.cancelLate(runners, timeoutMs);
  }

  async cancel(ids: readonly ConnectorTaskId[], timeoutMs: number): Promise<ConnectorTaskId[]> {
    const runners = ids.flatMap((id) => this.runners.get(taskName(id)) ?? []);
    const open = new Set(runners);
    for (const runner of runners) {
      runner.cancel();
      void runner.done.then(() => open.delete(runner));
    }
    await settledWithin(Promise.all(runners.map((runner) => runner.done)), timeoutMs, undefined);
    for (const { spec } of runners) this.runners.delete(taskName(spec.id));
    return [...open].map(({ spec }) => spec.id);
  }

  retireThreads(): void {
    // Has none.
  }

  private async cancelLate(runners: readonly TaskRunner[], timeoutMs: number): Promise<ConnectorTaskId[]> {
    await settledWithin(Promise.all(runners.map((runner) => runner.done)), timeoutMs, undefined);
    const late = runners.filter((runner) => this.runners.get(taskName(runner.spec.id)) === runner);
    for (const runner of late) {
      runner.cancel();
      this.runners.delete(taskName(runner.spec.id));
    }
    return late.map((runner) => runner.spec.id);
  }

  private watchedTasks(): WatchedTask[] {
    return [...this.runners.values()].map((runner) => ({
      spec: runner.spec,
      ...(this.watched.get(runner) ?? { calls: new CallClock(), deliveries: null }),
      excused: false,
      fate: () => (runner.isCancelled ? 'is abandoned: the task was cancelled' : null),
      restart: runner.isStopping ? null : (trace, stuckMs) => this.onStuck(runner, trace, stuckMs),
    }));
  }

  private onStuck(runner: TaskRunner, trace: string, stuckMs: number): void {
    const { id } = runner.spec;
    runner.cancel();
    this.runners.delete(taskName(id));
    this.environment.logger.error(
      `Task ${taskName(id)} was ended because of a call that does not return`,
      about(id, { trace }),
    );
    this.listener.onFailed(id, trace, true, stuckMs);
  }

  watch(): (id: ConnectorTaskId) => TaskWatch {
    return this.watchdog.watch();
  }

  thread(): null {
    return null;
  }

  problems(): string[] {
    return this.watchdog.problems();
  }

  has(id: ConnectorTaskId): boolean {
    return this.runners.has(taskName(id));
  }

  /** Removes the task before the listener is notified of its end, which may start it again at once. */
  private releasingListener(name: string): RunListener {
    const listener = this.listener;
    return {
      onRunning: (id) => listener.onRunning(id),
      onPaused: (id) => listener.onPaused(id),
      onResumed: (id) => listener.onResumed(id),
      onTopicActive: (id, topic) => listener.onTopicActive(id, topic),
      onMetrics: (id, series) => listener.onMetrics(id, series),
      onCondition: (id, condition) => listener.onCondition(id, condition),
      onClient: (id, announcement) => listener.onClient(id, announcement),
      onStopped: (id) => {
        this.runners.delete(name);
        listener.onStopped(id);
      },
      onFailed: (id, trace, retriable) => {
        this.runners.delete(name);
        listener.onFailed(id, trace, retriable);
      },
    };
  }

  async close(): Promise<void> {
    this.watchdog.stop();
    const ids = [...this.runners.values()].map((runner) => runner.spec.id);
    await this.stop(ids, this.environment.config.taskShutdownGracefulTimeoutMs);
  }
}
