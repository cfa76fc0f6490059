/** Reports an error of a command. */
import { isConnectError } from '@millrace/sdk';
import { EXIT } from './exit-codes';
import type { CliIo } from './io';

/** Error codes with an exit code of their own. */
const EXIT_CODES: Readonly<Record<string, number>> = {
  CLI_USAGE: EXIT.usage,
  CLI_CONTEXT_INVALID: EXIT.usage,
  PREVIEW_DOCUMENT: EXIT.usage,
  PREVIEW_OFFSETS: EXIT.usage,
  CLI_DOCUMENT_INVALID: EXIT.usage,
  REST_UNREACHABLE: EXIT.unreachable,
  REST_NOT_FOUND: EXIT.notFound,
};

/** Writes the error to stderr as one sentence and returns the exit code. */
export function fail(io: Pick<CliIo, 'stderr'>, error: unknown): number {
  const text = error instanceof Error ? error.message : String(error);
  const code = isConnectError(error) ? error.code : undefined;
  io.stderr.write(`millrace: ${text}${code === undefined ? '' : ` (${code})`}\n`);
  return (code !== undefined && EXIT_CODES[code]) || EXIT.failed;
}
