/** Reports an error of a command. */
import { isConnectError } from '@millrace/sdk';
import { EXIT } from '../exit-codes';
import type { CliIo } from '../io';
import { indentedLines } from './printable';

/** Characters of a message that are shown. */
const LONGEST = 16 * 1024;
/** Error codes with an exit code of their own. */
const EXIT_CODES: Readonly<Record<string, number>> = {
  CLI_USAGE: EXIT.usage,
  CLI_CONTEXT_INVALID: EXIT.usage,
  PREVIEW_OFFSETS: EXIT.usage,
  CLI_DOCUMENT_INVALID: EXIT.usage,
  REST_UNREACHABLE: EXIT.unreachable,
  EMBEDDED_BROKER_ABSENT: EXIT.unreachable,
  DEV_POSTGRES_ABSENT: EXIT.unreachable,
  DEV_SQL_TIMEOUT: EXIT.unreachable,
  CONNECTION_FAILED: EXIT.unreachable,
  REQUEST_TIMED_OUT_CLIENT: EXIT.unreachable,
  REST_WORKER_UNHEALTHY: EXIT.unreachable,
  REST_NOT_FOUND: EXIT.notFound,
  REST_NO_ROUTE: EXIT.notFound,
  TOPIC_NOT_FOUND: EXIT.notFound,
  CODE_NOT_FOUND: EXIT.notFound,
};

/** Writes the error to stderr as one sentence and returns the exit code. The message may be a server's. */
export function fail(io: Pick<CliIo, 'stderr'>, error: unknown): number {
  const text = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  // Node's codes, such as ENOENT, are in no page.
  const isOwn = isConnectError(error) || /^(?!ERR_)[A-Z]+(?:_[A-Z]+)+$/.test(code);
  const shown = isOwn ? ` (${code})` : '';
  io.stderr.write(`millrace: ${indentedLines(text.slice(0, LONGEST))}${shown}\n`);
  return exitCodeOf(error);
}

export function exitCodeOf(error: unknown): number {
  const code = codeOf(error);
  return (Object.hasOwn(EXIT_CODES, code) && EXIT_CODES[code]) || EXIT.failed;
}

/** Errors of the Kafka client have codes, too. Empty without one. */
function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}
