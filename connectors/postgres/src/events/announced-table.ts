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
  const announced = new Set(message.columns.map((column) => column.name));
  const key = keyColumns(message, announced, newest, known);
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
    : withUnsent(
        present,
        message.columns.map((column) => {
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
        }),
      );
  const names = new Set(columns.map((column) => column.name));
  const { oid, schema, name } = message;
  return { oid, schema, name, columns, key: key.filter((column) => names.has(column)) };
}

/** Adds the columns that are not sent, which an announcement lacks. Each follows the column that it follows now. */
function withUnsent(present: readonly CatalogColumn[], announced: CatalogColumn[]): CatalogColumn[] {
  present.forEach((column, i) => {
    if (column.sent) return;
    const before = present.slice(0, i).findLast(({ name }) => announced.some((one) => one.name === name));
    announced.splice(announced.findIndex(({ name }) => name === before?.name) + 1, 0, column);
  });
  return announced;
}

/**
 * Under REPLICA IDENTITY DEFAULT the message contains the primary key of its time, but not the order of its columns.
 * Under any other identity, only the catalog has a key.
 */
function keyColumns(
  message: RelationMessage,
  announced: ReadonlySet<string>,
  newest: TableDefinition | null,
  known: TableDefinition | null,
): readonly string[] {
  const identity = message.columns.filter((column) => column.inIdentity).map((column) => column.name);
  if (message.replicaIdentity !== 'd' || identity.length === 0) return newest?.key ?? [];
  const isIdentity = (table: TableDefinition | null): boolean => {
    // The announcement lacks generated columns that are not sent.
    const generated = new Set(table?.columns.flatMap((column) => (column.generated ? [column.name] : [])));
    const key = table?.key.filter((column) => announced.has(column) || !generated.has(column)) ?? [];
    return key.length === identity.length && key.every((column) => identity.includes(column));
  };
  return [newest, known].find(isIdentity)?.key ?? identity;
}

function sameColumn(announced: RelationMessage['columns'][number], column: CatalogColumn): boolean {
  return announced.name === column.name && announced.typeOid === column.typeOid && announced.typmod === column.typmod;
}
