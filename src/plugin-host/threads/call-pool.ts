/**
 * Runs plugin calls that are not tied to a connector instance. Calls without side effects (validation, definitions)
 * share a thread while it answers. When a shared thread ends, a call that may have blocked it is repeated once in a
 * dedicated thread, which identifies the cause; the others are repeated in another shared thread. A change of offsets
 * has side effects: it gets a dedicated thread from the start and is never repeated.
 */
import { ConnectError, isConnectError, settledWithin } from '@millrace/sdk';
import { ThreadTerminations } from '../../threads/thread-terminations';
import type { PluginCalls } from '../protocol/messages';
import type { OpenCall, PluginThread, PluginThreadOptions } from './plugin-thread-handle';
import { ThreadExitError } from './thread-exit-error';

/** A thread that has not begun a call after this time gets no others. */
const ACCEPT_MS = 500;
/** For this time, calls to a plugin that blocked a thread use a dedicated thread at once. */
const DEDICATED_MS = 60_000;
/** A thread may still run a call that it did not begin in time, in addition to the repeated call. */
const NOT_REPEATABLE: ReadonlySet<keyof PluginCalls> = new Set<keyof PluginCalls>(['alterOffsets']);

export interface CallPoolOptions {
  readonly createThread: (events: Pick<PluginThreadOptions, 'onEnd' | 'onProgress'>) => PluginThread;
  /** Shared and dedicated together. */
  readonly maxThreads: number;
  /** A thread without calls is terminated after this time. */
  readonly idleMs: number;
  /** Time limit of one call, including its repetitions. */
  readonly callMs: number;
}

interface Subject {
  /** Noun phrase for errors. */
  readonly what: string;
  /** Remembered when the call blocks a thread. */
  readonly key: string;
}

export class CallPool {
  private readonly shared = new Set<PluginThread>();
  private readonly all = new Set<PluginThread>();
  /** Threads that have not begun a call in time. */
  private readonly stuck = new Set<PluginThread>();
  /** Threads that get no new calls, and end with their last one. */
  private readonly retired = new Set<PluginThread>();
  private readonly blockers = new Map<string, number>();
  private readonly terminations = new ThreadTerminations<PluginThread>();
  private waiters: (() => void)[] = [];
  private closed = false;

  constructor(private readonly options: CallPoolOptions) {}

  async call<N extends keyof PluginCalls>(
    subject: Subject,
    name: N,
    ...args: Parameters<PluginCalls[N]>
  ): Promise<ReturnType<PluginCalls[N]>> {
    const deadline = performance.now() + this.options.callMs;
    try {
      if (!NOT_REPEATABLE.has(name) && !this.hasBlockedRecently(subject.key)) {
        const outcome = await this.inShared(deadline, subject, name, args);
        if (outcome) return outcome.value;
      }
      return await this.inDedicated(deadline, subject, name, args);
    } catch (error) {
      if (!(error instanceof ThreadExitError)) throw error;
      if (!error.notCausedByPlugin) this.blockers.set(subject.key, performance.now() + DEDICATED_MS);
      throw error.toConnectError(subject.what);
    }
  }

