/**
 * Finds out which code blocks a thread: pauses it with the debugger, reads the call stack, and resumes it. Works
 * without `--inspect` and inside JavaScript or a regular expression, but not inside blocking native code.
 */
import { Session, type NodeWorker, type Debugger } from 'node:inspector';
import { startTimer } from '@millrace/sdk';

export interface Frame {
  /** Function name; empty: anonymous. */
  readonly name: string;
  readonly file: string;
  readonly line: number;
}

export interface ThreadView {
  /** Result of the function passed to `registerOwner`. */
  readonly owner: number | null;
  /** Innermost first. */
  readonly frames: readonly Frame[];
}

const OWNER = 'millrace.threads.owner';
const MAX_FRAMES = 20;

/** Called in the inspected thread. `owner` returns the caller's number for the owner of the running code. */
export function registerOwner(owner: () => number | undefined): void {
  (globalThis as Record<symbol, unknown>)[Symbol.for(OWNER)] = owner;
}

/** Null: the thread did not pause within the timeout. */
export async function inspectThread(threadId: number, timeoutMs: number): Promise<ThreadView | null> {
  const debug = new ThreadDebugger(threadId);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = startTimer(() => {
      debug.stopAttaching();
      resolve(null);
    }, timeoutMs);
  });
  // A pause cannot be canceled. A thread that pauses late is resumed then; the session ends with the thread.
  const view = debug.readView().finally(() => debug.close());
  view.catch(() => undefined);
  try {
    return await Promise.race([view, late]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

class ThreadDebugger {
  private readonly session = new Session();
  private readonly scripts = new Map<string, string>();
  private readonly answers = new Map<number, (result: unknown) => void>();
  private requests = 0;
  private attached: string | null = null;
  private onPaused: ((event: Debugger.PausedEventDataType) => void) | null = null;
  /** Rejects when no reply can arrive any more. */
  private readonly ended: Promise<never>;
  private end: (error: Error) => void = () => undefined;

  constructor(private readonly threadId: number) {
    this.ended = new Promise((_, reject) => (this.end = reject));
    this.ended.catch(() => undefined);
  }

  async readView(): Promise<ThreadView> {
    return await Promise.race([this.steps(), this.ended]);
  }

  /** A thread that exited earlier never reports. */
  stopAttaching(): void {
    if (this.attached === null) this.end(new Error('The thread does not exist or accepts no debugger.'));
  }

  close(): void {
    this.session.disconnect();
  }

  private async steps(): Promise<ThreadView> {
    await this.attach();
    const paused = new Promise<Debugger.PausedEventDataType>((resolve) => (this.onPaused = resolve));
    this.send('Debugger.enable').catch(() => undefined);
    this.send('Debugger.pause').catch(() => undefined);
    const { callFrames } = await paused;
    const top = callFrames[0];
    const answer = top && (await this.send('Debugger.evaluateOnCallFrame', this.ownerQuery(top.callFrameId)));
    const value: unknown = (answer as Debugger.EvaluateOnCallFrameReturnType | undefined)?.result.value;
    const frames = callFrames.slice(0, MAX_FRAMES).map(({ functionName, location }) => ({
      name: functionName,
      file: fileOf(this.scripts.get(location.scriptId) ?? ''),
      line: location.lineNumber + 1,
    }));
    await this.send('Debugger.resume');
    await this.send('Debugger.disable');
    return { owner: typeof value === 'number' ? value : null, frames };
  }

  private ownerQuery(callFrameId: string): object {
    const expression = `globalThis[Symbol.for('${OWNER}')]?.()`;
    return { callFrameId, expression, returnByValue: true, silent: true };
  }

  /** All threads of the process report; the others are detached at once. */
  private async attach(): Promise<void> {
    const { session } = this;
    session.connect();
    session.on('NodeWorker.detachedFromWorker', ({ params }) => {
      if (params.sessionId === this.attached) this.end(new Error('The thread has exited.'));
    });
    session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => this.received(params));
    await new Promise<void>((resolve, reject) => {
      session.on('NodeWorker.attachedToWorker', ({ params: { sessionId, workerInfo } }) => {
        if (!workerInfo.title.startsWith(`[worker ${this.threadId}]`)) {
          session.post('NodeWorker.detach', { sessionId }, () => undefined);
          return;
        }
        this.attached = sessionId;
        resolve();
      });
      session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }, (error) => {
        if (error) reject(error);
      });
    });
  }

  private async send(method: string, params: object = {}): Promise<unknown> {
    const id = ++this.requests;
    const message = JSON.stringify({ id, method, params });
    return await new Promise((resolve, reject) => {
      this.answers.set(id, resolve);
      this.session.post('NodeWorker.sendMessageToWorker', { sessionId: this.attached ?? '', message }, (error) => {
        if (error) reject(error);
      });
    });
  }

  private received({ message, sessionId }: NodeWorker.ReceivedMessageFromWorkerEventDataType): void {
    if (sessionId !== this.attached) return;
    const { id, result, method, params } = JSON.parse(message) as {
      id?: number;
      result?: unknown;
      method?: string;
      params?: unknown;
    };
    if (id !== undefined) {
      this.answers.get(id)?.(result);
      this.answers.delete(id);
    } else if (method === 'Debugger.scriptParsed') {
      const { scriptId, url } = params as Debugger.ScriptParsedEventDataType;
      this.scripts.set(scriptId, url);
    } else if (method === 'Debugger.paused') {
      this.onPaused?.(params as Debugger.PausedEventDataType);
    }
  }
}

function fileOf(url: string): string {
  return url.startsWith('file:') ? decodeURIComponent(new URL(url).pathname) : url;
}
