/**
 * Handles threads that hang, crash or exit. The task that caused it fails and gets a dedicated thread from then on. The
 * others restart in another thread from their stored offsets, which does not count as a failure.
 */
import { ConnectError, settledWithin, startTimer } from '@millrace/sdk';
import { about } from '../../logging/line-subject';
import type { Logger } from '../../logging/logger';
import { Quarantine } from '../../threads/quarantine';
import type { TaskListener, TaskSpec } from '../host';
import { cancelInThread, type Place, type ThreadHandle, type Run } from './thread-handle';
import { taskName } from '../task-id';
import { blockingTaskText, silenceTrace, type BlockingTask } from './blocking-task';
import { formatTrace } from '../trace';

/** Longest wait for a thread to exit, which native code delays. */
export const TERMINATE_MS = 5_000;
/** Time for a cancelled task to close its sockets before its thread is terminated. */
export const CANCELLED_MS = 1_000;
/** Time for a cancelled task to end its calls before the other tasks leave its thread. */
export const RELEASED_MS = 1_000;
/** Time for tasks to leave a thread that will be terminated; at most the graceful timeout. */
const LEAVE_MS = 5_000;

export interface ThreadFailuresOptions {
  readonly listener: TaskListener;
  readonly logger: Logger;
  readonly leaveMs: number;
  forget(run: Run): void;
  start(spec: TaskSpec, place: Place): void;
  /** Resolves when the thread has exited. */
  terminate(thread: ThreadHandle): Promise<void>;
  /** Replaces what was scheduled for the thread before. */
  schedule(thread: ThreadHandle, ms: number, then: () => void): void;
}

interface Cause {
  /** Ends a sentence. */
  readonly why: string;
  /** Number of the run that caused it, which may have ended. Null: unknown. */
  readonly runNumber: number | null;
  readonly trace: string;
  /** How long it was RUNNING without working; milliseconds. (Default: 0) */
  readonly stuckMs?: number;
}

export class ThreadFailures {
  /** Tasks that have blocked or broken their thread. */
  private readonly harmful = new Quarantine();
  /** Tasks with a call that did not return and left its thread free: many at once when their target does not answer. */
  private readonly stuck = new Quarantine();
  /** Threads with an uncaught error. */
  private readonly crashes = new WeakMap<ThreadHandle, Cause>();
  private closed = false;

  constructor(private readonly options: ThreadFailuresOptions) {}

  /** From now on no task is restarted. */
  close(): void {
    this.closed = true;
  }

  /** By what the task has done with these settings. */
  placeOf(spec: TaskSpec): Place {
    if (this.harmful.has(taskName(spec.id), settingsOf(spec))) return 'alone';
    return this.stuck.has(taskName(spec.id), settingsOf(spec)) ? 'stuck' : 'shared';
  }

  /** The thread has exited by itself. `reason` ends a sentence. */
  onThreadDeath(thread: ThreadHandle, reason: string): void {
    const error = new ConnectError(`The thread of this task ended: ${reason}.`, { code: 'TASK_THREAD_DIED' });
    const cause = { why: `its thread ended: ${reason}`, runNumber: null, trace: formatTrace(error, null) };
    this.settleTasks(thread, this.crashes.get(thread) ?? cause);
  }

  onSilence(thread: ThreadHandle, blocking: BlockingTask, silentMs: number): void {
    const why = `thread ${thread.options.name} did not answer: ${blockingTaskText(blocking)}`;
    this.options.logger.error(
      `Terminating thread ${thread.options.name}, which does not answer: ${blockingTaskText(blocking)}`,
    );
    const runNumber = blocking.run?.number ?? null;
    const trace = silenceTrace(blocking, silentMs);
    void this.terminateThread(thread, { why, runNumber, trace, stuckMs: silentMs });
  }

  /**
   * A call of the task does not return. If its thread runs other code, the call may end with what the plugin releases;
   * otherwise only the end of the thread ends it, and the other tasks have to leave.
   * @param blocks the task keeps its thread from running other code
   */
  onStuck(run: Run, trace: string, stuckMs: number, blocks: boolean): void {
    const { thread } = run;
    const [headline = ''] = trace.split('\n', 1);
    const cause = {
      why: `its thread is terminated because of task ${taskName(run.spec.id)} (${headline})`,
      runNumber: run.number,
      trace,
    };
    run.fate = 'is abandoned: the task was ended because of it';
    this.cancel(run);
    this.failTask(run, trace, stuckMs, blocks ? 'alone' : 'stuck');
    const leave = (): void => {
      thread.draining = true;
      this.crashes.set(thread, cause);
      this.leave(thread, cause);
    };
    if (blocks || thread.runs.size === 0) return leave();
    startTimer(() => {
      if (!this.closed && !thread.gone && thread.cancelledRuns.has(run.number)) leave();
    }, RELEASED_MS).unref();
  }

  /** An uncaught error: the task that caused it fails at once, the others get time to stop cleanly. */
  onCrash(thread: ThreadHandle, number: number | null, trace: string): void {
    const [headline = ''] = trace.split('\n', 1);
    // The error may come from a run that has ended; only a run that had the thread to itself is to blame.
    const only =
      !thread.draining && thread.runs.size + thread.cancelledRuns.size === 1 ? [...thread.runs.keys()][0] : undefined;
    const runNumber = number ?? only ?? null;
    const run = runNumber === null ? undefined : (thread.runs.get(runNumber) ?? thread.cancelledRuns.get(runNumber));
    const whose = run ? `task ${taskName(run.spec.id)}` : 'one of the tasks of its thread';
    const cause = { why: `uncaught error in ${whose} (${headline})`, runNumber, trace };
    thread.draining = true;
    this.crashes.set(thread, cause);
    if (run && thread.runs.has(run.number)) {
      run.fate = 'is abandoned: the task threw an uncaught error';
      this.abandon(run);
      this.failTask(run, trace);
    }
    this.leave(thread, cause);
  }

