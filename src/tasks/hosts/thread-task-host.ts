/**
 * Runs tasks in worker threads: a shared pool, and dedicated threads for tasks configured that way. See
 * docs/decisions/0001.
 */
import { join } from 'node:path';
import { type ConnectorConfig, type TaskSignal, settledWithin } from '@millrace/sdk';
import type { ConnectorTaskId } from '../../connector-task-id';
import { readKey } from '../../config/framework-key';
import { hasDedicatedThreads, MILLRACE_KEYS } from '../../config/millrace-keys';
import type { TaskAction } from '../../config/worker-settings';
import { LogLevels } from '../../logging/log-levels';
import type { Logger } from '../../logging/logger';
import { ThreadTerminations } from '../../threads/thread-terminations';
import { writeLine } from '../../threads/thread-logger';
import { CallClock } from '../call-clock';
import type { ExactlyOnceGate, OffsetStorage, TaskHost, TaskListener, TaskSpec, TaskWatch } from '../host';
import { deliveriesOf } from './delivery-progress';
import { PendingSignals } from './pending-signals';
import { TaskSignalError } from '../task-signal-error';
import { cancelInThread, ThreadHandle, type Place, type Run } from './thread-handle';
import { ThreadWatchdog } from './thread-watchdog';
import { taskLoggerName, taskName } from '../task-id';
import { CANCELLED_MS, TERMINATE_MS, ThreadFailures } from './thread-failures';
import type { FromThread, ThreadData } from './task-thread-messages';
import { TaskWatchdog, type WatchedTask } from './task-watchdog';
import { answerCall, failedAnswer } from './worker-calls';

/** A thread without tasks is terminated after this time. */
const IDLE_MS = 60_000;

export interface ThreadTaskHostOptions {
  readonly data: Omit<ThreadData, 'levels' | 'beat'>;
  /** Size of the shared pool. */
  readonly threads: number;
  readonly gracefulTimeoutMs: number;
  /** Time after which a call of a task is logged as stuck; 0: never. (Default: 0) */
  readonly watchdogMs?: number;
  /** What happens to such a task. (Default: `log`) */
  readonly watchdogAction?: TaskAction;
  /** How long a thread may be unresponsive before it is terminated; 0: forever. (Default: 0) */
  readonly silenceMs?: number;
  readonly offsets: OffsetStorage;
  /** Absent: exactly-once tasks cannot start. */
  readonly gate?: ExactlyOnceGate;
  readonly listener: TaskListener;
  readonly logger: Logger;
  /** Log levels that threads apply. (Default: INFO) */
  readonly levels?: LogLevels;
  /** File that a thread runs. (Default: `task-thread.js` of this build) */
  readonly module?: string;
  /** (Default: 60 s) */
  readonly idleMs?: number;
}

export class ThreadTaskHost implements TaskHost {
  private readonly threads = new Set<ThreadHandle>();
  private readonly runs = new Map<string, Run>();
  private readonly terminations = new ThreadTerminations<ThreadHandle>();
  private readonly signals = new PendingSignals();
  private runNumbers = 0;
  private threadNumbers = 0;

  private readonly failures: ThreadFailures;
  private readonly threadWatchdog: ThreadWatchdog;
  private readonly watchdog: TaskWatchdog;
  private readonly levels: LogLevels;
  private readonly forgetLevels: () => void;

