/**
 * What becomes of the tasks of a thread that hangs, breaks or is gone: whose fault it was fails and is kept apart
 * from then on; the others begin anew elsewhere, where their offsets say, and are charged with nothing.
 */
import { ConnectError, settledWithin } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import { Quarantine } from '../../threads/quarantine';
import type { TaskListener, TaskSpec } from '../host';
import type { ThreadHandle, Run } from './thread-handle';
import { taskName } from '../task-id';
import { blockingTaskText, silenceTrace, type BlockingTask } from './blocking-task';
import { formatTrace } from '../trace';

/** For a thread to end, which native code delays. */
export const END_MS = 5_000;
/** For what was cut off to close its sockets, before its thread ends under it. */
export const CUT_OFF_MS = 1_000;
/** For tasks to leave a thread that is to be ended; less where the graceful timeout is. */
const LEAVE_MS = 5_000;

export interface ThreadFailuresOptions {
  readonly listener: TaskListener;
  readonly logger: Logger;
  readonly leaveMs: number;
  forget(run: Run): void;
  begin(spec: TaskSpec, alone: boolean): void;
  /** Resolves when the thread is gone. */
  end(thread: ThreadHandle): Promise<void>;
  /** Instead of what else was to happen to the thread later. */
  later(thread: ThreadHandle, ms: number, then: () => void): void;
}

interface Cause {
  /** Ends a sentence. */
  readonly why: string;
  /** Number of the run whose fault it was; it may be over. Null: that is unknown. */
  readonly culprit: number | null;
  readonly trace: string;
}

export class ThreadFailures {
  private readonly quarantine = new Quarantine();
  /** Threads with an error in them that nobody caught. */
  private readonly crashes = new WeakMap<ThreadHandle, Cause>();
  private closed = false;

  constructor(private readonly options: ThreadFailuresOptions) {}

  /** From now on nothing begins anew. */
  close(): void {
    this.closed = true;
  }

  /** It took a shared thread down as it is. */
  mustBeAlone(spec: TaskSpec): boolean {
    return this.quarantine.has(taskName(spec.id), settingsOf(spec));
  }

  /** The thread has ended by itself. `reason` ends a sentence. */
  died(thread: ThreadHandle, reason: string): void {
    const error = new ConnectError(`The thread of this task ended: ${reason}.`, { code: 'TASK_THREAD_DIED' });
    const cause = { why: `its thread ended: ${reason}`, culprit: null, trace: formatTrace(error) };
    this.settle(thread, this.crashes.get(thread) ?? cause);
  }

  silent(thread: ThreadHandle, holder: BlockingTask, silentMs: number): void {
    const why = `thread ${thread.options.name} did not answer: ${blockingTaskText(holder)}`;
    this.options.logger.error(
      `Thread ${thread.options.name} is ended, since it does not answer: ${blockingTaskText(holder)}`,
    );
    const culprit = holder.run?.number ?? null;
    void this.endUnder(thread, { why, culprit, trace: silenceTrace(holder, silentMs) });
  }

  /** An error in it that nobody caught: the culprit fails at once, the others have time to leave in good order. */
  crashed(thread: ThreadHandle, number: number | null, trace: string): void {
    const [headline = ''] = trace.split('\n', 1);
    // What a run has left behind that is over by now is none of the last one's.
    const only = !thread.tainted && thread.runs.size + thread.lost.size === 1 ? [...thread.runs.keys()][0] : undefined;
    const culprit = number ?? only ?? null;
    const run = culprit === null ? undefined : (thread.runs.get(culprit) ?? thread.lost.get(culprit));
    const whose = run ? `task ${taskName(run.spec.id)}` : 'one of the tasks of its thread';
    const cause = { why: `an error in ${whose} was not caught (${headline})`, culprit, trace };
    thread.tainted = true;
    this.crashes.set(thread, cause);
    if (run && thread.runs.has(run.number)) {
      run.fate = 'was given up: an error of the task was not caught';
      this.lose(run);
      this.failed(run, trace);
    }
    const others = [...thread.runs.values()];
    const suspects = this.suspects(cause, others);
    for (const other of others) {
      other.moving = suspects.includes(other) ? 'alone' : 'shared';
      if (!other.stopping && !other.cancelled) thread.post({ type: 'stop', run: other.number });
    }
    const leaveMs = Math.min(LEAVE_MS, this.options.leaveMs);
    this.options.later(
      thread,
      others.length > 0 ? leaveMs : Math.min(CUT_OFF_MS, leaveMs),
      () => void this.endUnder(thread, cause),
    );
  }

