/**
 * Detects task threads that do not answer. Logs which task blocks them and has them terminated after the limit.
 */
import type { Logger } from '../../logging/logger';
import { CHECK_MS, isDebugged, SilenceChecks, SilenceWatch } from '../../threads/thread-heartbeat';
import type { ThreadHandle, Run } from './thread-handle';
import { taskName } from '../task-id';
import { findBlockingTask, blockingTaskText, type BlockingTask } from './blocking-task';

const REPORT_MS = 5_000;
/** For a thread that a cancelled task blocks. */
const CANCELLED_SILENCE_MS = 1_000;

export interface ThreadWatchdogOptions {
  readonly threads: () => Iterable<ThreadHandle>;
  /** How long a thread may be unresponsive; 0: forever. Milliseconds. */
  readonly limitMs: (thread: ThreadHandle) => number;
  /** The shortest time after which others ask whether a thread is silent; 0: none. (Default: 0) Milliseconds. */
  readonly shortestMs?: number;
  /** Called once per thread. */
  readonly end: (thread: ThreadHandle, blocking: BlockingTask, silentMs: number) => void;
  readonly logger: Logger;
  /** For tests. */
  readonly find?: (thread: ThreadHandle) => Promise<BlockingTask>;
}

interface Silence {
  readonly watch: SilenceWatch;
  ms: number;
  searching: boolean;
  blocking: BlockingTask | null;
  reported: boolean;
}

export class ThreadWatchdog {
  private readonly silences = new WeakMap<ThreadHandle, Silence>();
  private readonly checks = new SilenceChecks(
    (everyMs) => this.check(everyMs),
    () => this.shortestLimit(),
  );

  constructor(private readonly options: ThreadWatchdogOptions) {}

  start(): void {
    this.checks.start();
  }

  stop(): void {
    this.checks.stop();
  }

  /** True: its call may be pending only because another task blocks the thread. */
  isBlockedByOther(run: Run): boolean {
    const { runs, cancelledRuns } = run.thread;
    const silence = this.silences.get(run.thread);
    if (silence === undefined || silence.ms === 0 || runs.size + cancelledRuns.size === 1) return false;
    return silence.blocking?.run !== run;
  }

  /** True: the thread answers none of its tasks. */
  isSilent(thread: ThreadHandle): boolean {
    // A heartbeat may just miss one check.
    return (this.silences.get(thread)?.ms ?? 0) > CHECK_MS;
  }

  /** A sentence for each unresponsive thread that was logged. */
  problems(): string[] {
    return [...this.options.threads()].flatMap((thread) => {
      const silence = this.silences.get(thread);
      return silence?.reported && silence.blocking !== null ? [sentence(thread, silence.ms, silence.blocking)] : [];
    });
  }

  /** Returns whether all threads are calm. */
  check(everyMs: number = CHECK_MS): boolean {
    let isCalm = true;
    for (const thread of this.options.threads()) {
      const silence = this.silenceOf(thread);
      // Before its first heartbeat a thread loads our code, none of a plugin.
      const ms = silence.watch.checkHeartbeat(everyMs);
      isCalm &&= silence.watch.isCalm && thread.cancelledRuns.size === 0;
      if (thread.beat.count === 0) continue;
      if (ms === 0) this.onAnswer(thread, silence);
      else this.onSilence(thread, silence, ms);
    }
    return isCalm;
  }

  private shortestLimit(): number {
    const limits = [...this.options.threads()].map((thread) => this.options.limitMs(thread));
    return Math.min(...[this.options.shortestMs ?? 0, ...limits].filter((ms) => ms > 0), REPORT_MS * 2);
  }

  private silenceOf(thread: ThreadHandle): Silence {
    let silence = this.silences.get(thread);
    if (!silence) {
      silence = {
        watch: new SilenceWatch(thread.beat),
        ms: 0,
        searching: false,
        blocking: null,
        reported: false,
      };
      this.silences.set(thread, silence);
    }
    return silence;
  }

  private onAnswer(thread: ThreadHandle, silence: Silence): void {
    if (silence.reported)
      this.options.logger.warn(`Thread ${thread.options.name} answers again after ${seconds(silence.ms)} s`);
    silence.ms = 0;
    silence.searching = false;
    silence.blocking = null;
    silence.reported = false;
  }

  private onSilence(thread: ThreadHandle, silence: Silence, ms: number): void {
    silence.ms = ms;
    const limitMs = isDebugged() ? 0 : this.options.limitMs(thread);
    const reportMs = limitMs > 0 ? Math.min(REPORT_MS, limitMs / 2) : REPORT_MS;
    if (ms < (thread.cancelledRuns.size > 0 ? Math.min(CANCELLED_SILENCE_MS, reportMs) : reportMs)) return;
    if (!silence.searching) void this.findCause(thread, silence);
    const { blocking } = silence;
    if (blocking === null) return;
    if (!silence.reported) this.report(thread, silence, blocking, limitMs);
    const isCancelled =
      thread.cancelledRuns.size > 0 && (blocking.run === null || thread.cancelledRuns.has(blocking.run.number));
    if (!isCancelled && (limitMs === 0 || ms < limitMs)) return;
    silence.reported = false;
    this.options.end(thread, blocking, ms);
  }

  /** An answer that arrives after the thread has recovered is ignored. */
  private async findCause(thread: ThreadHandle, silence: Silence): Promise<void> {
    silence.searching = true;
    const blocking = await (this.options.find ?? findBlockingTask)(thread);
    if (silence.searching) silence.blocking = blocking;
  }

  private report(thread: ThreadHandle, silence: Silence, blocking: BlockingTask, limitMs: number): void {
    silence.reported = true;
    const others = [...thread.runs.values()].filter((run) => run !== blocking.run).map(({ spec }) => taskName(spec.id));
    const wait = others.length === 0 ? '' : ` ${others.join(', ')} cannot run meanwhile.`;
    const end =
      limitMs > 0
        ? ` It is terminated after ${seconds(limitMs)} s (task.thread.silence.ms).`
        : ' Restart the task to terminate it.';
    this.options.logger.error(`${sentence(thread, silence.ms, blocking)}${wait}${end}`);
  }
}

function sentence(thread: ThreadHandle, ms: number, blocking: BlockingTask): string {
  return `Thread ${thread.options.name} has not answered for ${seconds(ms)} s: ${blockingTaskText(blocking)}.`;
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}
