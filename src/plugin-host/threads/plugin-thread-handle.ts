/** The worker's side of one plugin thread: its calls, and whether it still answers. */
import type { Worker } from 'node:worker_threads';
import type { LogLevels } from '../../logging/log-levels';
import { isDebugged, SilenceChecks, SilenceWatch, ThreadHeartbeat } from '../../threads/thread-heartbeat';
import { exitCauseOf, exitText } from '../../threads/exit-cause';
import { startThread } from '../../threads/running-threads';
import { ThreadSecrets } from '../../threads/thread-secrets';
import { OpenCalls } from '../protocol/calls';
import { copyError } from '../protocol/error-copy';
import type { FromPluginThread, PluginCalls, PluginThreadData, ToPluginThread } from '../protocol/messages';
import { CurrentStep } from '../protocol/current-step';
import { ThreadExitError, type PluginThreadExit } from './thread-exit-error';

/** Time for a thread to reach its first heartbeat, also on a busy machine. */
const BOOT_MS = 60_000;

export interface PluginThreadOptions {
  /** File that the thread runs. */
  readonly module: string;
  readonly name: string;
  readonly data: Omit<PluginThreadData, 'levels' | 'beat' | 'step'>;
  readonly levels: LogLevels;
  /** How long heartbeats may be missing before the thread is terminated. Milliseconds. */
  readonly silenceMs: number;
  onMessage(
    thread: PluginThread,
    message: Exclude<FromPluginThread, { type: 'ready' | 'begun' | 'value' | 'error' | 'crash' }>,
  ): void;
  /** The thread ended without `terminate`. Its calls are rejected with the same error. */
  onEnd(thread: PluginThread, end: ThreadExitError): void;
  /** The thread has begun or finished a call. */
  onProgress?(thread: PluginThread): void;
}

export interface OpenCall<T> {
  /** Unique within its thread. */
  readonly number: number;
  readonly answer: Promise<T>;
  /** The thread has started to run it. */
  readonly begun: boolean;
}

export class PluginThread {
  /** Number of calls sent to the thread so far. */
  served = 0;
  gone = false;
  /** Resolves when the thread accepts calls or has ended. */
  readonly ready: Promise<void>;
  private setReady = (): void => undefined;
  private readonly calls: OpenCalls;
  private readonly open = new Map<number, { begun: boolean }>();
  private readonly beat = new ThreadHeartbeat();
  private readonly currentStep = new CurrentStep();
  private readonly worker: Worker;
  private readonly watch: SilenceWatch;
  private readonly checks: SilenceChecks;
  private readonly secrets = new ThreadSecrets((message) => this.worker.postMessage(message));
  private error: unknown = null;
  private crash: PluginThreadExit | null = null;

  constructor(readonly options: PluginThreadOptions) {
    const { data, levels } = options;
    const workerData: PluginThreadData = {
      ...data,
      levels: levels.snapshot(),
      beat: this.beat.memory,
      step: this.currentStep.memory,
    };
    this.ready = new Promise((resolve) => (this.setReady = resolve));
    this.worker = startThread(options.module, { name: options.name, workerData, stdout: true });
    // A command's stdout is its answer; what a plugin prints is not part of it.
    this.worker.stdout.on('data', (text: Buffer) => process.stderr.write(text));
    this.calls = new OpenCalls((message) => {
      if (this.gone) throw new ThreadExitError({ kind: 'closed' }, '', 0);
      this.post(message);
    });
    this.worker.on('message', (message: FromPluginThread) => this.onMessage(message));
    this.worker.on('error', (error) => (this.error = error));
    this.worker.on('exit', (code) => this.onEnd(this.causeOf(code)));
    this.watch = new SilenceWatch(this.beat.of(this.worker, () => this.post({ type: 'beat' })));
    this.checks = new SilenceChecks(
      (everyMs) => this.checkSilence(everyMs),
      () => options.silenceMs,
    );
    this.checks.start();
  }

  /** Number of calls without an answer yet. */
  get busy(): number {
    return this.open.size;
  }

  call<N extends keyof PluginCalls>(
    name: N,
    ...args: Parameters<PluginCalls[N]>
  ): OpenCall<ReturnType<PluginCalls[N]>> {
    this.served++;
    const { call, answer } = this.calls.send(name, args);
    const state = { begun: false };
    this.open.set(call, state);
    const settled = (): void => {
      this.open.delete(call);
      this.options.onProgress?.(this);
    };
    void answer.then(settled, settled);
    return {
      number: call,
      answer: answer as Promise<ReturnType<PluginCalls[N]>>,
      get begun() {
        return state.begun;
      },
    };
  }

  post(message: ToPluginThread): void {
    if (this.gone) return;
    this.secrets.send();
    this.worker.postMessage(message);
  }

  /** Terminates the thread and rejects its calls; `onEnd` is not called. */
  async terminate(cause: PluginThreadExit = { kind: 'closed' }): Promise<void> {
    this.finish(cause);
    await this.worker.terminate();
  }

  private onMessage(message: FromPluginThread): void {
    switch (message.type) {
      case 'ready':
        return this.setReady();
      case 'begun': {
        const state = this.open.get(message.call);
        if (state) state.begun = true;
        return this.options.onProgress?.(this);
      }
      case 'value':
      case 'error':
        return this.calls.onReply(message);
      case 'crash':
        this.crash = { kind: 'crash', error: message.error, owner: message.owner, call: message.call };
        return;
      default:
        this.options.onMessage(this, message);
    }
  }

  /** Returns whether the thread is calm. */
  private checkSilence(everyMs: number): boolean {
    const booted = this.beat.count !== 0;
    const ms = booted ? this.options.silenceMs : BOOT_MS;
    if (this.watch.checkHeartbeat(everyMs) < ms || isDebugged()) return this.watch.isCalm;
    void this.worker.terminate();
    const reason = `it did not load its code within ${ms} ms; check what keeps the machine busy`;
    this.onEnd(booted ? { kind: 'silent', ms } : { kind: 'boot', reason });
    return false;
  }

  private causeOf(code: number): PluginThreadExit {
    if (this.crash) return this.crash;
    const exit = exitCauseOf(this.error, code);
    // Before its first heartbeat, the thread loads our code and none of a plugin.
    if (this.beat.count === 0) return { kind: 'boot', reason: exitText(exit) };
    if (exit.kind !== 'error') return exit;
    return { kind: 'crash', error: copyError(exit.error), owner: 0, call: 0 };
  }

  private onEnd(cause: PluginThreadExit): void {
    if (this.gone) return;
    const end = this.finish(cause);
    this.options.onEnd(this, end);
  }

  private finish(cause: PluginThreadExit): ThreadExitError {
    const { owner, call } = cause.kind === 'crash' ? cause : this.currentStep;
    // An uncaught error may come later than the recorded step.
    const end = new ThreadExitError(cause, cause.kind === 'crash' ? '' : this.currentStep.step, owner, call);
    this.gone = true;
    this.checks.stop();
    this.setReady();
    this.calls.rejectAll(end);
    return end;
  }
}
