/**
 * A table as of its rows: the announcement, completed with what only the catalog has, which may be newer.
 */
import type { CatalogColumn, CatalogTable, TableDefinition } from '../database/catalog';
import type { RelationMessage } from './relation-message';

/**
 * @param now null: the table was dropped since
 * @param known the table as it was until this announcement
 */
export function announcedTable(
  message: RelationMessage,
  now: CatalogTable | null,
  known: TableDefinition | null,
): TableDefinition {
  const newest = now ?? known;
  const key = keyColumns(message, newest, known);
  const announced = new Set(message.columns.map((column) => column.name));
  const present = (newest?.columns ?? []).map((column) => {
    const sent = !column.generated || announced.has(column.name);
    return sent === column.sent ? column : { ...column, sent };
  });
  const delivered = present.filter(({ sent }) => sent);
  const same =
    delivered.length === message.columns.length &&
    message.columns.every((column, i) => sameColumn(column, delivered[i] as CatalogColumn));
  const columns = same
    ? present
    : message.columns.map((column) => {
        const found = newest?.columns.find((candidate) => sameColumn(column, candidate));
        // Trust the newer catalog only for key columns.
        return {
          name: column.name,
          typeOid: column.typeOid,
          typmod: column.typmod,
          notNull: key.includes(column.name) && (found?.notNull ?? false),
          default: found?.default ?? null,
          comment: found?.comment ?? null,
          generated: found?.generated ?? false,
          sent: true,
        };
      });
  const names = new Set(columns.map((column) => column.name));
  const { oid, schema, name } = message;
  return { oid, schema, name, columns, key: key.filter((column) => names.has(column)) };
}

/**
 * Under REPLICA IDENTITY DEFAULT the message contains the primary key of its time, but not the order of its columns.
 * Under any other identity, only the catalog has a key.
 */
function keyColumns(
  message: RelationMessage,
  newest: TableDefinition | null,
  known: TableDefinition | null,
): readonly string[] {
  const identity = message.columns.filter((column) => column.inIdentity).map((column) => column.name);
  if (message.replicaIdentity !== 'd' || identity.length === 0) return newest?.key ?? [];
  const isIdentity = (key: readonly string[]): boolean =>
    key.length === identity.length && key.every((column) => identity.includes(column));
  return [newest?.key ?? [], known?.key ?? []].find(isIdentity) ?? identity;
}

function sameColumn(announced: RelationMessage['columns'][number], column: CatalogColumn): boolean {
  return announced.name === column.name && announced.typeOid === column.typeOid && announced.typmod === column.typmod;
}
