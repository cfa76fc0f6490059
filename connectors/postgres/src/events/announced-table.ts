/**
 * A table as of its rows: the announcement, completed with what only the catalog has, which may be newer.
 */
import type { CatalogColumn, CatalogTable, TableDefinition } from '../database/catalog';
import type { RelationMessage } from './relation-message';

/**
 * @param now null: the table was dropped since
 * @param known the table as it was until this announcement
 * @param successor see `Definition`
 */
export function announcedTable(
  message: RelationMessage,
  now: CatalogTable | null,
  known: TableDefinition | null,
  successor: CatalogTable | null,
): TableDefinition {
  const later = now ?? (known === null ? successor : null);
  const newest = later ?? known;
  const announced = new Set(message.columns.map((column) => column.name));
  const key = keyColumns(message, announced, now ?? known, known, successor);
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
          const isSame = (candidate: CatalogColumn): boolean => sameColumn(column, candidate);
          const before = known?.columns.find(isSame);
          const found = before ?? later?.columns.find(isSame);
          const after = later?.columns.find(({ name }) => name === column.name);
          return {
            name: column.name,
            typeOid: column.typeOid,
            typmod: column.typmod,
            // A row that holds NULL nevertheless makes the column optional.
            notNull: (before ?? after)?.notNull === true && after?.notNull !== false,
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
 * Under any other identity, only the catalog has a key: of the table or, if it was dropped, of the one with its name.
 */
function keyColumns(
  message: RelationMessage,
  announced: ReadonlySet<string>,
  newest: TableDefinition | null,
  known: TableDefinition | null,
  successor: TableDefinition | null,
): readonly string[] {
  // The announcement lacks generated columns that are not sent.
  const sentKey = ({ key, columns }: TableDefinition): readonly string[] => {
    const generated = new Set(columns.flatMap((column) => (column.generated ? [column.name] : [])));
    return key.filter((column) => announced.has(column) || !generated.has(column));
  };
  const candidates = [newest, known, successor].filter((table) => table !== null);
  const identity = message.columns.filter((column) => column.inIdentity).map((column) => column.name);
  if (message.replicaIdentity === 'd' && identity.length > 0) {
    const isIdentity = (key: readonly string[]): boolean =>
      key.length === identity.length && key.every((column) => identity.includes(column));
    return candidates.find((table) => isIdentity(sentKey(table)))?.key ?? identity;
  }
  if (newest !== null && (newest.key.length > 0 || successor === null)) return newest.key;
  // The key of another table is used as a whole or not at all.
  if (successor !== null && sentKey(successor).every((column) => announced.has(column))) return successor.key;
  return message.replicaIdentity === 'i' ? identity : [];
}

function sameColumn(announced: RelationMessage['columns'][number], column: CatalogColumn): boolean {
  return announced.name === column.name && announced.typeOid === column.typeOid && announced.typmod === column.typmod;
}
