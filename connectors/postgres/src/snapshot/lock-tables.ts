/** Locks on tables before they are read: `snapshot.locking.mode=shared` (cdc-postgres §4.2), and for resuming. */
import type { Client } from 'pg';
import { qualified, type TableName } from '../database/catalog';
import { databaseError, errorCode } from '../database/errors';
import { quoteTable } from '../database/identifiers';

/**
 * Holds ACCESS SHARE until the transaction ends, so that no definition changes before the table is read. A table that
 * no longer exists is left to the reader. Throws a RetriableError when a lock is not free in time.
 */
export async function lockTables(client: Client, tables: readonly TableName[], timeoutMs: number): Promise<void> {
  await client.query(`SET LOCAL lock_timeout = ${timeoutMs}`);
  for (const table of tables) {
    await client.query('SAVEPOINT millrace_lock');
    try {
      await client.query(`LOCK TABLE ${quoteTable(table)} IN ACCESS SHARE MODE`);
      await client.query('RELEASE SAVEPOINT millrace_lock');
    } catch (error) {
      if (errorCode(error) !== '42P01')
        throw databaseError(
          `Table ${qualified(table)} could not be locked (snapshot.locking.mode=shared, snapshot.lock.timeout.ms=${timeoutMs})`,
          error,
        );
      await client.query('ROLLBACK TO SAVEPOINT millrace_lock');
    }
  }
  await client.query('SET LOCAL lock_timeout TO DEFAULT');
}

/**
 * Keeps the rows of these tables in their blocks until the transaction ends: VACUUM FULL, CLUSTER and ALTER TABLE wait.
 * Without it, they could move unread rows into blocks that an earlier attempt has read. Reads nothing: unlike LOCK
 * TABLE, a SELECT needs the privilege for one column only, and locks the partitions, too.
 */
export async function holdBlocks(client: Client, tables: readonly TableName[]): Promise<void> {
  for (const table of tables) {
    try {
      await client.query(
        `SAVEPOINT millrace_lock; SELECT FROM ${quoteTable(table)} LIMIT 0; RELEASE SAVEPOINT millrace_lock`,
      );
    } catch (error) {
      if (errorCode(error) !== '42P01') throw databaseError(`Table ${qualified(table)} could not be locked`, error);
      await client.query('ROLLBACK TO SAVEPOINT millrace_lock');
    }
  }
}
