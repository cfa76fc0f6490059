import { isConnectError, RetriableError } from '@millrace/sdk';

/** Of a standby that may have what is missing when the failover is over. */
export function inRecovery(why: string, slot: string): RetriableError {
  return new RetriableError(`The server is in recovery: ${why}`, { code: 'PG_IN_RECOVERY', place: { slot } });
}

/** What a standby may receive, or its promotion bring. */
const MAY_COME = new Set(['PG_POSITION_LOST', 'PG_SLOT_LOST', 'PG_PUBLICATION_MISSING']);

/** The error of a start that continues a stored position on a standby: the worker tries it again. */
export function orInRecovery(error: unknown, slot: string): unknown {
  return isConnectError(error) && MAY_COME.has(error.code) ? inRecovery(error.message, slot) : error;
}
