/** Settings that shape events (cdc-postgres §0.2, §1.6). */
import type { ConnectorConfig, NameAdjustment } from '@millrace/sdk';
import { columnConverters, type ColumnConverterConfig } from './column-converter-config';
import { columnMasks, type ColumnMask } from './column-mask-config';
import { KEY, type ValueOf } from './definitions';
import type { PatternList } from './patterns';
import type { Settings } from './settings';
import { readTopicNaming, type TopicNaming } from './topic-naming-config';

/** `event.converting.failure.handling.mode`. */
export type ConversionFailureMode = ValueOf<'eventConvertingFailureHandlingMode'>;
/** `event.processing.failure.handling.mode`. */
export type ProcessingFailureMode = ValueOf<'eventProcessingFailureHandlingMode'>;
/** `event.format`. */
export type EventFormat = ValueOf<'eventFormat'>;

export interface EventConfig {
  readonly format: EventFormat;
  readonly tombstones: boolean;
  /** Updates that change no emitted column are skipped. */
  readonly skipUnchanged: boolean;
  readonly schemaNames: NameAdjustment;
  readonly fieldNames: NameAdjustment;
  /** The `__debezium.context` headers. */
  readonly headers: boolean;
  readonly delimiter: string;
  readonly topics: TopicNaming;
  readonly sourceVersion: string;
  readonly conversionFailures: ConversionFailureMode;
  readonly processingFailures: ProcessingFailureMode;
  readonly incompleteKey: ValueOf<'eventIncompleteKeyHandling'>;
  readonly converters: readonly ColumnConverterConfig[];
  /** In the order in which they are tried. */
  readonly masks: readonly ColumnMask[];
  /** Columns, and `schema.table.type`, whose schemas name the type in the database. */
  readonly propagatedColumns: PatternList | null;
  readonly propagatedTypes: PatternList | null;
  /** Comments of columns become the documentation of their fields. */
  readonly comments: boolean;
}

export function readEventConfig(settings: Settings, values: ConnectorConfig): EventConfig {
  const format = settings.get('eventFormat');
  const isOld = format === '1.2';
  const schemaNames = settings.get('schemaNameAdjustmentMode');
  return {
    format,
    tombstones: settings.get('tombstonesOnDelete'),
    skipUnchanged: settings.get('skipMessagesWithoutChange'),
    // Debezium 1.2 has no setting for it: its schema names are always valid for Avro.
    schemaNames: isOld && schemaNames === 'none' ? 'avro' : schemaNames,
    fieldNames: settings.get('fieldNameAdjustmentMode'),
    headers: settings.get('extendedHeadersEnabled') && !isOld,
    delimiter: settings.get('topicDelimiter'),
    topics: readTopicNaming(settings),
    sourceVersion:
      settings.given(KEY.eventSourceVersion) ?? (isOld ? '1.2.0.Final' : settings.get('eventSourceVersion')),
    conversionFailures: settings.get('eventConvertingFailureHandlingMode'),
    processingFailures: settings.get('eventProcessingFailureHandlingMode'),
    incompleteKey: settings.get('eventIncompleteKeyHandling'),
    converters: columnConverters(values),
    masks: columnMasks(values),
    propagatedColumns: settings.patterns('columnPropagateSourceType'),
    propagatedTypes: settings.patterns('datatypePropagateSourceType'),
    comments: settings.get('includeSchemaComments'),
  };
}
