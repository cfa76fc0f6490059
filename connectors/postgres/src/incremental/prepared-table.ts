/** What a chunk of the current table of an incremental snapshot is read with. */
import { lastKeyQuery, type KeyValues } from '../database/key-range';
import type { Session } from '../session';
import { chunkTable, type ChunkTable } from './chunk-table';
import { ChunkWindow } from './chunk-window';
import { rowIdentity } from './row-identity';
import type { Collection, SnapshotContext } from './snapshot-context';
import type { ScanStatus } from './snapshot-notifications';

export interface PreparedTable {
  readonly table: ChunkTable;
  readonly window: ChunkWindow;
}

/**
 * Reads the catalog and, for its first chunk, the largest key. Resolves with a status if the table cannot be read or is
 * empty. Throws errors of the server.
 * @param isStale nobody waits for the result any more
 */
export async function prepareTable(
  session: Pick<Session, 'config' | 'facts' | 'relations' | 'general' | 'logger'>,
  context: SnapshotContext,
  isStale: () => boolean,
): Promise<PreparedTable | { readonly status: ScanStatus }> {
  const collection = context.current as Collection;
  const client = await session.general.get();
  const table = await chunkTable(session, client, collection);
  if ('status' in table) {
    if (!isStale())
      session.logger.warn(`PG_INCREMENTAL_SNAPSHOT: skipping table ${collection.table}, because it ${table.why}.`);
    return table;
  }
  const prepared = { table, window: new ChunkWindow(table.table, rowIdentity(table.table, table.model)) };
  if (isStale()) return prepared;
  context.keyTypes = table.keyTypes;
  const hasKeys = (key: KeyValues | null): boolean => key === null || key.length === table.key.length;
  if (!hasKeys(context.lastKey) || !hasKeys(context.maximumKey)) context.restartTable();
  if (context.maximumKey !== null) return prepared;
  const { rows } = await client.query({
    text: lastKeyQuery(table.from, table.key, table.condition),
    rowMode: 'array',
  });
  const [maximum] = rows as unknown as string[][];
  if (maximum === undefined) return { status: 'EMPTY' };
  if (!isStale()) context.maximumKey = maximum;
  return prepared;
}
