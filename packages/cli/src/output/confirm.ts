/** Asks on a terminal before something is lost. */
import { createInterface } from 'node:readline/promises';
import type { Writable } from 'node:stream';
import { ConnectError } from '@millrace/sdk';
import { printableLines, unguarded } from './printable';
import type { Invocation } from '../program/command-spec';

/**
 * True with `--yes`, or if the answer is y or yes. Without a terminal there is no prompt.
 * @throws ConnectError `CLI_USAGE` without a terminal and `--yes`
 */
export async function confirm({ options, io }: Pick<Invocation, 'options' | 'io'>, question: string): Promise<boolean> {
  if (options.yes === true) return true;
  if (io.stdin.isTTY !== true || io.stderr.isTTY !== true)
    throw new ConnectError(`${question} Nothing was done: repeat the command with --yes.`, { code: 'CLI_USAGE' });
  const terminal = createInterface({
    input: io.stdin,
    output: unguarded(io.stderr) as unknown as Writable,
    terminal: true,
  });
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  try {
    const answer = await Promise.race([terminal.question(`${printableLines(question)} [y/N] `), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
