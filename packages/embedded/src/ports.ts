/** What the broker's modules (topics and data; groups; transactions) give each other. broker.ts ties them together. */
import type { Handler } from './handler';

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

/** The header of a stored record batch, as far as others than the log care. */
export interface BatchInfo {
  readonly baseOffset: number;
  readonly lastOffset: number;
  /** -1: not idempotent. */
  readonly producerId: number;
  readonly producerEpoch: number;
  /** -1 for control batches and producers without idempotence. */
  readonly baseSequence: number;
  readonly maxTimestamp: number;
  readonly transactional: boolean;
  /** Of a control batch: what it ends the producer's transaction with. Null: an ordinary batch. */
  readonly marker: 'commit' | 'abort' | null;
}

/**
 * What one partition knows about transactions. It is told of every batch in offset order, while appending and again
 * when the log is recovered at start, so it needs no file of its own. Synchronous: it is asked on every fetch.
 */
export interface TransactionIndex {
  appended(batch: BatchInfo): void;
  /**
   * First offset of the oldest transaction that has no marker yet; null: none is open. The last stable offset is this,
   * or the log's end.
   */
  firstOpenOffset(): number | null;
  /** Where the producer's transaction that has no marker yet began; null: it has none here. */
  openSince(producerId: number): number | null;
  /** Aborted transactions with a record in [from, to), marker included. */
  abortedBetween(from: number, to: number): readonly { readonly producerId: number; readonly firstOffset: number }[];
  /** The log now starts here: what ended before may be forgotten. */
  startsAt(offset: number): void;
}

export type CreateTransactionIndex = (at: TopicPartition) => TransactionIndex;

/** Access to the partitions' logs, for the group and transaction coordinators. */
export interface Partitions {
  exists(at: TopicPartition): boolean;
  /**
   * Appends a control batch that ends the producer's transaction in this partition, and raises the epoch known for the
   * producer there. Resolves to the marker's offset once it is as durable as the fsync policy asks. Rejects when the
   * partition does not exist (any more).
   */
  appendMarker(
    at: TopicPartition,
    marker: { readonly producerId: number; readonly producerEpoch: number; readonly committed: boolean },
  ): Promise<number>;
}

/** What every module is made with. */
export interface BrokerServices {
  readonly partitions: Partitions;
  /**
   * A folder that is the broker's alone; null: everything stays in memory. Each module keeps to files or folders it
   * names itself.
   */
  readonly dataDir: string | null;
  /**
   * Durable before an acknowledgement (`always`), or left to the operating system (`never`). Survives SIGKILL either
   * way, a power cut only with `always`.
   */
  readonly fsync: 'always' | 'never';
  readonly now: () => number;
  readonly log: (line: string) => void;
}

export interface BrokerModule {
  readonly handlers: ReadonlyMap<number, Handler>;
  /** Waiting requests are answered or given up; what is kept is on disk afterwards. */
  close(): Promise<void>;
}
