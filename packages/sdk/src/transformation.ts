import type { ConfigKey, ConnectorConfig } from './config-def';
import type { SinkRecord, SourceRecord } from './record';

/** What passes through a chain of transformations: in a source before the converters, in a sink behind them. */
export type ConnectRecord = SourceRecord | SinkRecord;

/**
 * Changes one record at a time. One instance per task, called from one thread; instances share nothing. Source:
 * connect-runtime §7.1.
 * @example { configure: () => {}, apply: (record) => ({ ...record, topic: `copy-of-${record.topic}` }) }
 */
export interface Transformation {
  /** Settings without the `transforms.<alias>.` prefix. Throws ConfigError. */
  configure(config: ConnectorConfig): void;
  /**
   * The record itself when nothing changes, a changed copy, or null to drop it: records are never changed in place. A
   * copy keeps what it does not mention (`{ ...record, value }`). Throws DataError for a record of the wrong shape;
   * `errors.tolerance` decides what follows.
   */
  apply<R extends ConnectRecord>(record: R): R | null;
  /** At the end of the task. */
  close?(): void;
}

/** Decides whether a transformation is applied to a record. Source: connect-runtime §7.3. */
export interface Predicate {
  /** Settings without the `predicates.<alias>.` prefix. Throws ConfigError. */
  configure(config: ConnectorConfig): void;
  test(record: ConnectRecord): boolean;
  /** At the end of the task. */
  close?(): void;
}

/** What a transformation plug-in exports. */
export interface TransformationPlugin {
  readonly type: 'transformation';
  readonly config: readonly ConfigKey[];
  create(): Transformation;
}

/** What a predicate plug-in exports. */
export interface PredicatePlugin {
  readonly type: 'predicate';
  readonly config: readonly ConfigKey[];
  create(): Predicate;
}
