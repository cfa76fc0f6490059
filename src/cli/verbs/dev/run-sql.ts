/** `millrace dev --sql STATEMENT`: runs a statement in the database of `millrace dev --seed`. */
import { connect } from 'node:net';
import { join } from 'node:path';
import { type CliIo, EXIT } from '@millrace/cli';
import { interruptible } from '@millrace/cli/terminal';
import { ConnectError, settledWithin, startTimer } from '@millrace/sdk';
import type { Client } from 'pg';
import { databaseUrl, isSilence, readServerFile, type ServerFile, withDatabase } from './postgres/database';

/** For PostgreSQL to confirm that it has canceled the statement. */
const CONFIRM_MS = 1_000;
const CANCEL_REQUEST = 80_877_102;
const QUERY_CANCELED = '57014';

export interface SqlOptions {
  readonly dataDir: string;
  /** For connecting and the statement. */
  readonly timeoutSeconds: number;
}

interface Result {
  readonly command: string | null;
  readonly rowCount: number | null;
  readonly rows: readonly unknown[];
}

/** `unsent`: aborted before PostgreSQL got the statement; `unconfirmed`: it has not answered since. */
type Aborted = 'unsent' | 'canceled' | 'unconfirmed';

/**
 * Prints each row as JSON, then `INSERT 1`. A signal or the timeout cancels the statement. Rejects with
 * `DEV_POSTGRES_ABSENT`, `DEV_SQL_TIMEOUT` or `DEV_SQL_FAILED`.
 */
export async function runSql(statement: string, options: SqlOptions, io: CliIo): Promise<number> {
  const { dataDir, timeoutSeconds } = options;
  const folder = join(dataDir, 'postgres');
  const server = readServerFile(folder);
  if (!server) throw absent(`There is no database in ${folder}: start one with millrace dev --seed.`);
  return await interruptible(io, async ({ stopping, isSignalled }) => {
    const timer = startTimer(() => stopping.abort(), timeoutSeconds * 1000);
    try {
      const outcome = await runStatement(server, statement, stopping.signal);
      if (typeof outcome !== 'string') return print(outcome, io);
      if (!isSignalled()) throw timeout(outcome, folder, timeoutSeconds);
      if (outcome === 'canceled') io.stderr.write('millrace: PostgreSQL has canceled the statement.\n');
      else if (outcome === 'unconfirmed')
        io.stderr.write('millrace: PostgreSQL does not respond, and may still carry out the statement.\n');
      return EXIT.interrupted;
    } catch (error) {
      throw sqlError(error as Error, folder);
    } finally {
      clearTimeout(timer);
    }
  });
}

function print(results: readonly Result[], io: CliIo): number {
  for (const { rows } of results) for (const row of rows) io.stdout.write(`${JSON.stringify(row)}\n`);
  for (const { command, rowCount } of results)
    io.stderr.write(`${[command, rowCount].filter((part) => part !== null).join(' ')}\n`);
  return EXIT.success;
}

function absent(message: string, cause?: unknown): ConnectError {
  return new ConnectError(message, { code: 'DEV_POSTGRES_ABSENT', cause });
}

function timeout(outcome: Aborted, folder: string, seconds: number): ConnectError {
  const silent = `The database in ${folder} does not respond`;
  const messages: Readonly<Record<Aborted, string>> = {
    unsent: `${silent}: restart millrace dev --seed.`,
    unconfirmed: `${silent}, and may still carry out the statement: restart millrace dev --seed.`,
    canceled: `The statement did not finish within ${seconds} s, and PostgreSQL has canceled it: end what it waits for, or raise --timeout.`,
  };
  return new ConnectError(messages[outcome], { code: 'DEV_SQL_TIMEOUT' });
}

function sqlError(error: Error & { readonly code?: string }, folder: string): Error {
  if (error instanceof ConnectError) return error;
  if (error.code === 'ECONNREFUSED')
    return absent(`The database in ${folder} is not running: start it with millrace dev --seed.`, error);
  if (isSilence(error)) return timeout('unsent', folder, 0);
  return new ConnectError(`PostgreSQL refused the statement: ${error.message}.`, {
    code: 'DEV_SQL_FAILED',
    cause: error,
  });
}

/** Resolves to the results, one per statement of the text, or soon after an abort. Rejects with PostgreSQL's error. */
async function runStatement(
  server: ServerFile,
  statement: string,
  signal: AbortSignal,
): Promise<readonly Result[] | Aborted> {
  const aborted = new Promise<'aborted'>((resolve) =>
    signal.addEventListener('abort', () => resolve('aborted'), { once: true }),
  );
  let isSent = false;
  const work = withDatabase(
    databaseUrl(server),
    async (client): Promise<readonly Result[] | Aborted> => {
      if (signal.aborted) return 'unsent';
      isSent = true;
      const answer = client.query(statement).then((found) => (Array.isArray(found) ? found : [found]) as Result[]);
      const first = await Promise.race([answer, aborted]);
      if (first !== 'aborted') return first;
      requestCancel(server, client);
      return await settledWithin(answer.catch(canceled), CONFIRM_MS, 'unconfirmed');
    },
    { queryTimeoutMs: 0 },
  );
  const end = aborted.then(async () => (isSent ? await work : 'unsent'));
  return await Promise.race([work, end]);
}

function canceled(error: Error & { readonly code?: string }): Aborted {
  if (error.code === QUERY_CANCELED) return 'canceled';
  throw error;
}

/** Sends it and does not wait: a frozen server carries it out when it continues. */
function requestCancel({ port }: ServerFile, client: Client): void {
  const { processID, secretKey } = client as unknown as { readonly processID: number; readonly secretKey: number };
  const request = Buffer.alloc(16);
  [request.length, CANCEL_REQUEST, processID, secretKey].forEach((value, i) => request.writeInt32BE(value, 4 * i));
  const socket = connect(port, '127.0.0.1', () => socket.end(request));
  socket.on('error', () => undefined).unref();
}
