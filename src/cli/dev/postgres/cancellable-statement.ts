/** A statement that PostgreSQL cancels when a signal is aborted. */
import { connect } from 'node:net';
import { settledWithin } from '@millrace/sdk';
import type { Client } from 'pg';
import { databaseUrl, type ServerFile } from './server-file';
import { withDatabase } from './sql';

/** For PostgreSQL to confirm that it has canceled the statement. */
const CONFIRM_MS = 1_000;
const CANCEL_REQUEST = 80_877_102;
const QUERY_CANCELED = '57014';

export interface Result {
  readonly command: string | null;
  readonly rowCount: number | null;
  readonly rows: readonly unknown[];
}

/** `unsent`: aborted before PostgreSQL got the statement; `unconfirmed`: it has not answered since. */
export type Aborted = 'unsent' | 'canceled' | 'unconfirmed';

/** Resolves to the results, one per statement of the text, or soon after an abort. Rejects with PostgreSQL's error. */
export async function runStatement(
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
