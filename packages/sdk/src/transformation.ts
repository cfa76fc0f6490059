import type { CheckedValue, ConfigKey, ConnectorConfig } from './config-def';
import type { TaskOwner } from './converter';
import type { Logger } from './logger';
import type { SinkRecord, SourceRecord } from './record';

/** A record in a chain of transformations: before the converters in a source, after them in a sink. */
export type ConnectRecord = SourceRecord | SinkRecord;

/** What the runtime passes to a transformation or predicate. */
export interface TransformationContext {
  /** Lines carry the connector, the task and the alias; the logger's name is the plugin's class. */
  readonly logger: Logger;
  /** (Default: none) */
  readonly owner?: TaskOwner;
  /** As the connector's config names it. (Default: none) */
  readonly alias?: string;
}

/**
 * Transforms one record at a time. Each task has its own instance and calls it from one thread. Source: connect-runtime
 * §7.1.
 * @example { configure: () => {}, apply: (record) => ({ ...record, topic: `copy-of-${record.topic}` }) }
 */
export interface Transformation {
  /**
   * Settings without the `transforms.<alias>.` prefix. Throws ConfigError.
   * @param context always passed by the runtime; a test of the plugin may omit it
   */
  configure(config: ConnectorConfig, context?: TransformationContext): void;
  /**
   * Returns the record itself if nothing changes, a changed copy, or null to drop the record. Never modifies the
   * record: copy it and keep all other members (`{ ...record, value }`). Throws DataError for a record of the wrong
   * structure; `errors.tolerance` decides whether the task fails.
   */
  apply<R extends ConnectRecord>(record: R): R | null;
  /**
   * `apply` also accepts records whose value, and key if any, is a `RawRow`, and passes it on or gives it another
   * shape. It keeps none: the next poll may read into their memory. Otherwise such a record gets plain values first,
   * which cost most of what raw rows save. (Default: false)
   */
  readonly takesRaw?: boolean;
  /** Called when the task stops. */
  close?(): void;
}

/** Decides whether a transformation is applied to a record. Source: connect-runtime §7.3. */
export interface Predicate {
  /**
   * Settings without the `predicates.<alias>.` prefix. Throws ConfigError.
   * @param context as for a transformation
   */
  configure(config: ConnectorConfig, context?: TransformationContext): void;
  test(record: ConnectRecord): boolean;
  /** As for a transformation. (Default: false) */
  readonly takesRaw?: boolean;
  /** Called when the task stops. */
  close?(): void;
}

/** The export of a transformation plugin. */
export interface TransformationPlugin {
  readonly type: 'transformation';
  readonly config: readonly ConfigKey[];
  /** As of connectors, for settings without their prefix. */
  checkValues?(settings: ConnectorConfig): Promise<readonly CheckedValue[]>;
  create(): Transformation;
}

/** The export of a predicate plugin. */
export interface PredicatePlugin {
  readonly type: 'predicate';
  readonly config: readonly ConfigKey[];
  /** As of connectors, for settings without their prefix. */
  checkValues?(settings: ConnectorConfig): Promise<readonly CheckedValue[]>;
  create(): Predicate;
}
