import type { HostValue } from '../wire/host-value';
import { javaError } from '../wire/java-error';
import { ProtocolError } from '../wire/protocol-error';

interface Pending {
  resolve(value: HostValue): void;
  reject(error: Error): void;
}

/** The last number of a call; the next one is 1 again. */
const LAST = 0x7fff_ffff;

/** The calls of one connection that have no result yet. */
export class PendingCalls {
  private readonly pending = new Map<number, Pending>();
  private number = 0;

  get size(): number {
    return this.pending.size;
  }

  add(): { number: number; result: Promise<HostValue> } {
    do this.number = this.number === LAST ? 1 : this.number + 1;
    while (this.pending.has(this.number));
    const { number } = this;
    const result = new Promise<HostValue>((resolve, reject) => this.pending.set(number, { resolve, reject }));
    return { number, result };
  }

  /** Throws ProtocolError for a result that nothing waits for. */
  settle(type: 'result' | 'error', number: number, value: HostValue): void {
    const call = this.pending.get(number);
    if (!call) throw new ProtocolError(`it answers the unknown call ${number}`);
    this.pending.delete(number);
    if (type === 'result') call.resolve(value);
    else call.reject(javaError(value));
  }

  remove(number: number): void {
    this.pending.delete(number);
  }

  rejectAll(reason: Error): void {
    const calls = [...this.pending.values()];
    this.pending.clear();
    for (const { reject } of calls) reject(reason);
  }
}
