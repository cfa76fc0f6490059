/** Classifies database errors: transient or not, and their error codes (cdc-postgres §5.10). */
import { ConnectError, RetriableError, isConnectError } from '@millrace/sdk';

/** SQLSTATE, or Node's error code; empty when there is none. */
export function errorCode(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

export function errorText(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(errorText).join('; ');
  if (!(error instanceof Error)) return String(error);
  return error.message === '' ? errorCode(error) : error.message;
}

const SQLSTATE = /^[0-9A-Z]{5}$/;
const NETWORK =
  /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EAI_AGAIN|ENOTFOUND|ERR_SOCKET|ERR_STREAM|ERR_TLS|ERR_SSL)/;
/** pg raises these without a code. */
const CONNECTION_TEXT =
  /Connection terminated|timeout expired|Client has encountered a connection error|not queryable/i;

/**
 * True when a retry on a new connection may succeed. False for authentication, missing objects and missing privileges:
 * endless retries would only hide them.
 */
export function isTransient(error: unknown): boolean {
  if (isConnectError(error)) return error.retriable;
  const code = errorCode(error);
  // E… codes of Node can look like a SQLSTATE (EPIPE), those of PostgreSQL never start with E.
  if (SQLSTATE.test(code) && !code.startsWith('E')) {
    if (code.startsWith('08') || code.startsWith('57P')) return true;
    // The server ended the session, because a transaction was idle or took too long.
    if (code === '25P03' || code === '25P04') return true;
    // Too many connections, out of memory or disk, serialization failures, lock timeouts, object in use.
    return code.startsWith('53') || code.startsWith('40') || code === '55P03' || code === '55006';
  }
  return NETWORK.test(code) || CONNECTION_TEXT.test(errorText(error));
}

/** The connection ended, or was not established: the server itself may be gone. */
export function isDisconnection(error: unknown): boolean {
  const cause = isConnectError(error) && error.cause !== undefined ? error.cause : error;
  return isTransient(error) && !/^(?:40|53|55)/.test(errorCode(cause));
}

/** How often a statement that the server canceled is repeated, where another attempt may succeed. */
export const CANCELED_RETRIES = 5;

/**
 * The server canceled the statement: for `statement_timeout`, or because `pg_cancel_backend` was called, which scripts
 * do for statements that run long. Not transient: a statement that always takes too long must fail at last.
 */
export function wasCanceled(error: unknown): boolean {
  const cause = isConnectError(error) ? error.cause : error;
  return errorCode(cause) === '57014';
}

/**
 * The server has the library and does not list it in `output_plugin_libraries`, as servers require since the fix of
 * CVE-2026-6471 (PostgreSQL 15.19). The hint names the setting in every language.
 */
export function refusesPlugin(error: unknown): boolean {
  const { hint } = (error ?? {}) as { hint?: unknown };
  return errorCode(error) === '42501' && typeof hint === 'string' && hint.includes('output_plugin_libraries');
}

/**
 * Row level security would leave rows out. The name of the server's function is the same in every language.
 */
export function refusesRows(error: unknown): boolean {
  const { routine } = (error ?? {}) as { routine?: unknown };
  return errorCode(error) === '42501' && routine === 'check_enable_rls';
}

/** The role may not open a replication connection or use slots. The routines are the same in every language. */
function refusesReplication(error: unknown): boolean {
  const { routine } = (error ?? {}) as { routine?: unknown };
  // check_permissions: before PostgreSQL 14.
  const routines = ['InitPostgres', 'CheckSlotPermissions', 'check_permissions'];
  return errorCode(error) === '42501' && routines.includes(routine as string);
}

const CODES: readonly (readonly [RegExp, string])[] = [
  [/^28/, 'PG_AUTHENTICATION'],
  [/^3D000/, 'PG_NO_DATABASE'],
  [/^42501/, 'PG_PRIVILEGE'],
  [/^42P01/, 'PG_NO_TABLE'],
  [/^55006/, 'PG_SLOT_ACTIVE'],
  [/^22(021|P05)/, 'PG_ENCODING'],
  [/^57014/, 'PG_CANCELED'],
  [/^53300/, 'PG_TOO_MANY_CONNECTIONS'],
  [/^57P0[123]/, 'PG_SERVER_SHUTDOWN'],
  [/^(ENOTFOUND|EAI_AGAIN)/, 'PG_UNKNOWN_HOST'],
  [/^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|08)/, 'PG_CONNECTION'],
];

/** What the server's message lacks, by code. */
const ADVICE: Readonly<Record<string, string>> = {
  PG_ENCODING:
    '. The database contains text that is not valid UTF-8, which SQL_ASCII permits. Find these bytes and correct them.',
  PG_PLUGIN_REFUSED:
    '. Add it to output_plugin_libraries in postgresql.conf, reload the configuration (SELECT pg_reload_conf()), and restart the task; or set plugin.name=pgoutput, with another slot.name if the slot exists.',
  PG_ROW_SECURITY:
    '. Rows would be missing without an error. As a superuser, run ALTER ROLE … BYPASSRLS for the role of database.user.',
  PG_ROLE_REPLICATION:
    '. As a superuser, run ALTER ROLE … WITH LOGIN REPLICATION for the role of database.user; on Amazon RDS, run GRANT rds_replication TO it.',
  PG_CANCELED: '. If it took too long, raise statement_timeout, for example in database.initial.statements.',
};

/** pg raises it without a code. */
const SCRAM_TEXT = /iteration count \d+ exceeds scramMaxIterations/;

function refusal(cause: unknown): string | null {
  if (SCRAM_TEXT.test(errorText(cause))) return 'PG_SCRAM_ITERATIONS';
  if (refusesPlugin(cause)) return 'PG_PLUGIN_REFUSED';
  if (refusesReplication(cause)) return 'PG_ROLE_REPLICATION';
  return refusesRows(cause) ? 'PG_ROW_SECURITY' : null;
}

/** Converts what a database call threw into a ConnectError; `doing` starts its message. */
export function databaseError(doing: string, cause: unknown): ConnectError {
  if (isConnectError(cause)) return cause;
  const sqlState = errorCode(cause);
  const transient = isTransient(cause);
  const known = refusal(cause) ?? CODES.find(([pattern]) => pattern.test(sqlState))?.[1];
  const code = known ?? (transient ? 'PG_CONNECTION' : 'PG_ERROR');
  const shown = SQLSTATE.test(sqlState) ? ` (SQLSTATE ${sqlState})` : '';
  const message = `${doing}: ${errorText(cause)}${shown}${ADVICE[code] ?? ''}`;
  const place: Record<string, string> = sqlState === '' ? {} : { sqlState };
  const options = { code, cause, place };
  return transient ? new RetriableError(message, options) : new ConnectError(message, options);
}
