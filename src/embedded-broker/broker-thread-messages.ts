/** Messages between the worker and its embedded broker's thread. Plain data. */

/** Passed to the thread when it is created. */
export interface BrokerThreadData {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly dataDir: string;
}

export interface RunningBroker {
  readonly pid: number;
  /** `host:port`. */
  readonly bootstrapServers: string;
  readonly clusterId: string;
}

/** The thread's first message, apart from log lines. */
export type BrokerThreadAnswer =
  | { readonly type: 'serving'; readonly bootstrapServers: string }
  /** Another process owns the data folder. `by` is null until it has published its address. */
  | { readonly type: 'in use'; readonly by: RunningBroker | null }
  /** The broker could not start. `code` is the start error's, or null for an unexpected error. */
  | { readonly type: 'failed'; readonly code: string | null; readonly message: string };

export type FromBrokerThread = BrokerThreadAnswer | { readonly type: 'log'; readonly line: string };

/** `stop`: close connections and files, then exit. */
export type ToBrokerThread = 'stop';
