/** Messages between the worker and the thread of its schema registry. Plain data. */
import type { LogLine } from '../threads/thread-logger';

/** Passed to the thread when it is created. */
export interface RegistryThreadData {
  /** On 127.0.0.1. 0: any free port. */
  readonly port: number;
  /** `host:port` of the broker that stores the schemas. */
  readonly bootstrapServers: string;
}

/** The thread's first message, apart from log lines. */
export type RegistryThreadAnswer =
  | { readonly type: 'serving'; readonly url: string }
  /** `code`: Node's, such as `EADDRINUSE`, or null. */
  | { readonly type: 'failed'; readonly code: string | null; readonly message: string };

export type FromRegistryThread = RegistryThreadAnswer | LogLine;

/** `stop`: answer the requests that have begun, then exit. */
export type ToRegistryThread = 'stop';
