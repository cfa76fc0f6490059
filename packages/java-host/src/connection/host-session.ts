import type { Content } from '../wire/frame';
import type { HostMap, HostValue } from '../wire/host-value';

export type Handler = (...args: readonly HostValue[]) => unknown;

/** One connection to a JVM, and what it has started there. */
export interface HostSession {
  /** The result of `open`. */
  readonly opened: HostMap;
  /** Rejects with the host's error, or once the connection has ended with the reason. */
  call(method: string, ...args: readonly HostValue[]): Promise<HostValue>;
  /** A call with one argument: the bytes that `content` writes, without a copy. */
  callWithBytes(method: string, content: Content): Promise<HostValue>;
  event(method: string, ...args: readonly HostValue[]): void;
  /** An event with one argument, as `callWithBytes`. */
  eventWithBytes(method: string, content: Content): void;
  /**
   * For calls and events from the host; the result of a call's handler is its answer. One handler for each method.
   * Events are handled in order, before the result of a call that came after them. What comes before the first call is
   * kept for the handler.
   */
  handle(method: string, handler: Handler): void;
  /** Resolves when all that was sent has left this process, or the connection has ended. */
  flushed(): Promise<void>;
  /** Ends the session and all that it runs in the host. Pending calls reject. */
  close(): void;
  /** Resolves when the connection has ended: why, or null after `close`. */
  readonly ended: Promise<Error | null>;
}
