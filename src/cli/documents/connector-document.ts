/** A connector as a file describes it. */
import { ConnectError } from '@millrace/sdk';
import type { InitialState } from '../../config/schema/registration-schema';

export interface ConnectorDocument {
  readonly name: string;
  /** As a worker returns it: with `name`, and with the labels as keys. `${NAME}` is replaced. */
  readonly config: Readonly<Record<string, string>>;
  /** For `POST /connectors`; the state is not part of the config. */
  readonly initialState?: InitialState;
  /** File, and which of its documents; for messages. */
  readonly place: string;
}

/** Bytes of a file. */
export const LARGEST_FILE = 1024 * 1024;
/** Files of a command line. */
export const MOST_FILES = 5000;
/** Connectors of a command line. */
export const MOST_DOCUMENTS = 5000;
const SHOWN_PROBLEMS = 20;

/** One or more problems, each a sentence that begins with its place. */
export function invalidDocuments(problems: readonly string[], cause?: unknown): ConnectError {
  const shown = problems.slice(0, SHOWN_PROBLEMS).map((problem) => `\n  ${problem}`);
  const more = problems.length - shown.length;
  const message =
    problems.length === 1
      ? (problems[0] as string)
      : `${problems.length} problems in connector documents:${shown.join('')}${more > 0 ? `\n  and ${more} more` : ''}`;
  return new ConnectError(message, { code: 'CLI_DOCUMENT_INVALID', cause });
}
