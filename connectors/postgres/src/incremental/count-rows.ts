/** Counts the rows of a table that an incremental snapshot reads, for its notifications (cdc-postgres §4.12). */
import type { Client } from 'pg';
import { closeConnection, openConnection } from '../database/connection';
import { rowCountQuery, type KeyValues } from '../database/key-range';
import type { Session } from '../session';
import type { RowCount } from './chunk-progress';
import type { ReadChunk } from './chunk-reader';
import type { ChunkTable } from './chunk-table';

/** An exact count of a large table would delay its rows. */
const COUNT_MS = 5000;

/**
 * Resolves with null when the rows cannot be counted. On a connection of its own, because other tasks of the connector
 * wait for the general one. The number is the planner's estimate if counting takes longer than 5 s.
 * @param read the chunk that was read after the key `after`; usually, it is all there is
 */
export async function countRows(
  { config, logger }: Pick<Session, 'config' | 'logger'>,
  { from, key, condition, table }: ChunkTable,
  after: KeyValues | null,
  upTo: KeyValues,
  read: Pick<ReadChunk, 'rows' | 'lastKey'>,
): Promise<RowCount | null> {
  if (after === null && String(read.lastKey) === String(upTo)) return { total: read.rows.length, done: 0 };
  let client: Client | null = null;
  const query = (bound: KeyValues): string => rowCountQuery({ from, key, condition, upTo: bound });
  try {
    ({ client } = await openConnection(config.connection, 'Snapshot'));
    await client.query(`SET statement_timeout = ${COUNT_MS}`);
    const count = (bound: KeyValues): Promise<number> => counted(client as Client, query(bound));
    return { total: await count(upTo), done: after === null ? 0 : await count(after) };
  } catch (error) {
    logger.debug(`The rows of ${table.name} are not counted: ${(error as Error).message}`);
    return null;
  } finally {
    await closeConnection(client);
  }
}

async function counted(client: Client, query: string): Promise<number> {
  try {
    const { rows } = await client.query(query);
    return Number((rows[0] as { count: string }).count);
  } catch {
    const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${query.replace('SELECT count(*)', 'SELECT')}`);
    const [{ Plan: plan }] = (rows[0] as { 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] })['QUERY PLAN'];
    return plan['Plan Rows'];
  }
}
