/** `InsertField`: adds fields with the record's metadata or a fixed text. Source: connect-runtime §7.2. */
import {
  schema as makeSchema,
  timestampSchema,
  type ConfigKey,
  type ConnectorConfig,
  type ConnectRecord,
  type Schema,
  type SinkRecord,
  type Transformation,
  schemaBasics,
  setMember,
} from '@millrace/sdk';
import { configError, dataError } from './failures';
import { REPLACE_NULL, Settings } from './settings';
import { copiedValue, isNull, requireMap, requireStruct, withMember } from './shapes';
import type { Side } from './side';
import { fieldsOf, perSchema, structOf } from './struct-schemas';

const fieldKey = (name: string, what: string): ConfigKey => ({
  name,
  type: 'STRING',
  default: null,
  importance: 'MEDIUM',
  documentation: `Field for ${what}. A name that ends in ! makes the field required, one that ends in ? (or in neither) optional.`,
});

export const INSERT_FIELD_CONFIG: readonly ConfigKey[] = [
  fieldKey('topic.field', 'the topic'),
  fieldKey('partition.field', 'the partition'),
  fieldKey('offset.field', 'the offset, in sinks alone'),
  fieldKey('timestamp.field', "the record's timestamp"),
  fieldKey('static.field', 'the text in static.value'),
  {
    name: 'static.value',
    type: 'STRING',
    default: null,
    importance: 'MEDIUM',
    documentation: 'Text for static.field.',
  },
  REPLACE_NULL,
];

const PURPOSE = 'field insertion';

interface Insertion {
  readonly name: string;
  readonly schema: Schema;
  /** Null: nothing is inserted. `typed` requests the value in the schema's type. */
  valueOf(record: ConnectRecord, typed: boolean): unknown;
}

interface Parsed {
  readonly name: string;
  readonly optional: boolean;
}

function parse(text: string): Parsed {
  const marked = text.endsWith('!') || text.endsWith('?');
  return { name: marked ? text.slice(0, -1) : text, optional: !text.endsWith('!') };
}

function offsetOf(record: ConnectRecord): number {
  if ('timestampType' in record) return (record as SinkRecord).offset;
  throw dataError(`Only SinkRecord supported for [${PURPOSE}], found: org.apache.kafka.connect.source.SourceRecord`);
}

function timestampOf(record: ConnectRecord, typed: boolean): unknown {
  if (isNull(record.timestamp)) return null;
  return typed ? new Date(record.timestamp) : record.timestamp;
}

export class InsertField implements Transformation {
  private insertions: readonly Insertion[] = [];
  private replaceNull = true;

  constructor(private readonly side: Side) {}

  configure(config: ConnectorConfig): void {
    const settings = new Settings(INSERT_FIELD_CONFIG, config);
    this.replaceNull = settings.flag('replace.null.with.default');
    const insertions: Insertion[] = [];
    const add = (key: string, make: (spec: Parsed) => Omit<Insertion, 'name'>): void => {
      const text = settings.optionalText(key);
      if (text !== null) insertions.push({ name: parse(text).name, ...make(parse(text)) });
    };
    add('topic.field', ({ optional }) => ({ schema: makeSchema('STRING', { optional }), valueOf: (r) => r.topic }));
    add('partition.field', ({ optional }) => {
      return { schema: makeSchema('INT32', { optional }), valueOf: (r) => r.partition ?? null };
    });
    add('offset.field', ({ optional }) => ({ schema: makeSchema('INT64', { optional }), valueOf: offsetOf }));
    add('timestamp.field', ({ optional }) => ({ schema: timestampSchema({ optional }), valueOf: timestampOf }));
    const value = settings.optionalText('static.value');
    add('static.field', ({ optional }) => ({ schema: makeSchema('STRING', { optional }), valueOf: () => value }));
    if (insertions.length === 0) throw configError('No field insertion configured');
    if (settings.optionalText('static.field') !== null && value === null) {
      throw configError(
        `Invalid value null for configuration static.value: No value specified for static field: ${insertions.at(-1)?.name}`,
      );
    }
    this.insertions = insertions;
  }

  apply<R extends ConnectRecord>(record: R): R {
    const value = this.side.valueOf(record);
    if (isNull(value)) return record;
    const schema = this.side.schemaOf(record);
    return schema === null ? this.schemaless(record, value) : this.withSchema(record, schema, value);
  }

  private schemaless<R extends ConnectRecord>(record: R, value: unknown): R {
    let map = requireMap(value, PURPOSE);
    for (const insertion of this.insertions) {
      const inserted = insertion.valueOf(record, false);
      if (inserted !== null) map = withMember(map, insertion.name, inserted);
    }
    return this.side.replaced(record, null, map);
  }

  private withSchema<R extends ConnectRecord>(record: R, schema: Schema, value: unknown): R {
    const struct = requireStruct(schema, value, PURPOSE);
    const updated: Record<string, unknown> = {};
    for (const field of fieldsOf(schema)) setMember(updated, field.name, copiedValue(struct, field, this.replaceNull));
    for (const insertion of this.insertions) setMember(updated, insertion.name, insertion.valueOf(record, true));
    return this.side.replaced(record, this.extended(schema), updated);
  }

  private readonly extended = perSchema((schema) =>
    structOf(
      [
        ...fieldsOf(schema).map((field) => [field.name, field.schema] as const),
        ...this.insertions.map(({ name, schema: inserted }) => [name, inserted] as const),
      ],
      schemaBasics(schema),
    ),
  );
}
