/** The error of a table whose rows cannot be read. */
import { ConnectError } from '@millrace/sdk';
import { databaseError, errorCode, errorText, refusesRows, wasCanceled } from '../database/errors';
import { quoteIdentifier } from '../database/identifiers';

/**
 * @param table `schema.table`
 * @param statement where the SELECT comes from, for example a setting; null: it is the connector's own
 */
export function snapshotError(table: string, statement: string | null, error: unknown): ConnectError {
  const quoted = table.split('.').map(quoteIdentifier).join('.');
  if (errorCode(error) === '42501' && !refusesRows(error))
    return new ConnectError(
      `Snapshotting of table ${table} failed: ${errorText(error)}. Run GRANT SELECT ON ${quoted} TO the role of database.user;`,
      { code: 'PG_PRIVILEGE', cause: error, place: { table } },
    );
  const hint =
    statement === null || wasCanceled(error) || refusesRows(error)
      ? ''
      : ` (check ${statement}: the result must have all captured columns)`;
  return databaseError(`Snapshotting of table ${table} failed${hint}`, error);
}
