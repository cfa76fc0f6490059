/**
 * Tasks that transform and convert their records themselves, because they run where the plugins for that are installed,
 * too: outside of this process. The runtime then gets bytes, and keeps what it decides about records: retries,
 * tolerance, reports, delivery.
 */
import type { ConnectorConfig } from './config-def';
import type { SinkRecord, SourceRecord, TextRecord } from './record';

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

/** A record as it was consumed: key, value and headers are bytes. See `SinkTask.putConsumed`. */
export interface ConsumedBytes extends TextRecord {
  /** -1: the key is null. */
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly headers: readonly { readonly key: string; readonly value: Uint8Array | null }[];
}

/** Records of one partition, in offset order. */
export interface ConsumedBatch {
  readonly topic: string;
  readonly partition: number;
  readonly timestampType: SinkRecord['timestampType'];
  readonly records: readonly ConsumedBytes[];
}

/** How `SinkTask.putConsumed` puts records. */
export interface ConsumedPutOptions {
  /** How many are put at once, at most. */
  readonly most: number;
  /** The next ones are put only if the call has not lasted that long. Milliseconds. */
  readonly ms: number;
  /**
   * What is fetched already and probably comes next, the same objects then; empty: not known. It may be prepared
   * meanwhile, and not put.
   */
  next(): readonly ConsumedBatch[];
}

/** What `SinkTask.putConsumed` has done with the records, in their order. */
export interface ConsumedPut {
  /** So many are put or filtered. */
  readonly taken: number;
  /** So many after them are the next ones that `process` and `put` get; at most as many as are put at once. */
  readonly left: number;
  /** A RetriableError of the put of those that are left: they are put later. Null: they have not been put. */
  readonly error: unknown;
  /** Of those taken: without filtered ones, and how long each put took, without the processing. Milliseconds. */
  readonly puts: readonly { readonly records: number; readonly ms: number }[];
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
