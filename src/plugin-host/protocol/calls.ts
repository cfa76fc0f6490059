/** Calls to the other side of a thread boundary: the same on both sides. */
import { copyError, errorFrom } from './error-copy';
import type { CallReply, CallRequest } from './messages';

interface Waiting {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Of one side: what it has asked and is not answered yet. */
export class OpenCalls {
  private readonly waiting = new Map<number, Waiting>();
  private last = 0;

  constructor(private readonly post: (message: CallRequest) => void) {}

  /** The promise comes with the call's number. */
  ask(name: string, args: readonly unknown[]): { readonly call: number; readonly answer: Promise<unknown> } {
    const call = ++this.last;
    const answer = new Promise((resolve, reject) => {
      this.waiting.set(call, { resolve, reject });
    });
    // Whoever asked may have stopped waiting.
    answer.catch(() => undefined);
    try {
      this.post({ type: 'call', call, name, args });
    } catch (error) {
      this.end(call)?.reject(error);
    }
    return { call, answer };
  }

  answered(message: CallReply): void {
    const waiting = this.end(message.call);
    if (message.type === 'value') waiting?.resolve(message.value);
    else waiting?.reject(errorFrom(message.error));
  }

  rejectAll(error: unknown): void {
    for (const call of [...this.waiting.keys()]) this.end(call)?.reject(error);
  }

  private end(call: number): Waiting | undefined {
    const waiting = this.waiting.get(call);
    this.waiting.delete(call);
    return waiting;
  }
}

/** Runs what the other side asks for and sends the outcome back. */
export async function answer(
  { call }: CallRequest,
  run: () => unknown,
  post: (message: CallReply) => void,
): Promise<void> {
  try {
    post({ type: 'value', call, value: await run() });
  } catch (error) {
    // Also for a value that cannot be copied.
    post({ type: 'error', call, error: copyError(error) });
  }
}
