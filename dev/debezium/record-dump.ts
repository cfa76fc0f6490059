/** Records of tasks that run in this process, in the form that is compared. */
import {
  isRawRow,
  plainRecord,
  RawCursor,
  structSchema,
  type RawStruct,
  type Schema,
  type SourceRecord,
} from '@millrace/sdk';
import { JsonConverter } from '../../src/converters/json/json-converter';
import type { Data, EventRecord } from './event-record';

export class RecordDump {
  private readonly converter = new JsonConverter();
  private readonly withSchemas = new JsonConverter();
  private readonly schemas = new WeakMap<Schema, string>();
  private readonly cursor = new RawCursor();

  constructor() {
    const settings = { 'replace.null.with.default': 'false' };
    this.converter.configure({ ...settings, 'schemas.enable': 'false' });
    this.withSchemas.configure({ ...settings, 'schemas.enable': 'true' });
  }

  of(record: SourceRecord): EventRecord {
    const headers = (record.headers ?? []).map(({ key, schema, value }) => [key, ...this.data(schema, value)] as const);
    return { ...placeOf(record), ...this.keyAndValue(record), headers };
  }

  /** A row that is not decoded is written from its bytes, as in a worker. */
  private keyAndValue(record: SourceRecord): { key: Data; value: Data } {
    const { keySchema, key, valueSchema, value } = record;
    if (!isRawRow(value)) return { key: this.data(keySchema, key), value: this.data(valueSchema, value) };
    const plain = plainRecord(record);
    this.cursor.locate(value);
    const written = (struct: RawStruct | null): Uint8Array | null =>
      struct && this.converter.fromRaw('t', struct, this.cursor);
    return {
      key: this.data(keySchema, plain.key, written(isRawRow(key) ? value.shape.key : null)),
      value: this.data(valueSchema, plain.value, written(value.shape.value)),
    };
  }

  private data(schema: Schema | null, value: unknown, written: Uint8Array | null = null): Data {
    const json =
      schema === null && value == null ? null : (written ?? this.converter.fromConnectData('t', schema, value));
    return [schema === null ? null : this.schemaText(schema), json && Buffer.from(json).toString()];
  }

  private schemaText(schema: Schema): string {
    const known = this.schemas.get(schema);
    if (known !== undefined) return known;
    // The envelope of a null struct whose one field has the schema.
    const around = structSchema([['schema', schema]], { optional: true });
    const json = this.withSchemas.fromConnectData('t', around, null) as Uint8Array;
    const text = /"fields":\[(.*)\],"optional":true\},"payload":null\}$/s.exec(Buffer.from(json).toString())?.[1];
    if (text === undefined) throw new Error(`a schema has no text: ${Buffer.from(json).toString()}`);
    this.schemas.set(schema, text);
    return text;
  }
}

/** All but its data. */
export function placeOf(record: SourceRecord): Omit<EventRecord, 'key' | 'value' | 'headers'> {
  const plain = (part: unknown): unknown => (typeof part === 'bigint' ? Number(part) : part);
  const offset = Object.entries(record.sourceOffset ?? {}).map(([name, value]) => [name, plain(value)]);
  return {
    topic: record.topic,
    partition: record.partition ?? null,
    timestamp: record.timestamp ?? null,
    sourcePartition: { ...record.sourcePartition },
    sourceOffset: Object.fromEntries(offset) as Record<string, unknown>,
  };
}
