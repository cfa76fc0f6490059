/**
 * Calls of plug-ins that leave nothing behind, so that they may be made again: validation, definitions. They share a
 * thread for as long as it answers. Whoever may have held one that ended is asked once more in a thread of its own,
 * where it is plain who holds it; the others go on elsewhere. A change of offsets leaves something behind: it has a
 * thread of its own from the beginning, and is made once.
 */
import { ConnectError, isConnectError, settledWithin } from '@millrace/sdk';
import { ThreadEndings } from '../../threads/thread-terminations';
import type { PluginCalls } from '../protocol/messages';
import type { OpenCall, RunningThread, RunningThreadOptions } from './plugin-thread';
import { ThreadEnd } from './thread-exit-error';

/** A thread that takes up no call for so long is given no others. */
const PATIENCE_MS = 500;
/** So long what has held a thread is asked in one of its own at once. */
const SUSPECT_MS = 60_000;
/** A call that a thread did not take up in time may run in it yet, beside the one that is made elsewhere. */
const ONCE: ReadonlySet<keyof PluginCalls> = new Set<keyof PluginCalls>(['alterOffsets']);

export interface CallPoolOptions {
  readonly makeThread: (events: Pick<RunningThreadOptions, 'onEnd' | 'onProgress'>) => RunningThread;
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
  private readonly shared = new Set<RunningThread>();
  private readonly all = new Set<RunningThread>();
  /** Those with a call that they have not taken up, or that was given up. */
  private readonly stuck = new Set<RunningThread>();
  private readonly suspects = new Map<string, number>();
  private readonly endings = new ThreadEndings<RunningThread>();
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
      if (!ONCE.has(name) && !this.isSuspect(subject.key)) {
        const outcome = await this.inShared(deadline, subject, name, args);
        if (outcome) return outcome.value;
      }
      return await this.alone(deadline, subject, name, args);
    } catch (error) {
      if (!(error instanceof ThreadEnd)) throw error;
      if (!error.blamesNobody) this.suspects.set(subject.key, performance.now() + SUSPECT_MS);
      throw error.explained(subject.what);
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const thread of this.all) this.end(thread);
    this.changed();
    await this.endings.close();
  }

  /** Null: it may be the one that holds the thread. Throws ThreadEnd when it is. */
  private async inShared<N extends keyof PluginCalls>(
    deadline: number,
    subject: Subject,
    name: N,
    args: Parameters<PluginCalls[N]>,
  ): Promise<{ readonly value: ReturnType<PluginCalls[N]> } | null> {
    let spared = false;
    for (;;) {
      const thread = await this.place(deadline, subject, () => this.responsive() ?? this.newShared());
      // It was idle a moment ago, and may have had to make way for another.
      if (thread.gone) continue;
      const isFirst = thread.served === 0;
      this.endings.keep(thread);
      const call = thread.call(name, ...args);
      const taken = await this.taken(thread, call);
      // It goes to another thread, and what this one may say yet is not listened to.
      if (!taken && !thread.gone) {
        this.stuck.add(thread);
        continue;
      }
      try {
        return { value: await this.inTime(deadline, subject, thread, call) };
      } catch (error) {
        if (!(error instanceof ThreadEnd) || error.blamesNobody) throw error;
        if (!call.begun) continue;
        if (isFirst && thread.served === 1) throw error;
        // Another had the thread, as far as is noted; the places alone are few.
        const { call: holder } = error;
        if (!spared && holder !== 0 && holder !== call.number) {
          spared = true;
          continue;
        }
        return null;
      }
    }
  }

  private async alone<N extends keyof PluginCalls>(
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
      return await this.inTime(deadline, subject, thread, thread.call(name, ...args));
    } finally {
      this.end(thread);
    }
  }

  // ------------------------------------------------------------ waiting

  /** Resolves to what `find` answers, now or after some change. */
  private async place(deadline: number, subject: Subject, find: () => RunningThread | null): Promise<RunningThread> {
    for (;;) {
      if (this.closed) throw new ThreadEnd({ kind: 'closed' }, '', 0);
      const found = find();
      if (found) return found;
      await this.orLate(deadline, subject, new Promise<void>((resolve) => this.waiters.push(resolve)));
    }
  }

  /** Whether the thread has begun the call, or answered it, before patience ends. */
  private async taken(thread: RunningThread, call: OpenCall<unknown>): Promise<boolean> {
    await thread.ready;
    const answered = call.answer.then(
      () => true,
      () => true,
    );
    return (await settledWithin(answered, PATIENCE_MS, false)) || call.begun;
  }

  private async inTime<T>(deadline: number, subject: Subject, thread: RunningThread, call: OpenCall<T>): Promise<T> {
    try {
      return await this.orLate(deadline, subject, call.answer);
    } catch (error) {
      if (isConnectError(error) && error.code === 'PLUGIN_CALL_TIMEOUT') this.retire(thread);
      throw error;
    }
  }

  /** The others in it go on, but what does not come to an end stays in it. */
  private retire(thread: RunningThread): void {
    this.shared.delete(thread);
    // Whoever else is in it now is late by then, too.
    this.endings.later(thread, this.options.callMs, () => this.end(thread));
  }

  private async orLate<T>(deadline: number, { what }: Subject, promise: Promise<T>): Promise<T> {
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

  private responsive(): RunningThread | null {
    return [...this.shared].find((thread) => !thread.gone && !this.stuck.has(thread)) ?? null;
  }

  private newShared(): RunningThread | null {
    const thread = this.newThread();
    if (thread) this.shared.add(thread);
    return thread;
  }

  /** Null: there are as many as there may be. */
  private newThread(): RunningThread | null {
    if (this.all.size >= this.options.maxThreads) {
      const unused = [...this.shared].find((thread) => thread.busy === 0 && !this.stuck.has(thread));
      if (!unused) return null;
      this.end(unused);
    }
    const thread: RunningThread = this.options.makeThread({
      onEnd: (ended) => this.forget(ended),
      onProgress: (busy) => this.progressed(busy),
    });
    this.all.add(thread);
    return thread;
  }

  /** It came round to its messages, or a call is over. */
  private progressed(thread: RunningThread): void {
    this.stuck.delete(thread);
    if (thread.busy === 0 && !thread.gone && this.shared.has(thread))
      this.endings.later(thread, this.options.idleMs, () => this.end(thread));
    this.changed();
  }

  private end(thread: RunningThread): void {
    this.forget(thread);
    if (!thread.gone) void this.endings.now(thread);
  }

  private forget(thread: RunningThread): void {
    this.endings.keep(thread);
    this.all.delete(thread);
    this.shared.delete(thread);
    this.stuck.delete(thread);
    this.changed();
  }

  private isSuspect(key: string): boolean {
    const until = this.suspects.get(key);
    if (until === undefined) return false;
    if (until > performance.now()) return true;
    this.suspects.delete(key);
    return false;
  }
}