  constructor(private readonly options: ThreadTaskHostOptions) {
    this.watchdog = new TaskWatchdog({
      tasks: () => this.watchedTasks(),
      limitMs: options.watchdogMs ?? 0,
      action: options.watchdogAction ?? 'log',
      consequence: 'Its thread is terminated.',
      logger: options.logger,
    });
    this.watchdog.start();
    this.failures = new ThreadFailures({
      listener: options.listener,
      logger: options.logger,
      leaveMs: options.gracefulTimeoutMs,
      forget: (run) => this.forget(run),
      start: (spec, place) => this.startRun(spec, place),
      terminate: (thread) => this.terminateThread(thread),
      schedule: (thread, ms, then) => this.terminations.later(thread, ms, then),
    });
    this.threadWatchdog = new ThreadWatchdog({
      threads: () => this.threads,
      limitMs: (thread) => this.silenceLimit(thread),
      shortestMs: options.watchdogMs ?? 0,
      end: (thread, blocking, ms) => this.failures.onSilence(thread, blocking, ms),
      logger: options.logger,
    });
    this.threadWatchdog.start();
    this.levels = options.levels ?? new LogLevels();
    this.forgetLevels = this.levels.onChange((namespace, level) => {
      for (const thread of this.threads) thread.post({ type: 'log-level', namespace, level });
    });
  }

  async start(spec: TaskSpec): Promise<void> {
    const name = taskName(spec.id);
    if (this.runs.has(name)) throw new Error(`Task ${name} is running already`);
    // The logger is created in the thread; this lists it for `GET /admin/loggers`.
    this.levels.threshold(taskLoggerName(spec));
    this.startRun(spec, this.failures.placeOf(spec));
  }

  /** The shared threads that such tasks need; they end after the idle time if no task comes. */
  prepare(connectorConfigs: readonly ConnectorConfig[]): void {
    const shared = connectorConfigs.filter((config) => !hasDedicatedThreads(config)).length;
    const wanted = Math.min(shared, this.options.threads);
    for (let ready = this.pool('shared').length; ready < wanted; ready++)
      this.terminateLater(this.createThread('shared', null), this.idleMs);
  }

  pause(id: ConnectorTaskId): void {
    this.setTarget(id, 'pause');
  }

  resume(id: ConnectorTaskId): void {
    this.setTarget(id, 'resume');
  }

  forgetTopic(id: ConnectorTaskId, topic: string): void {
    const run = this.runs.get(taskName(id));
    run?.thread.post({ type: 'forget-topic', run: run.number, topic });
  }

  async signal(id: ConnectorTaskId, signal: TaskSignal): Promise<void> {
    const run = this.runs.get(taskName(id));
    if (!run || run.cancelled) throw TaskSignalError.notRunning(id);
    await this.signals.send(run, signal);
  }

  async stop(ids: readonly ConnectorTaskId[], timeoutMs: number): Promise<ConnectorTaskId[]> {
    const runs = ids.flatMap((id) => this.runs.get(taskName(id)) ?? []);
    for (const run of runs) {
      run.stopping = true;
      run.thread.post({ type: 'stop', run: run.number });
    }
    return await this.cancelLate(runs, timeoutMs);
  }

  async cancel(ids: readonly ConnectorTaskId[], timeoutMs: number): Promise<ConnectorTaskId[]> {
    const runs = ids.flatMap((id) => this.runs.get(taskName(id)) ?? []);
    for (const run of runs) {
      run.cancelled = true;
      cancelInThread(run);
    }
    return await this.cancelLate(runs, timeoutMs);
  }

  private async cancelLate(runs: readonly Run[], timeoutMs: number): Promise<ConnectorTaskId[]> {
    await settledWithin(Promise.all(runs.map((run) => run.ended)), timeoutMs, undefined);
    const late = runs.filter((run) => this.runs.get(taskName(run.spec.id)) === run);
    for (const run of late) this.cancelRun(run);
    return late.map((run) => run.spec.id);
  }

  private watchedTasks(): WatchedTask[] {
    return [...this.runs.values()].map((run) => ({
      spec: run.spec,
      calls: run.calls,
      deliveries: run.deliveries,
      excused: this.threadWatchdog.isBlockedByOther(run),
      fate: () => run.fate,
      restart: isEnding(run)
        ? null
        : (trace, stuckMs) => this.failures.onStuck(run, trace, stuckMs, this.blocksThread(run)),
    }));
  }

