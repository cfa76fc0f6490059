/**
 * Maps the rows of a table to keys and values. Built once per table definition, so that schemas keep their identity.
 */
import {
  adjustedFieldNames,
  adjustedSchemaNames,
  ConnectError,
  schema,
  structSchema,
  type Logger,
  type Schema,
} from '@millrace/sdk';
import type { FilterConfig, PostgresConfig } from '../config/postgres-config';
import { qualified, type CatalogColumn, type TableDefinition } from '../database/catalog';
import type { EventCounts, TableCounts } from '../metrics/event-counts';
import { schemaDefault } from '../values/defaults';
import { UNBOUNDED } from '../values/source-type';
import type { TypeResolver } from '../values/resolve-type';
import type { TextDecoder, ValueType } from '../values/value-type';
import { appliedMask, maskWarning } from './column-mask';
import type { ColumnConversions } from './column-conversions';
import { layoutOf } from './layout-of';
import type { NameConflicts } from './name-conflicts';
import { sentKey } from './sent-key';
import { annotated } from './column-annotations';
import { rawTable, type RawField, type RawTable } from './raw-table';
import { sourceIdentity } from './source-identity';
import { originalTopicName, topicName } from './topic-name';

/** One member of a row or key. */
export interface ModelField {
  /** The column name, adjusted by `field.name.adjustment.mode`. */
  readonly name: string;
  readonly column: string;
  /** The name is `__proto__`, which a plain assignment would not create as a member. */
  readonly isProto: boolean;
  /** Position among the columns of a message; those that are not sent come after them, in snapshots only. */
  readonly cell: number;
  readonly optional: boolean;
  /** Replaces a missing value of a required column: the schema default, else the zero value of the type. */
  readonly fallback: unknown;
  /** The schema has a default, which replaces a value that Connect cannot represent (NaN). */
  readonly hasDefault: boolean;
  /** Published for a value that was not sent; null: there is no placeholder. */
  readonly unavailable: unknown;
  /** The row does not show that a value was not sent. */
  readonly hidesUnsent: boolean;
  /** The schema of rows accepts no null. */
  readonly required: boolean;
}

interface MaskedMember {
  readonly name: string;
  /** Published in place of a value, which may be null. */
  readonly mask: (value: unknown) => unknown;
}

export interface TableModel {
  readonly schema: string;
  readonly name: string;
  readonly topic: string;
  readonly counts: TableCounts;
  readonly envelope: Schema;
  readonly keySchema: Schema | null;
  /** Empty when there is no key. */
  readonly key: readonly ModelField[];
  /** Member of every key that names the table, where several share a topic. */
  readonly keyOrigin: { readonly name: string; readonly value: string } | null;
  readonly row: readonly ModelField[];
  /** Of members of rows. Cells and keys are not masked: they tell rows apart. */
  readonly masks: readonly MaskedMember[];
  /** Cells whose values are masked in events: errors and logs do not quote them. */
  readonly hiddenCells: ReadonlySet<number>;
  /** By cell; null: not emitted. */
  readonly decoders: readonly (TextDecoder | null)[];
  /** How rows are published without being decoded; null: they are not. */
  readonly raw: RawTable | null;
  /** Names by cell, for error texts and for the snapshot's SELECT. */
  readonly columns: readonly string[];
}

/** What rows hold of a value. */
export function publishedValue({ masks }: TableModel, field: ModelField, value: unknown): unknown {
  const masked = masks.find(({ name }) => name === field.name);
  return masked === undefined ? value : masked.mask(value);
}

const STRING = schema('STRING');

interface ModelContext {
  readonly config: PostgresConfig;
  readonly types: TypeResolver;
  readonly logger: Logger;
  readonly counts: EventCounts;
  readonly names: NameConflicts;
  /** Null for none. */
  readonly conversions: ColumnConversions | null;
  /** Columns emitted as optional although the catalog says NOT NULL: rows from before an ALTER TABLE held NULL. */
  readonly forcedOptional: ReadonlySet<string>;
}