  /** Calls from now on get other threads; those in progress complete in theirs. */
  retireThreads(): void {
    for (const thread of [...this.shared]) {
      if (thread.busy === 0) this.end(thread);
      else this.retire(thread);
    }
    this.blockers.clear();
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const thread of this.all) this.end(thread);
    this.wakeWaiters();
    await this.terminations.close();
  }

  /** Null: the call may have ended the thread. Throws ThreadExitError when it certainly has, or when no plugin has. */
  private async inShared<N extends keyof PluginCalls>(
    deadline: number,
    subject: Subject,
    name: N,
    args: Parameters<PluginCalls[N]>,
  ): Promise<{ readonly value: ReturnType<PluginCalls[N]> } | null> {
    let retriedInShared = false;
    for (;;) {
      const thread = await this.waitForThread(deadline, subject, () => this.findResponsive() ?? this.addShared());
      // An idle thread may have been terminated meanwhile to make room for another.
      if (thread.gone) continue;
      const isFirst = thread.served === 0;
      this.terminations.keep(thread);
      const call = thread.call(name, ...args);
      const accepted = await this.isAccepted(thread, call);
      // The call is repeated in another thread, and a late reply of this one is ignored.
      if (!accepted && !thread.gone) {
        this.stuck.add(thread);
        continue;
      }
      try {
        return { value: await this.resultOf(deadline, subject, thread, call) };
      } catch (error) {
        if (!(error instanceof ThreadExitError) || error.notCausedByPlugin) throw error;
        if (!call.begun) continue;
        if (isFirst && thread.served === 1) throw error;
        // The thread's current step belongs to another call. Dedicated threads are few, so a shared one is tried first.
        const { call: holder } = error;
        if (!retriedInShared && holder !== 0 && holder !== call.number) {
          retriedInShared = true;
          continue;
        }
        return null;
      }
    }
  }

  private async inDedicated<N extends keyof PluginCalls>(
    deadline: number,
    subject: Subject,
    name: N,
    args: Parameters<PluginCalls[N]>,
  ): Promise<ReturnType<PluginCalls[N]>> {
    // One thread is reserved for shared calls.
    const thread = await this.waitForThread(deadline, subject, () =>
      this.all.size - this.shared.size < Math.max(1, this.options.maxThreads - 1) ? this.addThread() : null,
    );
    try {
      return await this.resultOf(deadline, subject, thread, thread.call(name, ...args));
    } finally {
      this.end(thread);
    }
  }

  // ------------------------------------------------------------ waiting

  /** Resolves to the first thread that `find` returns, now or after a change of the pool. */
  private async waitForThread(
    deadline: number,
    subject: Subject,
    find: () => PluginThread | null,
  ): Promise<PluginThread> {
    for (;;) {
      if (this.closed) throw new ThreadExitError({ kind: 'closed' }, '', 0);
      const found = find();
      if (found) return found;
      await this.withinDeadline(deadline, subject, new Promise<void>((resolve) => this.waiters.push(resolve)));
    }
  }

  /** True: the thread has begun or answered the call within ACCEPT_MS. */
  private async isAccepted(thread: PluginThread, call: OpenCall<unknown>): Promise<boolean> {
    await thread.ready;
    const answered = call.answer.then(
      () => true,
      () => true,
    );
    return (await settledWithin(answered, ACCEPT_MS, false)) || call.begun;
  }

  private async resultOf<T>(deadline: number, subject: Subject, thread: PluginThread, call: OpenCall<T>): Promise<T> {
    try {
      return await this.withinDeadline(deadline, subject, call.answer);
    } catch (error) {
      if (isConnectError(error) && error.code === 'PLUGIN_CALL_TIMEOUT') this.retire(thread);
      throw error;
    }
  }

  /** The thread gets no new calls, because the unfinished one still runs in it. Its other calls continue. */
  private retire(thread: PluginThread): void {
    this.shared.delete(thread);
    this.retired.add(thread);
    // By then, the other calls of this thread have timed out, too.
    this.terminations.later(thread, this.options.callMs, () => this.end(thread));
  }

  private async withinDeadline<T>(deadline: number, { what }: Subject, promise: Promise<T>): Promise<T> {
    const late = Symbol();
    const value = await settledWithin(promise, Math.max(1, deadline - performance.now()), late);
    if (value !== late) return value as T;
    throw new ConnectError(`Timed out after ${this.options.callMs} ms: ${what}. Check what it waits for.`, {
      code: 'PLUGIN_CALL_TIMEOUT',
    });
  }

  private wakeWaiters(): void {
    const { waiters } = this;
    this.waiters = [];
    for (const wake of waiters) wake();
  }

  // ------------------------------------------------------------ threads

  private findResponsive(): PluginThread | null {
    return [...this.shared].find((thread) => !thread.gone && !this.stuck.has(thread)) ?? null;
  }

  private addShared(): PluginThread | null {
    const thread = this.addThread();
    if (thread) this.shared.add(thread);
    return thread;
  }

  /** Null: the maximum number of threads are in use. */
  private addThread(): PluginThread | null {
    if (this.all.size >= this.options.maxThreads) {
      const unused = [...this.shared].find((thread) => thread.busy === 0 && !this.stuck.has(thread));
      if (!unused) return null;
      this.end(unused);
    }
    const added: PluginThread = this.options.createThread({
      onEnd: (thread) => this.forget(thread),
      onProgress: (thread) => this.onProgress(thread),
    });
    this.all.add(added);
    return added;
  }

  /** The thread has begun or finished a call. */
  private onProgress(thread: PluginThread): void {
    this.stuck.delete(thread);
    if (thread.busy === 0 && !thread.gone) {
      if (this.retired.has(thread)) this.end(thread);
      else if (this.shared.has(thread)) this.terminations.later(thread, this.options.idleMs, () => this.end(thread));
    }
    this.wakeWaiters();
  }

  private end(thread: PluginThread): void {
    this.forget(thread);
    if (!thread.gone) void this.terminations.now(thread);
  }

  private forget(thread: PluginThread): void {
    this.terminations.keep(thread);
    this.all.delete(thread);
    this.shared.delete(thread);
    this.retired.delete(thread);
    this.stuck.delete(thread);
    this.wakeWaiters();
  }

  private hasBlockedRecently(key: string): boolean {
    const until = this.blockers.get(key);
    if (until === undefined) return false;
    if (until > performance.now()) return true;
    this.blockers.delete(key);
    return false;
  }
}