  /** Of a run that no other task excuses. Code after the first `await` of a call blocks the thread outside the call. */
  private blocksThread({ calls, thread }: Run): boolean {
    return calls.holdsThread || this.threadWatchdog.isSilent(thread);
  }

  watch(): (id: ConnectorTaskId) => TaskWatch {
    return this.watchdog.watch();
  }

  thread(id: ConnectorTaskId): number | null {
    return this.runs.get(taskName(id))?.thread.options.number ?? null;
  }

  problems(): string[] {
    return [...this.threadWatchdog.problems(), ...this.watchdog.problems()];
  }

  has(id: ConnectorTaskId): boolean {
    return this.runs.has(taskName(id));
  }

  async close(): Promise<void> {
    this.watchdog.stop();
    this.forgetLevels();
    await this.stop(
      [...this.runs.values()].map((run) => run.spec.id),
      this.options.gracefulTimeoutMs,
    );
    this.failures.close();
    this.threadWatchdog.stop();
    const threads = [...this.threads];
    this.threads.clear();
    for (const thread of threads) void this.terminations.now(thread);
    await settledWithin(this.terminations.close(), TERMINATE_MS, undefined);
  }

  private setTarget(id: ConnectorTaskId, type: 'pause' | 'resume'): void {
    const run = this.runs.get(taskName(id));
    if (!run) return;
    run.target = type === 'pause' ? 'PAUSED' : 'STARTED';
    run.thread.post({ type, run: run.number });
  }

  private startRun(spec: TaskSpec, place: Place): void {
    const thread = this.threadFor(spec, place);
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const run: Run = {
      number: ++this.runNumbers,
      spec,
      thread,
      calls: new CallClock(),
      deliveries: deliveriesOf(spec),
      ended,
      end,
      target: spec.targetState,
      running: false,
      stopping: false,
      cancelled: false,
      moving: null,
      fate: null,
    };
    this.runs.set(taskName(spec.id), run);
    thread.runs.set(run.number, run);
    this.terminations.keep(thread);
    thread.sendSecrets();
    thread.post({ type: 'start', run: run.number, spec, clock: run.calls.memory });
  }

  // ------------------------------------------------------------ threads

  private threadFor({ connectorConfig }: TaskSpec, place: Place): ThreadHandle {
    if (place === 'alone' || hasDedicatedThreads(connectorConfig))
      return this.createThread('alone', readKey(MILLRACE_KEYS.memoryMb, connectorConfig));
    const pool = this.pool(place);
    const least = pool.sort((a, b) => a.runs.size - b.runs.size)[0];
    if (least && (least.runs.size === 0 || pool.length >= this.options.threads)) return least;
    return this.createThread(place, null);
  }

  /** Threads that may get more tasks. */
  private pool(place: 'shared' | 'stuck'): ThreadHandle[] {
    return [...this.threads].filter((t) => t.options.place === place && !t.draining && !t.retired && !t.gone);
  }

  retireThreads(): void {
    for (const thread of this.threads) {
      thread.retired = true;
      // A thread that is draining ends by itself.
      if (thread.runs.size === 0 && !thread.draining) void this.terminateThread(thread);
    }
  }

  /** A connector may set a longer limit where its task has the thread to itself. */
  private silenceLimit(thread: ThreadHandle): number {
    const workerLimitMs = this.options.silenceMs ?? 0;
    const [only] = thread.runs.values();
    const ownMs =
      thread.options.place === 'alone' && only
        ? readKey(MILLRACE_KEYS.threadSilenceMs, only.spec.connectorConfig)
        : null;
    return ownMs ?? workerLimitMs;
  }

  private createThread(place: Place, memoryMb: number | null): ThreadHandle {
    const number = ++this.threadNumbers;
    const thread = new ThreadHandle({
      module: this.options.module ?? join(__dirname, '..', '..', 'bundle', 'task-thread.js'),
      ...{ number, name: `tasks-${number}` },
      data: { ...this.options.data, levels: this.levels.snapshot() },
      place,
      memoryMb,
      onMessage: (from, message) => this.onMessage(from, message),
      onDeath: (dead, reason) => this.onThreadDeath(dead, reason),
    });
    this.threads.add(thread);
    return thread;
  }

