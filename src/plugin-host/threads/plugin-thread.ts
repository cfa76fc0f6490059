/** The worker's side of one plugin thread: its calls, and whether it still answers. */
import { Worker } from 'node:worker_threads';
import { startInterval } from '@millrace/sdk';
import type { LogLevels } from '../../logging/log-levels';
import { hideProvidedValues } from '../../logging/provided-values';
import { isDebugged, SilenceWatch, ThreadHeartbeat } from '../../threads/thread-heartbeat';
import { exitCauseOf, exitText } from '../../threads/exit-cause';
import { ThreadSecrets } from '../../threads/thread-secrets';
import { OpenCalls } from '../protocol/calls';
import { copyError } from '../protocol/error-copy';
import type { FromPluginThread, PluginCalls, PluginThreadData, ToPluginThread } from '../protocol/messages';
import { CurrentStep } from '../protocol/current-step';
import { ThreadExitError, type PluginThreadExit } from './thread-exit-error';

const LOOK_MS = 500;
/** For a thread to come to its first beat; a busy machine may take its time. */
const BOOT_MS = 60_000;

export interface PluginThreadOptions {
  /** File of the thread's code. */
  readonly module: string;
  readonly name: string;
  readonly data: Omit<PluginThreadData, 'levels' | 'beat' | 'step'>;
  readonly levels: LogLevels;
  /** So long it may do without a beat. */
  readonly silenceMs: number;
  onMessage(
    thread: PluginThread,
    message: Exclude<FromPluginThread, { type: 'ready' | 'begun' | 'value' | 'error' | 'crash' }>,
  ): void;
  /** Nobody told it to end. Its calls are rejected with the same. */
  onEnd(thread: PluginThread, end: ThreadExitError): void;
  /** It began a call, or a call has ended. */
  onProgress?(thread: PluginThread): void;
}

export interface OpenCall<T> {
  /** Of its thread. */
  readonly number: number;
  readonly answer: Promise<T>;
  /** The thread has taken it up. */
  readonly begun: boolean;
}

export class PluginThread {
  /** How many calls it has ever got. */
  served = 0;
  gone = false;
  /** Resolves when it takes calls, or has ended. */
  readonly ready: Promise<void>;
  private setReady = (): void => undefined;
  private readonly calls: OpenCalls;
  private readonly open = new Map<number, { begun: boolean }>();
  private readonly beat = new ThreadHeartbeat();
  private readonly note = new CurrentStep();
  private readonly worker: Worker;
  private readonly watch: SilenceWatch;
  private readonly looking: NodeJS.Timeout;
  private readonly secrets = new ThreadSecrets((message) => this.worker.postMessage(message));
  private error: unknown = null;
  private crash: PluginThreadExit | null = null;

  constructor(readonly options: PluginThreadOptions) {
    const { data, levels } = options;
    const workerData: PluginThreadData = {
      ...data,
      levels: levels.snapshot(),
      beat: this.beat.memory,
      step: this.note.memory,
    };
    this.ready = new Promise((resolve) => (this.setReady = resolve));
    this.worker = new Worker(options.module, { name: options.name, workerData });
    this.calls = new OpenCalls((message) => {
      if (this.gone) throw new ThreadExitError({ kind: 'closed' }, '', 0);
      this.post(message);
    });
    this.worker.on('message', (message: FromPluginThread) => this.received(message));
    this.worker.on('error', (error) => (this.error = error));
    this.worker.on('exit', (code) => this.ended(this.causeOf(code)));
    this.watch = new SilenceWatch(this.beat, LOOK_MS);
    this.looking = startInterval(() => this.look(), LOOK_MS);
    this.looking.unref();
  }

  /** Calls that are not answered yet. */
  get busy(): number {
    return this.open.size;
  }

  call<N extends keyof PluginCalls>(
    name: N,
    ...args: Parameters<PluginCalls[N]>
  ): OpenCall<ReturnType<PluginCalls[N]>> {
    this.served++;
    const { call, answer } = this.calls.ask(name, args);
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

  /** Ends it now; nobody is told but its calls. */
  async terminate(cause: PluginThreadExit = { kind: 'closed' }): Promise<void> {
    this.finish(cause);
    await this.worker.terminate();
  }

  private received(message: FromPluginThread): void {
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
        return this.calls.answered(message);
      case 'crash':
        this.crash = { kind: 'crash', error: message.error, owner: message.owner, call: message.call };
        return;
      default:
        this.options.onMessage(this, message);
    }
  }

  private look(): void {
    const booted = this.beat.count !== 0;
    const ms = booted ? this.options.silenceMs : BOOT_MS;
    if (this.watch.look() < ms || isDebugged()) return;
    void this.worker.terminate();
    const reason = `it did not come to its code within ${ms} ms; see what keeps the machine busy`;
    this.ended(booted ? { kind: 'silent', ms } : { kind: 'boot', reason });
  }

  private causeOf(code: number): PluginThreadExit {
    if (this.crash) return this.crash;
    const death = exitCauseOf(this.error, code);
    // Before its first beat it runs our code, none of a plugin.
    if (this.beat.count === 0) return { kind: 'boot', reason: exitText(death) };
    if (death.kind !== 'error') return death;
    return { kind: 'crash', error: copyError(death.error), owner: 0, call: 0 };
  }

  private ended(cause: PluginThreadExit): void {
    if (this.gone) return;
    const end = this.finish(cause);
    this.options.onEnd(this, end);
  }

  private finish(cause: PluginThreadExit): ThreadExitError {
    const { owner, call } = cause.kind === 'crash' ? cause : this.note;
    // An error that nobody caught came later than what the note speaks of.
    const end = new ThreadExitError(
      cause,
      cause.kind === 'crash' ? '' : hideProvidedValues(this.note.step, { words: true }),
      owner,
      call,
    );
    this.gone = true;
    clearInterval(this.looking);
    this.setReady();
    this.calls.rejectAll(end);
    return end;
  }
}
