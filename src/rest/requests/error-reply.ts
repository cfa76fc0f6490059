/** Converts an error to a status and a message. Source: connect-rest §2.1. */
import { isConnectError } from '@millrace/sdk';
import { boundedText } from '@millrace/texts/redaction';
import { CONFLICT, HerderError, NO_LEADER, NotHereError } from '../../cluster/errors';
import { ValidationError } from '../../config/validation/validation-error';
import { quoting } from '../../logging/line-subject';
import type { Logger } from '../../logging/logger';
import { RestError } from '../http/rest-error';
import { JsonSyntaxError } from '../json/tree';
import type { ErrorReply } from './route';

/** Limits messages, which may quote the request. Characters. */
const MESSAGE_LIMIT = 32_768;
/** Start of Java's texts for retriable conflicts. A 409 also reports a name that is in use. */
const RETRIABLE = /^Cannot complete request/;
const RETRY_AFTER_S = 1;

function headers(retryAfterS: number | null, challenge: string | null): Record<string, string> {
  return {
    ...(retryAfterS === null ? {} : { 'Retry-After': String(retryAfterS) }),
    ...(challenge === null ? {} : { 'WWW-Authenticate': challenge }),
  };
}

/**
 * Logs unexpected errors with their stack. Errors of the client are not logged.
 * @param connector whose plugins and servers failures come from. Null: no connector
 */
export function errorReply(error: unknown, logger: Logger, connector: string | null): ErrorReply {
  // A failure may quote the settings of the connector or of the worker; a refusal quotes the request, which is returned
  // as it was sent.
  const failure = (status: number, message: string): ErrorReply => {
    logger.error(`A request failed: ${message}`, { error, ...quoting(connector) });
    const options = { owners: connector, words: true };
    return reply(status, message === '' ? null : boundedText(message, MESSAGE_LIMIT, options));
  };
  const reply = (status: number, message: string | null, typed = true): ErrorReply => {
    const isRetriable = status === 409 && RETRIABLE.test(message ?? '');
    const requested = error instanceof RestError ? error.retryAfterS : null;
    const challenge = error instanceof RestError ? error.challenge : null;
    const retryAfter = requested ?? (isRetriable ? RETRY_AFTER_S : null);
    return {
      status,
      ...(error instanceof RestError && error.plain ? { text: error.message } : {}),
      body: { error_code: status, message: message && boundedText(message, MESSAGE_LIMIT) },
      typed,
      ...(retryAfter === null && challenge === null ? {} : { headers: headers(retryAfter, challenge) }),
    };
  };
  if (error instanceof RestError) return reply(error.status, error.message, !error.routing);
  if (error instanceof JsonSyntaxError) return reply(error.status, error.message);
  if (error instanceof HerderError || error instanceof ValidationError) {
    // The response contains only Java's text, so the cause is logged.
    if (error.status >= 500) return failure(error.status, error.message);
    return reply(error.status, error.message);
  }
  // The write was dropped, because another worker may have become the leader.
  if (isConnectError(error) && error.code === 'CONFIG_WRITE_DROPPED') return reply(409, CONFLICT);
  if (error instanceof NotHereError) return reply(409, error.url === null ? NO_LEADER : CONFLICT);
  return failure(500, error instanceof Error ? error.message : String(error));
}
