/**
 * `io.debezium.transforms.outbox.EventRouter`: publishes the rows of an outbox table as the events that they describe.
 * Source: cdc-postgres §7.12.
 */
import {
  adjustedFieldNames,
  LimitedLog,
  safeInteger,
  schema as makeSchema,
  type ConnectorConfig,
  type ConnectRecord,
  type Header,
  type Schema,
  type Transformation,
  type TransformationContext,
  type TransformationPlugin,
} from '@millrace/sdk';
import {
  connectError,
  fieldOf,
  isEnvelope,
  requireStruct,
  schemaOf,
  shortText,
  TransformError,
  typedField,
  type StructValue,
} from '../structs';
import { rewritten } from '../topic-rewriting';
import { envelopeName, EnvelopeSchemas } from './envelope-schemas';
import { JsonPayload } from './json-payload';
import { OUTBOX_CONFIG, outboxSettings, type OutboxSettings } from './outbox-settings';

const STRING = makeSchema('STRING');
/** Topics are kept up to this number, because a row may name any; longer ones than Kafka permits are not. */
const MANY_TOPICS = 10_000;
const LONGEST_TOPIC = 249;

const NOT_EXPANDED = 'it is not an object or array in JSON, has no Connect schema or exceeds a limit';

interface Payload {
  readonly schema: Schema;
  readonly value: unknown;
}

class EventRouter implements Transformation {
  private settings: OutboxSettings = outboxSettings({});
  private json: JsonPayload | null = null;
  private envelopes: EnvelopeSchemas | null = null;
  private readonly topics = new Map<string, string>();
  private log = new LimitedLog(undefined);

  configure(config: ConnectorConfig, context?: TransformationContext): void {
    const settings = outboxSettings(config);
    this.log = new LimitedLog(context?.logger);
    const { payload, nulls, emptyArrays, expandJson, additional, ignoreMissing } = settings;
    this.settings = settings;
    this.topics.clear();
    this.json = expandJson
      ? new JsonPayload(payload, { nulls, emptyArrays, fieldName: adjustedFieldNames(settings.fieldNames) })
      : null;
    const fields = additional.filter(({ placement }) => placement === 'envelope');
    this.envelopes = fields.length === 0 ? null : new EnvelopeSchemas(fields, ignoreMissing);
  }

  apply<R extends ConnectRecord>(record: R): R | null {
    const { value, valueSchema } = record;
    if (value === null || value === undefined) return null;
    if (!isEnvelope(record)) return record;
    const envelope = valueSchema as Schema;
    const event = requireStruct(envelope, value, 'Detect Debezium Operation');
    const operation = typedField(envelope, event, 'op', 'STRING');
    if (operation === 'd') return null;
    if (operation === 'u') return this.update(record);
    const rowSchema = schemaOf(envelope, 'after') ?? null;
    const row = requireStruct(rowSchema, event.after, 'Read Outbox Event');
    return this.routed(record, event, rowSchema as Schema, row);
  }

  /** Rows of an outbox are written once. */
  private update({ topic, keySchema, key }: ConnectRecord): null {
    const { updates } = this.settings;
    if (updates === 'fatal') {
      const text = shortText(keySchema, key);
      throw new TransformError('java.lang.IllegalStateException', `Unexpected update message received ${text}, fail.`);
    }
    const message = `Dropping an update of topic ${topic}: rows of an outbox table must not change.`;
    this.log[updates](`update ${topic}`, message);
    return null;
  }

  private routed<R extends ConnectRecord>(record: R, event: StructValue, rowSchema: Schema, row: StructValue): R {
    const { id, key, payload: column, routeBy } = this.settings;
    const payloadSchema = schemaOf(rowSchema, column);
    if (!payloadSchema) throw connectError(`Unable to find payload field ${column} in event`);
    const timestamp = eventTimestamp(this.settings.timestamp, event, rowSchema, row);
    const headers: Header[] = [...(record.headers ?? [])];
    headers.push({ key: 'id', schema: schemaOf(rowSchema, id) ?? null, value: fieldOf(rowSchema, row, id) });
    const payload = this.expanded(record.topic, { schema: payloadSchema, value: fieldOf(rowSchema, row, column) });
    const published = this.enveloped(payload, rowSchema, row);
    const partition = this.addFields(rowSchema, row, published.value as Record<string, unknown>, headers);
    const tombstone = this.settings.tombstones && isEmpty(payload.value);
    const keyValue = fieldOf(rowSchema, row, key);
    const topic = this.topic(typedField(rowSchema, row, routeBy, 'STRING') as string | null);
    return {
      ...record,
      topic,
      // A sink's record always has a partition.
      partition: partition ?? ('originalTopic' in record ? record.partition : null),
      keySchema: schemaOf(rowSchema, key) ?? STRING,
      key: keyValue,
      valueSchema: tombstone ? null : published.schema,
      value: tombstone ? null : published.value,
      timestamp,
      headers,
    };
  }

