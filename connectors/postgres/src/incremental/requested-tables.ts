/** The tables that a signal adds to an incremental snapshot (cdc-postgres §4.9). */
import { qualified } from '../database/catalog';
import { unquoteTable } from '../database/identifiers';
import { conditionFor, exactMatcherOf, type SnapshotRequest } from '../signals/snapshot-request';
import type { Collection } from './snapshot-context';

/**
 * @param known names of the captured tables
 * @param queued names of the tables that are to be read anyway
 */
export function requestedTables(
  id: string,
  request: SnapshotRequest,
  known: readonly string[],
  queued: ReadonlySet<string>,
  signalTable: string | null,
  owns: ((table: string) => boolean) | null,
): Collection[] {
  const names = new Set<string>();
  for (const pattern of request.collections) {
    const matches = exactMatcherOf(pattern);
    const found = known.filter((table) => matches(table) && table !== signalTable).sort();
    const unknown = tableNamed(pattern);
    // A table that was created since may be in the catalog. The task of another slot reads its own.
    if (found.length === 0 && owns?.(unknown) !== false) found.push(unknown);
    for (const table of found) if (!queued.has(table)) names.add(table);
  }
  return [...names].map((table) => ({
    ...{ table, condition: conditionFor(request, table) },
    ...{ surrogateKey: request.surrogateKey, correlationId: id },
  }));
}

/** `schema.table` that a pattern without matches names. Either part may be quoted as in SQL. */
function tableNamed(pattern: string): string {
  const name = unquoteTable(pattern);
  return name === null ? pattern : qualified(name);
}
