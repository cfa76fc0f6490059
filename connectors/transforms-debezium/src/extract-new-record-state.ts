/**
 * `io.debezium.transforms.ExtractNewRecordState`: replaces a change event by its row. Source: cdc-postgres §7.10.
 */
import {
  isRawRow,
  plainRecord,
  readMember,
  schema as makeSchema,
  setMember,
  type ConnectorConfig,
  type ConnectRecord,
  type Header,
  type RawRow,
  type RawShape,
  type Schema,
  type Transformation,
  type TransformationPlugin,
} from '@millrace/sdk';
import { DroppedFields } from './dropped-fields';
import { findField, type FoundField } from './field-reference';
import { rawHeaders, rawUnwrapping, type RawUnwrapping } from './raw-unwrapping';
import { dataError, extended, type StructValue } from './structs';
import { UNWRAP_CONFIG, unwrapSettings, type UnwrapSettings } from './unwrap-settings';

const DELETED = '__deleted';
const STRING = makeSchema('STRING');
const OPTIONAL_STRING = makeSchema('STRING', { optional: true });

/** Cached results for the events of one schema. */
interface Plan {
  /** As in the event; null: it has no rows. */
  readonly row: Schema | null;
  /** Of the output: the fields of the row, `__deleted`, added fields. */
  readonly schema: Schema | null;
  readonly added: readonly FoundField[];
  readonly headers: readonly FoundField[];
  /** By the shape of a raw row; null: it gets plain values. */
  readonly raw: WeakMap<RawShape, RawUnwrapping | null>;
}

class ExtractNewRecordState implements Transformation {
  readonly takesRaw = true;
  private settings: UnwrapSettings = unwrapSettings({});
  private rewrites = false;
  private dropped: DroppedFields | null = null;
  private plans = new WeakMap<Schema, Plan>();

  configure(config: ConnectorConfig): void {
    this.settings = unwrapSettings(config);
    const { mode, dropHeader, dropFromKey, keepCompatible } = this.settings;
    this.rewrites = mode === 'rewrite' || mode === 'rewrite-with-tombstone';
    this.dropped = dropHeader === null ? null : new DroppedFields(dropHeader, dropFromKey, keepCompatible);
    this.plans = new WeakMap();
  }

  apply<R extends ConnectRecord>(record: R): R | null {
    const { value, valueSchema } = record;
    if (value === null || value === undefined) {
      return this.settings.mode === 'rewrite-with-tombstone' ? this.tombstone(record) : null;
    }
    if (!valueSchema?.name?.endsWith('.Envelope')) return record;
    const plan = this.plan(valueSchema);
    if (isRawRow(value)) return this.raw(record, plan, value) ?? this.apply(plainRecord(record));
    const event = value as StructValue;
    const after = (event.after ?? null) as StructValue | null;
    const before = (event.before ?? null) as StructValue | null;
    if (after !== null) return this.row(record, plan, event, after, 'false');
    // A truncate event has no row.
    return before === null ? null : this.deletion(record, plan, event, before);
  }

  /** Null: the event needs plain values. */
  private raw<R extends ConnectRecord>(record: R, plan: Plan, row: RawRow): R | null {
    let unwrapping = plan.raw.get(row.shape);
    if (unwrapping === undefined) {
      unwrapping = this.rawUnwrapping(plan, row.shape);
      plan.raw.set(row.shape, unwrapping);
    }
    if (unwrapping === null) return null;
    const headers = record.headers ?? [];
    return {
      ...record,
      valueSchema: plan.schema,
      value: row.as(unwrapping.shape),
      headers: unwrapping.headers.length === 0 ? headers : [...headers, ...rawHeaders(row, unwrapping)],
    };
  }

