import type { TableName } from '../database/catalog';

/** Kafka's longest topic name. */
const MAX_LENGTH = 249;

/** `<prefix>.<schema>.<table>`; characters that Kafka does not allow become `_` (cdc-postgres §2.1). */
export function topicName(prefix: string, table: TableName, delimiter: string): string {
  return [prefix, table.schema, table.name]
    .join(delimiter)
    .replace(/[^A-Za-z0-9._-]/gu, '_')
    .slice(0, MAX_LENGTH);
}
