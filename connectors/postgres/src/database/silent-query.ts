/** `socketTimeout` of the JDBC driver: how long a query waits for bytes of the server. */
import { LONGEST_TIMER_MS } from '@millrace/sdk';
import type { Client } from 'pg';
import { connectionOf, runsQuery } from './pg-internals';

/**
 * Ends the connection, with an error that is worth a retry, when nothing arrives for so long while a query runs. A
 * connection at rest stays open. @param timeoutMs 0: never
 */
export function endWhenSilent(client: Client, timeoutMs: number): void {
  if (timeoutMs === 0) return;
  const { stream } = connectionOf(client);
  // The socket restarts the timeout with each read and write.
  stream.setTimeout(Math.min(timeoutMs, LONGEST_TIMER_MS));
  // A listener given to setTimeout would be called only once.
  stream.on('timeout', () => {
    const { bytesRead } = stream;
    // After a busy event loop, bytes may have arrived that are read only after its timers.
    setImmediate(() => {
      if (stream.bytesRead !== bytesRead || !runsQuery(client)) return;
      const error = new Error(
        `Connection terminated: a query has waited ${timeoutMs / 1000} s for the server (database.socketTimeout)`,
      );
      stream.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
    });
  });
}
