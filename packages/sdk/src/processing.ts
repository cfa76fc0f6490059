/**
 * Tasks that transform and convert their records themselves, because they run where the plugins for that are installed,
 * too: outside of this process. The runtime then gets bytes, and keeps what it decides about records: retries,
 * tolerance, reports, delivery.
 */
import type { ConnectorConfig } from './config-def';
import type { SinkRecord, SourceRecord } from './record';

/** A transformation, predicate or converter of a connector config. */
export interface ConfiguredPlugin {
  /** Its class, or the name that the config gives. */
  readonly name: string;
  /** Without its prefix; placeholders are replaced. */
  readonly settings: ConnectorConfig;
}

export interface ProcessingStep {
  readonly alias: string;
  readonly transformation: ConfiguredPlugin;
  /** Null: every record is transformed. */
  readonly predicate: (ConfiguredPlugin & { readonly alias: string }) | null;
  readonly negate: boolean;
}

/** Everything between a task and Kafka. */
export interface RecordProcessing {
  /** In the order in which they are applied. */
  readonly steps: readonly ProcessingStep[];
  readonly key: ConfiguredPlugin;
  readonly value: ConfiguredPlugin;
  readonly header: ConfiguredPlugin;
}

/** What of it the task does. The runtime does the rest. */
export interface TakenProcessing {
  /** Of a source the first ones, of a sink the last ones. */
  readonly steps: number;
  /** All three. Only with all steps. */
  readonly converters: boolean;
}

/** Which task it is for. Passed before `start`. */
export interface ProcessingTask {
  readonly connector: string;
  readonly task: number;
  /** The task's config and the connector's, resolved. */
  readonly config: ConnectorConfig;
  readonly connectorConfig: ConnectorConfig;
}

const BRAND = Symbol.for('millrace.processing-failure');

/** A record that could not be transformed or converted. The runtime decides what becomes of it. */
export class ProcessingFailure<R = unknown> {
  readonly [BRAND] = true as const;

  /**
   * @param className of the plugin that failed
   * @param error RetriableError: `retry` may succeed
   * @param retry processes the record again
   */
  constructor(
    readonly stage: 'TRANSFORMATION' | 'KEY_CONVERTER' | 'VALUE_CONVERTER' | 'HEADER_CONVERTER',
    readonly className: string,
    readonly error: Error,
    readonly retry: () => Promise<R>,
  ) {}
}

/** Also of another copy of this package. */
export function isProcessingFailure(value: unknown): value is ProcessingFailure<never> {
  return typeof value === 'object' && value !== null && BRAND in value;
}

/**
 * What `poll` returns once the task has taken steps. With the converters, key, value and headers are bytes or null and
 * have no schema.
 */
export interface ProcessedSourceRecord extends SourceRecord {
  /** Null: transform and deliver the record. Key, value and topic of the others have no meaning. */
  readonly outcome: null | 'filtered' | ProcessingFailure<ProcessedSourceRecord>;
}

/** Null: filtered. */
export type ProcessedSinkRecord = SinkRecord | null | ProcessingFailure<ProcessedSinkRecord>;
