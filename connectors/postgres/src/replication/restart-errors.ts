/** Errors of streams that a restart of the task may cure: the worker restarts it. */
import { ConnectError, isConnectError, RetriableError } from '@millrace/sdk';
import { errorCode, errorText } from '../database/errors';

/** Of a standby that may have what is missing when the failover is over. */
export function inRecovery(why: string, slot: string): RetriableError {
  return new RetriableError(`The server is in recovery: ${why}`, { code: 'PG_IN_RECOVERY', place: { slot } });
}

/** What a standby may receive, or its promotion bring. */
const MAY_COME = new Set(['PG_POSITION_LOST', 'PG_SLOT_LOST', 'PG_PUBLICATION_MISSING']);

/** SQLSTATE of statements that a standby refuses: writes, and changes of slots that it synchronizes. */
const REFUSED = new Set(['25006', '55000']);

/** The error of a start that continues a stored position on a standby: the worker tries it again. */
export function orInRecovery(error: unknown, slot: string): unknown {
  const waits = isConnectError(error) ? MAY_COME.has(error.code) : REFUSED.has(errorCode(error));
  return waits ? inRecovery(errorText(error), slot) : error;
}

/** Of a stream that cannot continue, but whose task can start again. */
export function curedByRestart({ message, code, place }: ConnectError): ConnectError {
  return new ConnectError(message, { code, place, cause: new RetriableError(message, { code, place }) });
}