function columnFilter(filters: FilterConfig, table: string): (column: string) => boolean {
  return (column) => {
    const name = `${table}.${column}`;
    if (filters.columnInclude !== null) return filters.columnInclude.matches(name);
    return !(filters.columnExclude?.matches(name) ?? false);
  };
}

/**
 * Key columns of a table: `message.key.columns` if a pattern matches, else primary key or unique index. Throws
 * ConnectError `PG_CONFIG` for a column that the table does not have.
 */
export function keyColumns(config: PostgresConfig, table: TableDefinition): readonly string[] {
  const configured = config.keyColumns.find((entry) => entry.table.matches(qualified(table)));
  if (configured === undefined) return table.key;
  return configured.columns.map((wanted) => {
    const found =
      table.columns.find((column) => column.name === wanted) ??
      table.columns.find((column) => column.name.toLowerCase() === wanted.toLowerCase());
    if (found === undefined)
      throw new ConnectError(
        `message.key.columns names column "${wanted}" of table ${qualified(table)}, which has no such column.`,
        { code: 'PG_CONFIG', place: { table: qualified(table), column: wanted } },
      );
    return found.name;
  });
}

function converted(table: string, column: CatalogColumn, { types, conversions }: ModelContext): ValueType | null {
  if (conversions === null) return null;
  const source = types.declared(column.typeOid, column.typmod);
  return conversions.of({
    table,
    name: column.name,
    typeName: source?.name ?? '',
    length: source === null || source.length === UNBOUNDED ? null : source.length,
    scale: source?.scale ?? null,
    optional: !column.notNull,
    default: column.default,
  });
}

interface BuiltColumn {
  readonly column: CatalogColumn;
  readonly decode: TextDecoder;
  readonly field: ModelField;
  readonly schema: Schema;
  readonly keySchema: Schema;
  /** A mask matches the column. */
  readonly hidden: boolean;
  readonly raw: RawField;
  /** See `MaskedMember`; null for a column that is published as it is. */
  readonly mask: ((value: unknown) => unknown) | null;
}

/** `table.columns` is in catalog order, which the fields keep. Columns that are not sent are null while streaming. */
export function buildTableModel(table: TableDefinition, context: ModelContext): TableModel {
  const { config, types, logger, names } = context;
  const name = qualified(table);
  const { delimiter, topics } = config.events;
  const topic = topicName(config.prefix, table, delimiter, topics);
  const keyField = topics.rewriting?.keyField ?? null;
  const layout = layoutOf(config.events.format);
  const adjust = adjustedSchemaNames(config.events.schemaNames);
  const schemaName = (original: string): string => names.schema(original, adjust(original));
  names.topic(topic, name);
  const isEmitted = columnFilter(config.filters, name);
  const keyNames = sentKey(keyColumns(config, table), table, config.events, logger);
  const cells = [...table.columns].sort((a, b) => Number(b.sent) - Number(a.sent));
  const decoders: (TextDecoder | null)[] = new Array<null>(cells.length).fill(null);
  const built = new Map<string, BuiltColumn>();
  for (const column of table.columns) {
    if (!isEmitted(column.name) && !keyNames.includes(column.name)) continue;
    const type = converted(name, column, context) ?? types.resolve(column.typeOid, column.typmod);
    if (type === null) {
      logger.warn(`Column ${name}.${column.name} is omitted from events: its type has no Connect schema.`);
      continue;
    }
    const cell = cells.indexOf(column);
    const entry = build(table, column, type, cell, keyNames.includes(column.name), context);
    decoders[cell] = entry.decode;
    built.set(column.name, entry);
  }
  checkFieldNames(name, built);
  const emitted = [...built.values()].filter(({ column }) => isEmitted(column.name));
  const key = keyNames.flatMap((keyName) => built.get(keyName) ?? []);
  const row = structSchema(
    emitted.map((entry) => [entry.field.name, entry.schema] as const),
    { name: schemaName(`${topic}.Value`), optional: true },
  );
  const counts = context.counts.of(name);
  const envelope = layout.envelope(schemaName(`${topic}.Envelope`), row);
  const keySchema =
    key.length === 0
      ? null
      : structSchema(
          [
            ...key.map((entry) => [entry.field.name, entry.keySchema] as const),
            ...(keyField === null ? [] : [[keyField, STRING] as const]),
          ],
          { name: schemaName(`${topic}.Key`) },
        );
  const keyOrigin =
    keyField === null ? null : { name: keyField, value: originalTopicName(config.prefix, table, delimiter, topics) };
  return {
    schema: table.schema,
    name: table.name,
    topic,
    counts,
    envelope,
    keySchema,
    key: key.map((entry) => entry.field),
    keyOrigin,
    row: emitted.map((entry) => entry.field),
    masks: emitted.flatMap(({ field, mask }) => (mask === null ? [] : [{ name: field.name, mask }])),
    hiddenCells: new Set([...built.values()].flatMap(({ field, hidden }) => (hidden ? [field.cell] : []))),
    decoders,
    raw: rawTable({
      identity: sourceIdentity(config),
      table,
      counts,
      envelope,
      keySchema,
      key: key.map((entry) => ({ ...entry.raw, mask: null })),
      keyOrigin,
      row: emitted.map((entry) => entry.raw),
      sent: cells.filter((column) => column.sent).length,
    }),
    columns: cells.map((column) => column.name),
  };
}

