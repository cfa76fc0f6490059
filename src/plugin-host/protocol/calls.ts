/** Calls across a thread boundary, used by both sides. */
import { copyError, errorFrom } from './error-copy';
import type { CallReply, CallRequest } from './messages';

interface PendingCall {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Calls that this side has sent and that have no reply yet. */
export class OpenCalls {
  private readonly pending = new Map<number, PendingCall>();
  private last = 0;

  constructor(private readonly post: (message: CallRequest) => void) {}

  /** `call` is the number of the call. `answer` rejects if the message cannot be posted. */
  send(name: string, args: readonly unknown[]): { readonly call: number; readonly answer: Promise<unknown> } {
    const call = ++this.last;
    const answer = new Promise((resolve, reject) => {
      this.pending.set(call, { resolve, reject });
    });
    // The caller may have stopped waiting.
    answer.catch(() => undefined);
    try {
      this.post({ type: 'call', call, name, args });
    } catch (error) {
      this.remove(call)?.reject(error);
    }
    return { call, answer };
  }

  onReply(message: CallReply): void {
    const pending = this.remove(message.call);
    if (message.type === 'value') pending?.resolve(message.value);
    else pending?.reject(errorFrom(message.error));
  }

  rejectAll(error: unknown): void {
    for (const call of [...this.pending.keys()]) this.remove(call)?.reject(error);
  }

  private remove(call: number): PendingCall | undefined {
    const pending = this.pending.get(call);
    this.pending.delete(call);
    return pending;
  }
}

/** Runs a call from the other side and posts its result or error. */
export async function replyTo(
  { call }: CallRequest,
  run: () => unknown,
  post: (message: CallReply) => void,
): Promise<void> {
  try {
    post({ type: 'value', call, value: await run() });
  } catch (error) {
    // Also when the value cannot be cloned.
    post({ type: 'error', call, error: copyError(error) });
  }
}
