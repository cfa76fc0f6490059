/**
 * Calls of plugins that leave nothing behind, so that they may be made again: validation, definitions. They share a
 * thread for as long as it answers. Whoever may have held one that ended is asked once more in a thread of its own,
 * where it is plain who holds it; the others go on elsewhere. A change of offsets leaves something behind: it has a
 * thread of its own from the beginning, and is made once.
 */
import { ConnectError, isConnectError, settledWithin } from '@millrace/sdk';
import { ThreadTerminations } from '../../threads/thread-terminations';
import type { PluginCalls } from '../protocol/messages';
import type { OpenCall, PluginThread, PluginThreadOptions } from './plugin-thread';
import { ThreadExitError } from './thread-exit-error';

/** A thread that takes up no call for so long is given no others. */
const ACCEPT_MS = 500;
/** So long what has held a thread is asked in one of its own at once. */
const DEDICATED_MS = 60_000;
/** A call that a thread did not take up in time may run in it yet, beside the one that is made elsewhere. */
const NOT_REPEATABLE: ReadonlySet<keyof PluginCalls> = new Set<keyof PluginCalls>(['alterOffsets']);

export interface CallPoolOptions {
  readonly createThread: (events: Pick<PluginThreadOptions, 'onEnd' | 'onProgress'>) => PluginThread;
  /** All together. */
  readonly maxThreads: number;
  /** A thread without calls ends after this. */
  readonly idleMs: number;
  /** The longest that one call may take, however often it is made. */
  readonly callMs: number;
}

interface Subject {
  /** Noun phrase for errors. */
  readonly what: string;
  /** What is remembered when it holds a thread. */
  readonly key: string;
}

export class CallPool {
  private readonly shared = new Set<PluginThread>();
  private readonly all = new Set<PluginThread>();
  /** Those with a call that they have not taken up, or that was given up. */
  private readonly stuck = new Set<PluginThread>();
  private readonly blockers = new Map<string, number>();
  private readonly endings = new ThreadTerminations<PluginThread>();
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
      if (!NOT_REPEATABLE.has(name) && !this.blockedRecently(subject.key)) {
        const outcome = await this.inShared(deadline, subject, name, args);
        if (outcome) return outcome.value;
      }
      return await this.inDedicated(deadline, subject, name, args);
    } catch (error) {
      if (!(error instanceof ThreadExitError)) throw error;
      if (!error.notCausedByPlugin) this.blockers.set(subject.key, performance.now() + DEDICATED_MS);
      throw error.explained(subject.what);
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const thread of this.all) this.end(thread);
    this.changed();
    await this.endings.close();
  }

  /** Null: it may be the one that holds the thread. Throws ThreadExitError when it is. */
  private async inShared<N extends keyof PluginCalls>(
    deadline: number,
    subject: Subject,
    name: N,
    args: Parameters<PluginCalls[N]>,
  ): Promise<{ readonly value: ReturnType<PluginCalls[N]> } | null> {
    let retriedInShared = false;
    for (;;) {
      const thread = await this.place(deadline, subject, () => this.responsive() ?? this.newShared());
      // It was idle a moment ago, and may have had to make way for another.
      if (thread.gone) continue;
      const isFirst = thread.served === 0;
      this.endings.keep(thread);
      const call = thread.call(name, ...args);
      const accepted = await this.isAccepted(thread, call);
      // It goes to another thread, and what this one may say yet is not listened to.
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
        // Another had the thread, as far as is noted; the places alone are few.
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
    // One place stays for those that share.
    const thread = await this.place(deadline, subject, () =>
      this.all.size - this.shared.size < Math.max(1, this.options.maxThreads - 1) ? this.newThread() : null,
    );
    try {
      return await this.resultOf(deadline, subject, thread, thread.call(name, ...args));
    } finally {
      this.end(thread);
    }
  }

  // ------------------------------------------------------------ waiting

  /** Resolves to what `find` answers, now or after some change. */
  private async place(deadline: number, subject: Subject, find: () => PluginThread | null): Promise<PluginThread> {
    for (;;) {
      if (this.closed) throw new ThreadExitError({ kind: 'closed' }, '', 0);
      const found = find();
      if (found) return found;
      await this.withinDeadline(deadline, subject, new Promise<void>((resolve) => this.waiters.push(resolve)));
    }
  }

  /** Whether the thread has begun the call, or answered it, before patience ends. */
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

  /** The others in it go on, but what does not come to an end stays in it. */
  private retire(thread: PluginThread): void {
    this.shared.delete(thread);
    // Whoever else is in it now is late by then, too.
    this.endings.later(thread, this.options.callMs, () => this.end(thread));
  }

  private async withinDeadline<T>(deadline: number, { what }: Subject, promise: Promise<T>): Promise<T> {
    const late = Symbol();
    const value = await settledWithin(promise, Math.max(1, deadline - performance.now()), late);
    if (value !== late) return value as T;
    throw new ConnectError(`${what} has not come to an end within ${this.options.callMs} ms: see what it waits for.`, {
      code: 'PLUGIN_CALL_TIMEOUT',
    });
  }

  private changed(): void {
    const { waiters } = this;
    this.waiters = [];
    for (const wake of waiters) wake();
  }

  // ------------------------------------------------------------ threads

  private responsive(): PluginThread | null {
    return [...this.shared].find((thread) => !thread.gone && !this.stuck.has(thread)) ?? null;
  }

  private newShared(): PluginThread | null {
    const thread = this.newThread();
    if (thread) this.shared.add(thread);
    return thread;
  }

  /** Null: there are as many as there may be. */
  private newThread(): PluginThread | null {
    if (this.all.size >= this.options.maxThreads) {
      const unused = [...this.shared].find((thread) => thread.busy === 0 && !this.stuck.has(thread));
      if (!unused) return null;
      this.end(unused);
    }
    const thread: PluginThread = this.options.createThread({
      onEnd: (ended) => this.forget(ended),
      onProgress: (busy) => this.progressed(busy),
    });
    this.all.add(thread);
    return thread;
  }

  /** It came round to its messages, or a call is over. */
  private progressed(thread: PluginThread): void {
    this.stuck.delete(thread);
    if (thread.busy === 0 && !thread.gone && this.shared.has(thread))
      this.endings.later(thread, this.options.idleMs, () => this.end(thread));
    this.changed();
  }

  private end(thread: PluginThread): void {
    this.forget(thread);
    if (!thread.gone) void this.endings.now(thread);
  }

  private forget(thread: PluginThread): void {
    this.endings.keep(thread);
    this.all.delete(thread);
    this.shared.delete(thread);
    this.stuck.delete(thread);
    this.changed();
  }

  private blockedRecently(key: string): boolean {
    const until = this.blockers.get(key);
    if (until === undefined) return false;
    if (until > performance.now()) return true;
    this.blockers.delete(key);
    return false;
  }
}
