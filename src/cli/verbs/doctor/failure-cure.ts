/** What to do about a failed connector or task, by the row of its code in docs/errors.md. */
import { isRunnable, shellQuote } from '@millrace/cli/terminal';
import type { Finding } from '@millrace/sdk';
import { traceReason } from '@millrace/texts/redaction';
import { type ErrorEntry, readErrorPage } from '../../../logging/error-page';

type Cure = Pick<Finding, 'cure' | 'statements'>;

/** A command of a row, with the connector's name as NAME. */
const COMMAND = /`(millrace [^`]*\bNAME\b[^`]*)`/g;
/** What an operator has to fill in. */
const BLANK = /\b(?:FILE|TOPIC)\b/;

/**
 * Pure. A row with commands says itself whether a restart helps. Its only command, if it is complete, is the statement;
 * otherwise an operator chooses.
 * @param restart command that restarts what has failed
 */
export function failureCure(trace: string, name: string, restart: string, entries = pageEntries()): Cure {
  const { code } = traceReason(trace);
  const cure = entries.find((entry) => entry.code === code)?.cure;
  if (cure === undefined || cure === '')
    return { cure: 'Correct the cause, then restart what failed.', statements: [restart] };
  const quoted = shellQuote(name);
  const named = (command: string): string => (isRunnable(quoted) ? command.replace(/\bNAME\b/, () => quoted) : command);
  const commands = [...cure.matchAll(COMMAND)].map(([, command = '']) => command);
  const [only] = commands;
  if (only === undefined) return { cure: `${cure} Then restart what failed.`, statements: [restart] };
  const isComplete = commands.length === 1 && !BLANK.test(only) && isRunnable(quoted);
  return { cure: cure.replace(COMMAND, named), ...(isComplete && { statements: [named(only)] }) };
}

function pageEntries(): readonly ErrorEntry[] {
  try {
    return readErrorPage();
  } catch {
    // An installation without the page has the general cure only.
    return [];
  }
}
