/** `millrace dev --sql STATEMENT`: runs a statement in the database of `millrace dev --seed`. */
import { join } from 'node:path';
import { ConnectError } from '@millrace/sdk';
import { EXIT } from '../exit-codes';
import type { CliIo } from '../io';
import { postgresError } from './postgres/error';
import { databaseUrl, readServerFile } from './postgres/server-file';
import { withDatabase } from './postgres/sql';

interface Result {
  readonly command: string | null;
  readonly rowCount: number | null;
  readonly rows: readonly unknown[];
}

/** Prints each row as JSON, then `INSERT 1`. Rejects with `DEV_POSTGRES` or `DEV_SQL_FAILED`. */
export async function runSql(statement: string, dataDir: string, io: CliIo): Promise<number> {
  const folder = join(dataDir, 'postgres');
  const server = readServerFile(folder);
  if (!server) throw postgresError(`There is no database in ${folder}: start one with millrace dev --seed.`);
  const results = await withDatabase(databaseUrl(server), async (client) => {
    const found = (await client.query(statement)) as Result | Result[];
    return Array.isArray(found) ? found : [found];
  }).catch((error: Error & { code?: string }) => {
    if (error.code === 'ECONNREFUSED')
      throw postgresError(`The database in ${folder} is not running: start it with millrace dev --seed.`, error);
    throw new ConnectError(`PostgreSQL refused the statement: ${error.message}.`, {
      code: 'DEV_SQL_FAILED',
      cause: error,
    });
  });
  for (const { rows } of results) for (const row of rows) io.stdout.write(`${JSON.stringify(row)}\n`);
  for (const { command, rowCount } of results)
    io.stderr.write(`${[command, rowCount].filter((part) => part !== null).join(' ')}\n`);
  return EXIT.success;
}
