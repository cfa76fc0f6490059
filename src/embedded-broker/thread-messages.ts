/** What the worker and the thread of its embedded broker say to each other. Plain data. */

/** Handed over when the thread is made. */
export interface BrokerThreadData {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  readonly dataDir: string;
}

export interface RunningBroker {
  readonly pid: number;
  /** `host:port`. */
  readonly bootstrapServers: string;
  readonly clusterId: string;
}

/** The first thing it says, log lines aside. */
export type BrokerThreadAnswer =
  | { readonly type: 'serving'; readonly bootstrapServers: string }
  /** Another process's broker has the data folder; null: it has not said yet where it listens. */
  | { readonly type: 'in use'; readonly by: RunningBroker | null }
  /** It could not start: the start error's code, or null for one that nobody foresaw. */
  | { readonly type: 'failed'; readonly code: string | null; readonly message: string };

export type FromBrokerThread = BrokerThreadAnswer | { readonly type: 'log'; readonly line: string };

/** Stop: connections and files are closed, then the thread ends. */
export type ToBrokerThread = 'stop';
