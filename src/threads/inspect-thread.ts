/**
 * What a thread that does not answer is busy with: its debugger stops it for a moment, asks, and lets it go on.
 * Works without `--inspect` and in the midst of JavaScript or a regular expression; not in native code that blocks,
 * where there is no answer.
 */
import { Session, type NodeWorker, type Debugger } from 'node:inspector';
import { startTimer } from '@millrace/sdk';

export interface Frame {
  /** Of the function; empty: it has none. */
  readonly name: string;
  readonly file: string;
  readonly line: number;
}

export interface ThreadView {
  /** What the function given to `answerOwner` says, there and then. */
  readonly owner: number | null;
  /** Innermost first. */
  readonly frames: readonly Frame[];
}

const OWNER = 'millrace.threads.owner';
const MAX_FRAMES = 20;

/** In the thread that may be looked into: whose code runs, in numbers of the caller's. */
export function answerOwner(owner: () => number | undefined): void {
  (globalThis as Record<symbol, unknown>)[Symbol.for(OWNER)] = owner;
}

/** Null: no answer within the time. */
export async function lookInto(threadId: number, timeoutMs: number): Promise<ThreadView | null> {
  const debug = new ThreadDebugger(threadId);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = startTimer(() => {
      debug.giveUpAttaching();
      resolve(null);
    }, timeoutMs);
  });
  // A question cannot be taken back: who is late is let go on when it answers, or when its thread ends.
  const view = debug.look().finally(() => debug.close());
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
  /** Rejects when there is nothing to wait for any more, at whichever step. */
  private readonly ended: Promise<never>;
  private end: (error: Error) => void = () => undefined;

  constructor(private readonly threadId: number) {
    this.ended = new Promise((_, reject) => (this.end = reject));
    this.ended.catch(() => undefined);
  }

  async look(): Promise<ThreadView> {
    return await Promise.race([this.steps(), this.ended]);
  }

  /** Nothing comes from a thread that was gone before. */
  giveUpAttaching(): void {
    if (this.attached === null) this.end(new Error('There is no such thread, or it takes no debugger.'));
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
    const answer = top && (await this.send('Debugger.evaluateOnCallFrame', this.question(top.callFrameId)));
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

  private question(callFrameId: string): object {
    const expression = `globalThis[Symbol.for('${OWNER}')]?.()`;
    return { callFrameId, expression, returnByValue: true, silent: true };
  }

  /** Every thread of the process reports; the others are let go at once. */
  private async attach(): Promise<void> {
    const { session } = this;
    session.connect();
    session.on('NodeWorker.detachedFromWorker', ({ params }) => {
      if (params.sessionId === this.attached) this.end(new Error('The thread has ended.'));
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