  private expanded(topic: string, payload: Payload): Payload {
    if (this.json === null || payload.value === null) return payload;
    const json = typeof payload.value === 'string' ? this.json.expand(payload.value) : null;
    if (json !== null) return json;
    this.log.warn(`payload ${topic}`, `A payload of topic ${topic} is not expanded: ${NOT_EXPANDED}.`);
    return payload;
  }

  private enveloped(payload: Payload, rowSchema: Schema, row: StructValue): Payload {
    if (this.envelopes === null) return payload;
    const { routeBy, version: column } = this.settings;
    const version = column === null ? null : (typedField(rowSchema, row, column, 'INT32') as number | null);
    const route = typedField(rowSchema, row, routeBy, 'STRING') as string | null;
    const schema = this.envelopes.schema(payload.schema, rowSchema, envelopeName(rowSchema, route), version);
    return { schema, value: { payload: payload.value } };
  }

  /** Returns the partition; null: none is set. */
  private addFields(
    rowSchema: Schema,
    row: StructValue,
    envelope: Record<string, unknown>,
    headers: Header[],
  ): number | null {
    let partition: number | null = null;
    for (const { column, placement, name } of this.settings.additional) {
      const schema = schemaOf(rowSchema, column) ?? null;
      if (schema === null && this.settings.ignoreMissing) continue;
      if (placement === 'partition') partition = typedField(rowSchema, row, column, 'INT32') as number | null;
      else if (placement === 'header') headers.push({ key: name, schema, value: fieldOf(rowSchema, row, column) });
      else envelope[name] = fieldOf(rowSchema, row, column);
    }
    return partition;
  }

  private topic(route: string | null): string {
    if (route === null) throw connectError(`The column ${this.settings.routeBy} is null, so the event has no topic`);
    let topic = this.topics.get(route);
    if (topic === undefined) {
      topic = rewritten(this.settings.topic, route) ?? route;
      if (route.length > LONGEST_TOPIC) return topic;
      if (this.topics.size >= MANY_TOPICS) this.topics.clear();
      this.topics.set(route, topic);
    }
    return topic;
  }
}

/** Divisors of the types of columns. */
const PER_MILLISECOND: Readonly<Record<string, bigint>> = {
  'io.debezium.time.Timestamp': 1n,
  'io.debezium.time.MicroTimestamp': 1_000n,
  'io.debezium.time.NanoTimestamp': 1_000_000n,
};

/**
 * The timestamp of an event's record: milliseconds, rounded towards the epoch as in Java. Null columns have the event's
 * own. Throws ConnectError.
 */
function eventTimestamp(column: string | null, event: StructValue, rowSchema: Schema, row: StructValue): number | null {
  const ofEvent = (event.ts_ms ?? null) as number | null;
  if (column === null) return ofEvent;
  const schema = schemaOf(rowSchema, column);
  if (!schema) throw connectError(`Unable to find timestamp field ${column} in event`);
  const value = typedField(rowSchema, row, column, 'INT64') as number | bigint | null;
  if (value === null) return ofEvent;
  if (schema.name === null) {
    throw connectError(`Unsupported field type ${schema.type} (without logical schema name) for event timestamp`);
  }
  const divisor = Object.hasOwn(PER_MILLISECOND, schema.name) ? PER_MILLISECOND[schema.name] : undefined;
  if (divisor === undefined) throw connectError(`Unsupported field type ${schema.name} for event timestamp`);
  return Number(safeInteger(BigInt(value) / divisor));
}

function isEmpty(payload: unknown): boolean {
  return payload === null || (typeof payload === 'string' && payload.trim() === '');
}

export const eventRouter: TransformationPlugin = {
  type: 'transformation',
  config: OUTBOX_CONFIG,
  create: () => new EventRouter(),
};
