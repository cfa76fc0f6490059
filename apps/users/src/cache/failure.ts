/** Classifies failed commands and describes them for operators. */
import { ErrorReply } from '@redis/client';

/**
 * Error codes of temporary conditions: a failover, a restart, a full or misconfigured server, a password rotation.
 */
const TRANSIENT = new Set([
  ...['LOADING', 'CLUSTERDOWN', 'MASTERDOWN', 'TRYAGAIN', 'READONLY', 'MOVED', 'ASK', 'NOREPLICAS', 'UNBLOCKED'],
  ...['BUSY', 'OOM', 'MISCONF', 'NOAUTH', 'WRONGPASS'],
]);

/** Whether the server rejects the command permanently, for example with NOPERM or WRONGTYPE. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ErrorReply && !TRANSIENT.has(error.message.split(' ', 1)[0] as string);
}

/** The Redis user lacks a right. */
export function isForbidden(error: unknown): boolean {
  return error instanceof ErrorReply && error.message.startsWith('NOPERM');
}

/** The server runs without cluster support. */
export function isNotCluster(error: unknown): boolean {
  return error instanceof ErrorReply && error.message.includes('cluster support disabled');
}

/** `CODE: message` of an error and its causes, with a hint if the message does not show what to do. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = (error as NodeJS.ErrnoException).code;
  const text = code && !error.message.includes(code) ? `${code}: ${error.message}` : error.message;
  const inner = error instanceof AggregateError ? error.errors.map(describeFailure).join(', ') : '';
  const cause = error.cause === undefined ? '' : ` (${describeFailure(error.cause)})`;
  return [text, inner].filter(Boolean).join(' ') + cause + hint(code, error.message);
}

function hint(code: string | undefined, message: string): string {
  if (message.startsWith('WRONGPASS')) return ' [check CACHE_USERNAME, the password, and that the user is on]';
  if (message.startsWith('NOPERM')) return ' [give the user of CACHE_USERNAME the rights in the README]';
  if (code === 'SELF_SIGNED_CERT_IN_CHAIN' || code === 'UNABLE_TO_VERIFY_LEAF_SIGNATURE')
    return ' [set CACHE_TLS_CA_FILE to the certificate of the CA that signed the server’s]';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return ' [CACHE_CLUSTER_ENDPOINT must name a host of the certificate, or set CACHE_TLS_SERVERNAME]';
  return '';
}

/** A connection closed before any response: a hint at TLS settings at the start, but normal in an outage. */
export function looksLikeWrongTls(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ECONNRESET' || code === 'EPROTO' || message === 'Socket closed unexpectedly';
}
