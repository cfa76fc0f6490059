/** What a field's schema says of its column in the database (cdc-postgres §7.5). */
import type { EventConfig } from '../config/event-config';
import { qualified, type CatalogColumn, type TableName } from '../database/catalog';
import type { SourceType } from '../values/source-type';

/** The names that PostgreSQL's JDBC driver gives to columns that count up. */
const SERIALS: Readonly<Record<string, string>> = { int2: 'smallserial', int4: 'serial', int8: 'bigserial' };

/** Parameters of `column.propagate.source.type` and `datatype.propagate.source.type`; null if neither matches. */
export function sourceParameters(
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
