/** What a chunk of the current table of an incremental snapshot is read with. */
import type { Session } from '../session';
import type { ChunkReader } from './chunk-reader';
import { chunkTable, maximumKey, type ChunkTable } from './chunk-table';
import { ChunkWindow } from './chunk-window';
import { rowIdentity } from './row-identity';
import type { Collection, SnapshotContext } from './snapshot-context';
import type { ScanStatus } from './snapshot-notifications';
import { whileUnaltered } from './table-definition';

export interface PreparedTable {
  readonly table: ChunkTable;
  readonly window: ChunkWindow;
}

/**
 * Reads the catalog and, for its first chunk, the largest key. Resolves with a status if the table cannot be read or is
 * empty. Throws errors of the server.
 * @param isStale the result is no longer needed
 * @param beginAnew its key is another one than that of the last chunk
 */
export async function prepareTable(
  session: Pick<Session, 'config' | 'facts' | 'relations' | 'general' | 'logger'>,
  reader: ChunkReader,
  context: SnapshotContext,
  isStale: () => boolean,
  beginAnew: () => void,
): Promise<PreparedTable | { readonly status: ScanStatus }> {
  const collection = context.current as Collection;
  const table = await reader.prepare((client) => chunkTable(session, client, collection));
  if ('status' in table) {
    if (!isStale())
      session.logger.warn(`PG_INCREMENTAL_SNAPSHOT: skipping table ${collection.table}, because it ${table.why}.`);
    return table;
  }
  const prepared = { table, window: new ChunkWindow(table.table, table.model, rowIdentity(table.table, table.model)) };
  if (isStale()) return prepared;
  if (!context.follow(table.key, table.keyTypes, table.order)) {
    session.logger.warn(
      `PG_INCREMENTAL_SNAPSHOT: the key of table ${collection.table}, in whose order the incremental snapshot reads it, has changed; reading the table from its beginning.`,
    );
    beginAnew();
  }
  if (context.maximumKey !== null) return prepared;
  const maximum = await whileUnaltered(
    () => session.general.get(),
    table,
    () => reader.prepare((client) => maximumKey(client, table)),
  );
  if (maximum === null) return { status: 'EMPTY' };
  if (!isStale()) context.maximumKey = maximum;
  return prepared;
}
