/** What a field's schema says of its column in the database (cdc-postgres §7.5). */
import type { Schema } from '@millrace/sdk';
import type { EventConfig } from '../config/event-config';
import { qualified, type CatalogColumn, type TableName } from '../database/catalog';
import type { SourceType } from '../values/source-type';
import type { AppliedMask } from './column-mask';

/** The names that PostgreSQL's JDBC driver gives to columns that count up. */
const SERIALS: Readonly<Record<string, string>> = { int2: 'smallserial', int4: 'serial', int8: 'bigserial' };

/** The schema with the parameters of the mask and of the column's type, and with its comment. */
export function annotated(
  schema: Schema,
  config: EventConfig,
  table: TableName,
  column: CatalogColumn,
  type: SourceType | null,
  mask: AppliedMask | null,
): Schema {
  const source = sourceParameters(config, table, column, type);
  const comment = config.comments ? column.comment : null;
  if (mask === null && source === null && comment === null) return schema;
  const parameters = { ...schema.parameters, ...mask?.parameters, ...source };
  return Object.freeze({
    ...schema,
    ...(mask === null && source === null ? {} : { parameters }),
    ...(comment === null ? {} : { doc: comment }),
  });
}

/** Parameters of `column.propagate.source.type` and `datatype.propagate.source.type`; null if neither matches. */
function sourceParameters(
  { propagatedColumns, propagatedTypes, comments }: EventConfig,
  table: TableName,
  column: CatalogColumn,
  source: SourceType | null,
): Readonly<Record<string, string>> | null {
  if (source === null || (propagatedColumns === null && propagatedTypes === null)) return null;
  const serial = column.default?.includes('nextval(') ? SERIALS[source.name] : undefined;
  const type = serial ?? source.name;
  const name = qualified(table);
  if (!propagatedColumns?.matches(`${name}.${column.name}`) && !propagatedTypes?.matches(`${name}.${type}`))
    return null;
  return {
    '__debezium.source.column.type': type.toUpperCase(),
    ...(source.length === null ? {} : { '__debezium.source.column.length': String(source.length) }),
    ...(source.scale === null ? {} : { '__debezium.source.column.scale': String(source.scale) }),
    '__debezium.source.column.name': column.name,
    ...(comments && column.comment !== null ? { '__debezium.source.column.comment': column.comment } : {}),
  };
}
