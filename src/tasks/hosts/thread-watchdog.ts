/**
 * Watches whether task threads answer: says which do not and whose fault it is, and has those ended that stay
 * silent.
 */
import { startInterval } from '@millrace/sdk';
import type { Logger } from '../../logging/logger';
import { isDebugged, SilenceWatch } from '../../threads/thread-beat';
import type { ThreadHandle, Run } from './thread-handle';
import { taskName } from '../task-id';
import { findBlockingTask, blockingTaskText, type BlockingTask } from './blocking-task';

const LOOK_MS = 500;
const SAY_MS = 5_000;
/** For a thread that a task which was cut off holds: nobody waits for that one any more. */
const CUT_OFF_MS = 1_000;

export interface ThreadWatchdogOptions {
  readonly threads: () => Iterable<ThreadHandle>;
  /** How long a thread may be silent; 0: for ever. Milliseconds. */
  readonly limitMs: (thread: ThreadHandle) => number;
  /** Called once for a thread. */
  readonly end: (thread: ThreadHandle, holder: BlockingTask, silentMs: number) => void;
  readonly logger: Logger;
  /** For tests. */
  readonly find?: (thread: ThreadHandle) => Promise<BlockingTask>;
}

interface Silence {
  readonly watch: SilenceWatch;
  ms: number;
  asked: boolean;
  holder: BlockingTask | null;
  told: boolean;
}

export class ThreadWatchdog {
  private readonly silences = new WeakMap<ThreadHandle, Silence>();
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly options: ThreadWatchdogOptions) {}

  start(): void {
    this.timer ??= startInterval(() => this.look(), LOOK_MS).unref();
  }

  stop(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  /** Its call may be open for no other reason than that the thread stands still, through somebody else. */
  waitsForAnother(run: Run): boolean {
    const { runs, lost } = run.thread;
    const silence = this.silences.get(run.thread);
    if (silence === undefined || silence.ms === 0 || runs.size + lost.size === 1) return false;
    return silence.holder?.run !== run;
  }

  /** A sentence for each thread that was told of and is silent still. */
  problems(): string[] {
    return [...this.options.threads()].flatMap((thread) => {
      const silence = this.silences.get(thread);
      return silence?.told && silence.holder !== null ? [sentence(thread, silence.ms, silence.holder)] : [];
    });
  }

  look(): void {
    for (const thread of this.options.threads()) {
      const silence = this.silenceOf(thread);
      // Before its first beat a thread loads our code, none of a plug-in.
      const ms = silence.watch.look();
      if (thread.beat.count === 0) continue;
      if (ms === 0) this.answers(thread, silence);
      else this.isSilent(thread, silence, ms);
    }
  }

  private silenceOf(thread: ThreadHandle): Silence {
    let silence = this.silences.get(thread);
    if (!silence) {
      silence = { watch: new SilenceWatch(thread.beat, LOOK_MS), ms: 0, asked: false, holder: null, told: false };
      this.silences.set(thread, silence);
    }
    return silence;
  }

  private answers(thread: ThreadHandle, silence: Silence): void {
    if (silence.told)
      this.options.logger.warn(`Thread ${thread.options.name} answers again, after ${seconds(silence.ms)} s`);
    Object.assign(silence, { ms: 0, asked: false, holder: null, told: false });
  }

  private isSilent(thread: ThreadHandle, silence: Silence, ms: number): void {
    silence.ms = ms;
    const limitMs = isDebugged() ? 0 : this.options.limitMs(thread);
    const sayMs = limitMs > 0 ? Math.min(SAY_MS, limitMs / 2) : SAY_MS;
    if (ms < (thread.lost.size > 0 ? Math.min(CUT_OFF_MS, sayMs) : sayMs)) return;
    if (!silence.asked) void this.ask(thread, silence);
    const { holder } = silence;
    if (holder === null) return;
    if (!silence.told) this.tell(thread, silence, holder, limitMs);
    const nobodysTask = thread.lost.size > 0 && (holder.run === null || thread.lost.has(holder.run.number));
    if (!nobodysTask && (limitMs === 0 || ms < limitMs)) return;
    silence.told = false;
    this.options.end(thread, holder, ms);
  }

  /** The answer counts only for the silence that it was asked in. */
  private async ask(thread: ThreadHandle, silence: Silence): Promise<void> {
    silence.asked = true;
    const holder = await (this.options.find ?? findBlockingTask)(thread);
    if (silence.asked) silence.holder = holder;
  }

  private tell(thread: ThreadHandle, silence: Silence, holder: BlockingTask, limitMs: number): void {
    silence.told = true;
    const others = [...thread.runs.values()].filter((run) => run !== holder.run).map(({ spec }) => taskName(spec.id));
    const wait = others.length === 0 ? '' : ` ${others.join(', ')} can do nothing meanwhile.`;
    const end =
      limitMs > 0
        ? ` It is ended when that lasts ${seconds(limitMs)} s (task.thread.silence.ms).`
        : ' It is left alone: restart the task to end it.';
    this.options.logger.error(`${sentence(thread, silence.ms, holder)}${wait}${end}`);
  }
}

function sentence(thread: ThreadHandle, ms: number, holder: BlockingTask): string {
  return `Thread ${thread.options.name} has not answered for ${seconds(ms)} s: ${blockingTaskText(holder)}.`;
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}