  /** It has left a thread that is to be ended. */
  moved(run: Run): void {
    this.beginAnew(run, run.moving === 'alone', this.crashes.get(run.thread)?.why ?? 'its thread is to end');
  }

  /** Its code may still be busy in the thread. */
  lose(run: Run): void {
    run.thread.tainted = true;
    run.thread.lost.set(run.number, run);
    this.options.forget(run);
  }

  /** Nothing begins anew before the thread is gone; one in native code runs no code of a task when that comes back. */
  private async endUnder(thread: ThreadHandle, cause: Cause): Promise<void> {
    const late = Symbol();
    if ((await settledWithin(this.options.end(thread), END_MS, late)) === late)
      this.options.logger.error(`Thread ${thread.options.name} is in native code and ends when that comes back`);
    this.settle(thread, cause);
  }

  private settle(thread: ThreadHandle, cause: Cause): void {
    const runs = [...thread.runs.values()];
    const alone = runs.length === 1 && thread.lost.size === 0 && !thread.tainted;
    const suspects = this.suspects(cause, runs);
    for (const run of [...runs, ...thread.lost.values()]) run.fate = 'was given up: its thread was ended';
    for (const run of runs) {
      const isCulprit = run.number === cause.culprit || (alone && cause.culprit === null);
      this.options.forget(run);
      if (run.cancelled || run.stopping || isCulprit) this.failed(run, cause.trace);
      else this.beginAnew(run, run.moving === 'alone' || suspects.includes(run), cause.why);
    }
  }

  /** Whose fault it may be when that is unknown: those with a call under way, or else all. Each shows it alone. */
  private suspects({ culprit }: Cause, runs: readonly Run[]): readonly Run[] {
    if (culprit !== null) return [];
    const busy = runs.filter(({ calls }) => calls.running() !== null);
    return busy.length > 0 ? busy : runs;
  }

  private failed(run: Run, trace: string): void {
    const { logger, listener } = this.options;
    const name = taskName(run.spec.id);
    if (run.cancelled) return;
    if (run.stopping) {
      logger.warn(`The thread of task ${name} ended while the task was stopping`, { trace });
      return listener.onStopped(run.spec.id);
    }
    this.quarantine.add(taskName(run.spec.id), settingsOf(run.spec));
    logger.error(`Task ${name} has failed with its thread, and gets one of its own from now on`, { trace });
    listener.onFailed(run.spec.id, trace, true);
  }

  private beginAnew(run: Run, alone: boolean, why: string): void {
    const { listener, logger, begin } = this.options;
    const { id } = run.spec;
    if (this.closed) return listener.onStopped(id);
    const where = alone ? 'a thread of its own' : 'another thread';
    logger.warn(`Task ${taskName(id)} begins anew in ${where}, which counts as no failure: ${why}`);
    if (run.running) listener.onRestarting(id);
    const spec = { ...run.spec, targetState: run.target };
    begin(spec, alone || this.mustBeAlone(spec));
  }
}

function settingsOf({ connectorClass, connectorConfig, taskConfig }: TaskSpec): Parameters<Quarantine['add']>[1] {
  return [{ connectorClass }, connectorConfig, taskConfig];
}
