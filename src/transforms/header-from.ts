/** `HeaderFrom`: moves or copies fields into headers. Source: connect-runtime §7.2. */
import {
  isRawRow,
  plainRecord,
  rawMember,
  rawValue,
  schemaBasics,
  type ConfigKey,
  type ConnectorConfig,
  type ConnectRecord,
  type Field,
  type Header,
  type RawRow,
  type Schema,
  type Transformation,
  setMember,
} from '@millrace/sdk';
import { configError, ShapeError } from './failures';
import { oneOf, REPLACE_NULL, Settings } from './settings';
import { copiedValue, fieldValue, memberOf, membersOf, requireMap, requireStruct, type SchemalessMap } from './shapes';
import type { Side } from './side';
import { fieldsOf, perSchema, structOf } from './struct-schemas';

const notEmpty: ConfigKey['validator'] = (value) => (!Array.isArray(value) || value.length === 0 ? 'Empty list' : null);

export const HEADER_FROM_CONFIG: readonly ConfigKey[] = [
  {
    name: 'fields',
    type: 'LIST',
    importance: 'HIGH',
    documentation: 'Fields whose values become headers.',
    validator: notEmpty,
  },
  {
    name: 'headers',
    type: 'LIST',
    importance: 'HIGH',
    documentation: 'Names of these headers: as many as fields, in the same order.',
    validator: notEmpty,
  },
  {
    name: 'operation',
    type: 'STRING',
    importance: 'HIGH',
    documentation: 'move takes the fields away from the key or value, copy leaves them there.',
    ...oneOf('move', 'copy'),
  },
  REPLACE_NULL,
];

interface Plan {
  /** One per header. */
  readonly taken: readonly Field[];
  readonly kept: readonly Field[];
  readonly schema: Schema;
}

export class HeaderFrom implements Transformation {
  readonly takesRaw = true;
  private fields: readonly string[] = [];
  private headers: readonly string[] = [];
  private moves = false;
  private replaceNull = true;
  private purpose = '';

  constructor(private readonly side: Side) {}

  configure(config: ConnectorConfig): void {
    const settings = new Settings(HEADER_FROM_CONFIG, config);
    this.fields = settings.list('fields');
    this.headers = settings.list('headers');
    if (this.fields.length !== this.headers.length) {
      throw configError("'fields' config must have the same number of elements as 'headers' config.");
    }
    this.moves = settings.text('operation') === 'move';
    this.purpose = `header ${settings.text('operation')}`;
    this.replaceNull = settings.flag('replace.null.with.default');
  }

  apply<R extends ConnectRecord>(record: R): R {
    const schema = this.side.schemaOf(record);
    const value = this.side.valueOf(record);
    if (isRawRow(value)) return this.raw(record, schema, value) ?? this.apply(plainRecord(record));
    return schema === null ? this.schemaless(record, value) : this.withSchema(record, schema, value);
  }

  private schemaless<R extends ConnectRecord>(record: R, value: unknown): R {
    const map = requireMap(value, this.purpose);
    const added = this.headers.map((key, i): Header => {
      return { key, schema: null, value: memberOf(map, this.fields[i] as string) };
    });
    const headers = [...(record.headers ?? []), ...added];
    return { ...(this.moves ? this.side.replaced(record, null, this.rest(map)) : record), headers };
  }

  /** Null: the record needs plain values. */
  private raw<R extends ConnectRecord>(record: R, schema: Schema | null, row: RawRow): R | null {
    const struct = this.side.rawOf(row);
    if (this.moves || struct === null || schema === null) return null;
    const headers = [...(record.headers ?? [])];
    this.plan(schema).taken.forEach((field, i) => {
      const member = rawMember(struct, [field.name]);
      const values = { [field.name]: member === null ? null : rawValue(row, member) };
      const value = fieldValue(values, field, this.replaceNull);
      headers.push({ key: this.headers[i] as string, schema: field.schema, value });
    });
    return { ...record, headers };
  }

  private rest(map: SchemalessMap): SchemalessMap {
    const kept = membersOf(map).filter(([key]) => !this.fields.includes(key as string));
    return map instanceof Map ? new Map(kept) : (Object.fromEntries(kept) as SchemalessMap);
  }

  private withSchema<R extends ConnectRecord>(record: R, schema: Schema, value: unknown): R {
    const struct = requireStruct(schema, value, this.purpose);
    const plan = this.plan(schema);
    const headers = [...(record.headers ?? [])];
    for (let i = 0; i < plan.taken.length; i++) {
      const field = plan.taken[i] as Field;
      const key = this.headers[i] as string;
      headers.push({ key, schema: field.schema, value: fieldValue(struct, field, this.replaceNull) });
    }
    if (!this.moves) return { ...record, headers };
    const updated: Record<string, unknown> = {};
    for (const field of plan.kept) setMember(updated, field.name, copiedValue(struct, field, this.replaceNull));
    return { ...this.side.replaced(record, plan.schema, updated), headers };
  }

  private readonly plan = perSchema((schema): Plan => {
    const all = fieldsOf(schema);
    const taken = this.fields.map((name): Field => {
      const field = all.find((one) => one.name === name);
      // Java throws a NullPointerException without a message here: same class, with a message.
      if (!field)
        throw new ShapeError('java.lang.NullPointerException', `HeaderFrom: the field "${name}" does not exist.`);
      return field;
    });
    const kept = all.filter(({ name }) => !this.fields.includes(name));
    return {
      taken,
      kept,
      schema: structOf(
        kept.map((field) => [field.name, field.schema]),
        schemaBasics(schema),
      ),
    };
  });
}
