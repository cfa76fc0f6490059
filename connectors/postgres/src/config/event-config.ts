/** Settings that shape events (cdc-postgres §0.2, §1.6). */
import type { ConnectorConfig } from '@millrace/sdk';
import { columnConverters, type ColumnConverterConfig } from './column-converter-config';
import { columnMasks, type ColumnMask } from './column-mask-config';
import { KEY } from './keys';
import type { PatternList } from './patterns';
import type { Settings } from './settings';
import { readTopicNaming, type TopicNaming } from './topic-naming-config';

export type NameAdjustment = 'none' | 'avro' | 'avro_unicode';
/** `event.converting.failure.handling.mode`. */
export type ConversionFailureMode = 'fail' | 'warn' | 'skip';
/** `event.processing.failure.handling.mode`. */
export type ProcessingFailureMode = 'fail' | 'warn' | 'skip' | 'ignore';
/** `event.format`. */
export type EventFormat = '3' | '1.2';

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
  readonly incompleteKey: 'fail' | 'warn' | 'debezium';
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
  const format = settings.choice<EventFormat>(KEY.eventFormat);
  const isOld = format === '1.2';
  const schemaNames = settings.choice<NameAdjustment>(KEY.schemaNameAdjustmentMode);
  return {
    format,
    tombstones: settings.flag(KEY.tombstonesOnDelete),
    skipUnchanged: settings.flag(KEY.skipMessagesWithoutChange),
    // Debezium 1.2 has no setting for it: its schema names are always valid for Avro.
    schemaNames: isOld && schemaNames === 'none' ? 'avro' : schemaNames,
    fieldNames: settings.choice(KEY.fieldNameAdjustmentMode),
    headers: settings.flag(KEY.extendedHeadersEnabled) && !isOld,
    delimiter: settings.must(KEY.topicDelimiter),
    topics: readTopicNaming(settings),
    sourceVersion:
      settings.given(KEY.eventSourceVersion) ?? (isOld ? '1.2.0.Final' : settings.must(KEY.eventSourceVersion)),
    conversionFailures: settings.choice(KEY.eventConvertingFailureHandlingMode),
    processingFailures: settings.choice(KEY.eventProcessingFailureHandlingMode),
    incompleteKey: settings.choice(KEY.eventIncompleteKeyHandling),
    converters: columnConverters(values),
    masks: columnMasks(values),
    propagatedColumns: settings.patterns(KEY.columnPropagateSourceType),
    propagatedTypes: settings.patterns(KEY.datatypePropagateSourceType),
    comments: settings.flag(KEY.includeSchemaComments),
  };
}