/** Two columns with the same field name would overwrite each other. */
function checkFieldNames(table: string, built: ReadonlyMap<string, BuiltColumn>): void {
  const columns = new Map<string, string>();
  for (const { field } of built.values()) {
    const other = columns.get(field.name);
    if (other !== undefined)
      throw new ConnectError(
        `field.name.adjustment.mode maps both "${other}" and "${field.column}", columns of table ${table}, to "${field.name}". Leave one of them out with column.exclude.list, or use avro_unicode.`,
        { code: 'PG_CONFIG', place: { table, column: field.column } },
      );
    columns.set(field.name, field.column);
  }
}

function build(
  table: TableDefinition,
  column: CatalogColumn,
  type: ValueType,
  cell: number,
  inKey: boolean,
  { config, types, logger, forcedOptional }: ModelContext,
): BuiltColumn {
  const { events } = config;
  // Whether generated columns are sent may change, so they cannot be required.
  const optional = !column.notNull || column.generated || forcedOptional.has(column.name);
  const name = adjustedFieldNames(events.fieldNames)(column.name);
  const { columnDefaults } = layoutOf(events.format);
  const defaultValue = column.default === null || !columnDefaults ? undefined : schemaDefault(column.default, type);
  const keySchema: Schema = Object.freeze({
    ...type.schema,
    optional: optional || type.schema.optional,
    default: defaultValue,
  });
  const source = types.declared(column.typeOid, column.typmod);
  const path = `${qualified(table)}.${column.name}`;
  const mask = appliedMask(events.masks, path, type, source);
  const warning = mask === null ? null : maskWarning(path, mask, inKey);
  if (warning !== null) logger.warn(warning);
  const apply = mask?.apply ?? null;
  const masked = apply === null ? null : (value: unknown) => (value === null ? mask?.ofNull : apply(value));
  const { unavailable } = type;
  const field: ModelField = {
    name,
    column: column.name,
    isProto: name === '__proto__',
    cell,
    optional,
    fallback: defaultValue === undefined ? type.fallback : defaultValue,
    hasDefault: defaultValue !== undefined,
    unavailable,
    // Asterisks stand for any value.
    hidesUnsent:
      (masked === null || masked(null) === null) &&
      (unavailable === null || (masked !== null && masked(unavailable) !== unavailable)),
    required: !keySchema.optional,
  };
  return {
    column,
    decode: type.decode,
    field,
    keySchema,
    raw: { field, decode: type.decode, raw: type.raw ?? null, mask: masked },
    schema: annotated(keySchema, events, table, column, source, mask),
    hidden: mask !== null,
    mask: masked,
  };
}