  private rawUnwrapping({ schema, row, added, headers }: Plan, shape: RawShape): RawUnwrapping | null {
    const { routeBy, replaceNull } = this.settings;
    const replaces = this.rewrites && replaceNull && row?.fields?.some((field) => field.schema.default !== undefined);
    if (schema === null || replaces === true || routeBy !== null || this.dropped !== null) return null;
    return rawUnwrapping(shape, { schema, added, headers, marksDeletion: this.rewrites });
  }

  private tombstone<R extends ConnectRecord>(record: R): R {
    const operation = this.settings.headers.filter(({ field }) => field === 'op');
    if (operation.length === 0) return record;
    const headers = operation.map(({ newName }): Header => ({ key: newName, schema: STRING, value: 'd' }));
    return { ...record, headers: [...(record.headers ?? []), ...headers] };
  }

  private deletion<R extends ConnectRecord>(record: R, plan: Plan, event: StructValue, before: StructValue): R | null {
    if (this.settings.mode === 'drop') return null;
    if (this.rewrites) return this.row(record, plan, event, before, 'true');
    const schema = this.settings.mode === 'tombstone' ? plan.row : null;
    return {
      ...record,
      topic: this.topic(record.topic, plan, before),
      valueSchema: schema,
      value: null,
      headers: this.headers(record, plan, event),
    };
  }

  private row<R extends ConnectRecord>(
    record: R,
    plan: Plan,
    event: StructValue,
    row: StructValue,
    deleted: 'true' | 'false',
  ): R {
    const value: Record<string, unknown> = {};
    const withDefaults = this.rewrites && this.settings.replaceNull;
    for (const field of plan.row?.fields ?? []) {
      const member = readMember(row, field.name) ?? (withDefaults ? field.schema.default : null);
      setMember(value, field.name, member ?? null);
    }
    if (this.rewrites) value[DELETED] = deleted;
    for (const field of plan.added) setMember(value, field.newName, field.valueIn(event));
    const unwrapped: R = {
      ...record,
      topic: this.topic(record.topic, plan, row),
      valueSchema: plan.schema,
      value,
      headers: this.headers(record, plan, event),
    };
    return this.dropped ? this.dropped.apply(unwrapped) : unwrapped;
  }

  private headers(record: ConnectRecord, plan: Plan, event: StructValue): readonly Header[] {
    const headers = record.headers ?? [];
    if (plan.headers.length === 0) return headers;
    const added = plan.headers.map((field): Header => {
      return { key: field.newName, schema: field.schema, value: field.valueIn(event) };
    });
    return [...headers, ...added];
  }

  private topic(topic: string, plan: Plan, row: StructValue): string {
    const name = this.settings.routeBy;
    if (name === null) return topic;
    const field = plan.row?.fields?.find((one) => one.name === name);
    if (!field) throw dataError(`${name} is not a valid field name`);
    if (field.schema.type !== 'STRING') throw dataError(`Field '${name}' is not of type STRING`);
    const value = row[name] as string | null | undefined;
    return value?.trim() ? value : topic;
  }

  private plan(envelope: Schema): Plan {
    let plan = this.plans.get(envelope);
    if (!plan) this.plans.set(envelope, (plan = this.compiled(envelope)));
    return plan;
  }

  private compiled(envelope: Schema): Plan {
    const present = (field: FoundField | null): field is FoundField => field !== null;
    const row = envelope.fields?.find(({ name }) => name === 'after')?.schema ?? null;
    const added = this.settings.fields.map((one) => findField(one, envelope)).filter(present);
    const more = added.map(({ newName, schema }) => [newName, schema] as const);
    return {
      row,
      schema: row && extended(row, this.rewrites ? [[DELETED, OPTIONAL_STRING], ...more] : more),
      added,
      headers: this.settings.headers.map((one) => findField(one, envelope)).filter(present),
      raw: new WeakMap(),
    };
  }
}

export const extractNewRecordState: TransformationPlugin = {
  type: 'transformation',
  config: UNWRAP_CONFIG,
  create: () => new ExtractNewRecordState(),
};