  /** No further reports or offsets from this run. Its thread is terminated once no other task needs it. */
  private cancelRun(run: Run): void {
    const { thread } = run;
    run.fate = 'is abandoned: the task was cancelled';
    this.failures.abandon(run);
    if (thread.runs.size === 0) this.terminateLater(thread, CANCELLED_MS);
  }

  private onThreadDeath(thread: ThreadHandle, reason: string): void {
    this.terminations.keep(thread);
    this.threads.delete(thread);
    this.failures.onThreadDeath(thread, reason);
  }

  private forget(run: Run): void {
    run.thread.runs.delete(run.number);
    if (this.runs.get(taskName(run.spec.id)) === run) this.runs.delete(taskName(run.spec.id));
    run.end();
    this.signals.ended(run);
  }

  private terminateLater(thread: ThreadHandle, ms: number): void {
    if (thread.gone) return;
    this.terminations.later(thread, ms, () => void this.terminateThread(thread));
  }

  private async terminateThread(thread: ThreadHandle): Promise<void> {
    this.threads.delete(thread);
    await this.terminations.now(thread);
  }

  // ------------------------------------------------------------ messages

  private onMessage(thread: ThreadHandle, message: FromThread): void {
    if (message.type === 'log') return writeLine(this.options.logger, message);
    if (message.type === 'crash') return this.failures.onCrash(thread, message.run, message.trace);
    if (message.type === 'cancelled') thread.cancelledRuns.delete(message.run);
    const run = thread.runs.get(message.run);
    if (!run || (run.cancelled && message.type !== 'cancelled')) {
      if (message.type === 'call')
        thread.post(
          failedAnswer(message.request, {
            message: 'The task was cancelled.',
            code: 'TASK_CANCELLED',
            retriable: false,
          }),
        );
      return;
    }
    const { listener } = this.options;
    const { id } = run.spec;
    switch (message.type) {
      case 'running':
        run.running = true;
        return listener.onRunning(id);
      case 'paused':
        run.running = false;
        return listener.onPaused(id);
      case 'resumed':
        run.running = true;
        return listener.onResumed(id);
      case 'stopped':
        this.ended(run);
        if (run.moving === null || run.stopping) return listener.onStopped(id);
        return this.failures.onTaskLeft(run);
      case 'failed':
        this.ended(run);
        return listener.onFailed(id, message.trace, message.retriable);
      case 'cancelled':
        this.ended(run);
        if (run.cancelled || run.moving === null) return;
        return run.stopping ? listener.onStopped(id) : this.failures.onTaskLeft(run);
      case 'signaled':
        return this.signals.answered(message);
      case 'topic':
        return listener.onTopicActive(id, message.topic);
      case 'metrics':
        return listener.onMetrics(id, message.series);
      case 'condition':
        return listener.onCondition(id, message.condition);
      case 'client':
        return listener.onClient(id, message.announcement);
      case 'call':
        void answerCall(message.call, message.request, run.spec, this.options).then((answer) =>
          run.thread.post(answer),
        );
    }
  }

  /** Before the listener is notified, which may start the task again at once. */
  private ended(run: Run): void {
    const { thread } = run;
    this.forget(run);
    if (thread.runs.size === 0) this.terminateLater(thread, isForOthers(thread) ? this.idleMs : 0);
  }

  private get idleMs(): number {
    return this.options.idleMs ?? IDLE_MS;
  }
}

/** A shared thread that may get more tasks. */
function isForOthers({ draining, retired, options }: ThreadHandle): boolean {
  return !draining && !retired && options.place === 'shared';
}

/** It is stopping, was cancelled, or leaves its thread. */
function isEnding({ stopping, cancelled, moving }: Run): boolean {
  return stopping || cancelled || moving !== null;
}
