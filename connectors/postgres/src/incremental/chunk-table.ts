/** How the current table of an incremental snapshot is read: its columns and the key that orders its rows. */
import { ConnectError } from '@millrace/sdk';
import type { Client } from 'pg';
import { findTables, qualified, readTables, type CatalogTable } from '../database/catalog';
import { errorText, isTransient, wasCanceled } from '../database/errors';
import { quoteIdentifier, quoteTable } from '../database/identifiers';
import { lastKeyQuery, type KeyValues } from '../database/key-range';
import { hiddenRows } from '../database/row-security';
import { singleStatement } from '../database/single-statement';
import { keyColumns, type TableModel } from '../events/table-model';
import type { Session } from '../session';
import { keyOrder, readKeyTypes, type KeyType } from './key-type';
import type { Collection } from './snapshot-context';
import { checkUnaltered, definitionMark, whileUnaltered, type ReadDefinition } from './table-definition';

export interface ChunkTable {
  readonly table: CatalogTable;
  readonly model: TableModel;
  /** Quoted. */
  readonly from: string;
  /** Names of the columns that order the rows. */
  readonly key: readonly string[];
  readonly keyTypes: readonly KeyType[];
  /** See `keyOrder`. */
  readonly order: string;
  /** See `definitionMark`. */
  readonly definition: string;
  readonly isUnique: boolean;
  readonly condition: string | null;
}

/** Why a table cannot be read: status of Debezium's notification, and a sentence for the log. */
interface Unreadable {
  readonly status: 'UNKNOWN_SCHEMA' | 'NO_PRIMARY_KEY';
  readonly why: string;
}

type State = Pick<Session, 'config' | 'facts' | 'relations'>;

/**
 * Reads the catalog, because the table may have been altered since the last chunk. Waits for the lock of the table.
 * Throws errors of the server.
 */
export async function chunkTable(
  session: State,
  client: Client,
  collection: Collection,
): Promise<ChunkTable | Unreadable> {
  const found = (await findTables(client, session.config.filters)).find((one) => qualified(one) === collection.table);
  if (found === undefined) return UNKNOWN;
  const read = { table: found, definition: await definitionMark(client, found.oid) };
  const table = await whileUnaltered(
    () => Promise.resolve(client),
    read,
    () => readable(session, client, collection, read),
  );
  // Its queries may have seen different definitions.
  await checkUnaltered(client, read);
  return table;
}

const UNKNOWN: Unreadable = { status: 'UNKNOWN_SCHEMA', why: 'is not a captured table of the database' };

async function readable(
  { config, facts, relations }: State,
  client: Client,
  { condition, surrogateKey }: Collection,
  { table: { oid }, definition }: ReadDefinition,
): Promise<ChunkTable | Unreadable> {
  const [table] = await readTables(client, [oid], facts.version);
  if (table === undefined) return UNKNOWN;
  if (table.rowSecurity) throw hiddenRows([table], facts.user);
  const key = surrogateKey === null ? keyColumns(config, table) : [surrogateKey];
  const columns = key.flatMap((column) => table.columns.find((one) => one.name === column) ?? []);
  if (columns.length < key.length)
    return {
      status: 'NO_PRIMARY_KEY',
      why: `has no column "${surrogateKey}", which the signal names as surrogate-key`,
    };
  if (key.length === 0)
    return {
      status: 'NO_PRIMARY_KEY',
      why: 'has neither a primary key nor a unique index; name a column as surrogate-key or in message.key.columns',
    };
  const isUnique = table.key.length > 0 && table.key.every((column) => key.includes(column));
  if (!isUnique && facts.version < 130000)
    return {
      status: 'NO_PRIMARY_KEY',
      why: `is to be read by ${key.join(', ')}, which is not unique; this needs PostgreSQL 13`,
    };
  const from = quoteTable(table);
  const nullable = columns.filter((column) => !column.notNull);
  if (nullable.length > 0) {
    const isNull = nullable.map((column) => `${quoteIdentifier(column.name)} IS NULL`).join(' OR ');
    const { rowCount } = await client.query(`SELECT FROM ${from} WHERE ${isNull} LIMIT 1`);
    if ((rowCount ?? 0) > 0)
      return { status: 'NO_PRIMARY_KEY', why: `has rows with NULL in ${key.join(', ')}, by which it is to be read` };
  }
  await checkCondition(client, from, condition);
  const models = await relations.load(client, [table]);
  const model = models.get(table.oid) as TableModel;
  const keyTypes = await readKeyTypes(
    client,
    columns.map((column) => column.typeOid),
  );
  const order = await keyOrder(client, oid, key);
  return { table, model, from, key, keyTypes, order, definition, isUnique, condition };
}

/** Null: the table has no rows. */
export async function maximumKey(client: Client, { from, key, condition }: ChunkTable): Promise<KeyValues | null> {
  const { rows } = await client.query({ text: lastKeyQuery(from, key, condition), rowMode: 'array' });
  return (rows as unknown as string[][])[0] ?? null;
}

/**
 * Throws when the filter of a signal is not one condition. In the parentheses of the query of a chunk, `a) OR (b` is
 * valid and lets rows of other chunks through, so that reading would never end; without parentheses it is not valid.
 * Without a filter, this waits for the lock of the table, so that the query of the chunk seldom does.
 */
async function checkCondition(client: Client, from: string, condition: string | null): Promise<void> {
  if (condition === null) {
    await client.query(`EXPLAIN SELECT FROM ${from}`);
    return;
  }
  try {
    await client.query(singleStatement(`EXPLAIN SELECT FROM ${from} WHERE ${condition}`));
  } catch (error) {
    if (isTransient(error) || wasCanceled(error)) throw error;
    const message = `the filter of the signal is not a condition: ${errorText(error)}`;
    throw new ConnectError(message, { code: 'PG_INCREMENTAL_SNAPSHOT', cause: error });
  }
}