  /** The tasks of the thread get time to stop cleanly, then it is terminated. */
  private leave(thread: ThreadHandle, cause: Cause): void {
    const others = [...thread.runs.values()];
    const dedicated = this.possibleCauses(cause, others);
    for (const other of others) {
      other.moving = dedicated.includes(other) ? 'alone' : 'shared';
      if (!other.stopping && !other.cancelled) thread.post({ type: 'stop', run: other.number });
    }
    const leaveMs = Math.min(LEAVE_MS, this.options.leaveMs);
    if (others.length > 0) this.options.schedule(thread, leaveMs, () => this.cutOff(thread, cause));
    else this.terminateSoon(thread, cause);
  }

  /** A sink that leaves its group restarts without a wait for the session timeout of its old member. */
  private cutOff(thread: ThreadHandle, cause: Cause): void {
    for (const run of thread.runs.values()) cancelInThread(run);
    this.terminateSoon(thread, cause);
  }

  private terminateSoon(thread: ThreadHandle, cause: Cause): void {
    const ms = Math.min(CANCELLED_MS, this.options.leaveMs);
    this.options.schedule(thread, ms, () => void this.terminateThread(thread, cause));
  }

  /** The task has left a thread that will be terminated. */
  onTaskLeft(run: Run): void {
    this.restartElsewhere(
      run,
      run.moving === 'alone',
      this.crashes.get(run.thread)?.why ?? 'its thread is being terminated',
    );
  }

  /** Cancels the run; its code may still be running in the thread. */
  abandon(run: Run): void {
    run.thread.draining = true;
    this.cancel(run);
  }

  private cancel(run: Run): void {
    cancelInThread(run);
    run.thread.cancelledRuns.set(run.number, run);
    this.options.forget(run);
  }

  /** Tasks restart when the thread has exited. A thread in native code runs no code of a task when that returns. */
  private async terminateThread(thread: ThreadHandle, cause: Cause): Promise<void> {
    const late = Symbol();
    if ((await settledWithin(this.options.terminate(thread), TERMINATE_MS, late)) === late)
      this.options.logger.error(`Thread ${thread.options.name} is in native code and exits when that returns`);
    this.settleTasks(thread, cause);
  }

  private settleTasks(thread: ThreadHandle, cause: Cause): void {
    const runs = [...thread.runs.values()];
    const alone = runs.length === 1 && thread.cancelledRuns.size === 0 && !thread.draining;
    const dedicated = this.possibleCauses(cause, runs);
    for (const run of [...runs, ...thread.cancelledRuns.values()]) run.fate = 'is abandoned: its thread was terminated';
    for (const run of runs) {
      const isCause = run.number === cause.runNumber || (alone && cause.runNumber === null);
      this.options.forget(run);
      if (run.cancelled || run.stopping || isCause) this.failTask(run, cause.trace, cause.stuckMs);
      else this.restartElsewhere(run, run.moving === 'alone' || dedicated.includes(run), cause.why);
    }
  }

  /** If the cause is unknown: runs with a call in progress, or else all. Each gets a dedicated thread. */
  private possibleCauses({ runNumber }: Cause, runs: readonly Run[]): readonly Run[] {
    if (runNumber !== null) return [];
    const busy = runs.filter(({ calls }) => calls.running() !== null);
    return busy.length > 0 ? busy : runs;
  }

  private failTask(run: Run, trace: string, stuckMs = 0, place: 'alone' | 'stuck' = 'alone'): void {
    const { logger, listener } = this.options;
    const name = taskName(run.spec.id);
    if (run.cancelled) return;
    if (run.stopping) {
      logger.warn(`The thread of task ${name} ended while the task was stopping`, about(run.spec.id, { trace }));
      return listener.onStopped(run.spec.id);
    }
    this[place === 'alone' ? 'harmful' : 'stuck'].add(name, settingsOf(run.spec));
    const where = place === 'alone' ? 'a dedicated thread' : 'a thread apart from tasks that were never stuck';
    logger.error(`Task ${name} failed with its thread; it gets ${where} from now on`, about(run.spec.id, { trace }));
    listener.onFailed(run.spec.id, trace, true, stuckMs);
  }

  private restartElsewhere(run: Run, alone: boolean, why: string): void {
    const { listener, logger, start: begin } = this.options;
    const { id } = run.spec;
    if (this.closed) return listener.onStopped(id);
    const where = alone ? 'a dedicated thread' : 'another thread';
    logger.warn(`Restarting task ${taskName(id)} in ${where}, not counted as a failure: ${why}`, about(id));
    if (run.running) listener.onRestarting(id);
    const spec = { ...run.spec, targetState: run.target };
    begin(spec, alone ? 'alone' : this.placeOf(spec));
  }
}

function settingsOf({ connectorClass, connectorConfig, taskConfig }: TaskSpec): Parameters<Quarantine['add']>[1] {
  return [{ connectorClass }, connectorConfig, taskConfig];
}
