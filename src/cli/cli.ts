/** Runs the `millrace` command. Resolves to the exit code; see `exit-codes.ts`. */
import { loadCompletion } from './commands/load-completion';
import { fail } from './fail';
import type { CliIo } from './io';
import { guardedIo } from './output/guarded-io';
import { parseCommandLine } from './program/parse-command-line';
import { printVersion } from './version';

const VERSION = new Set(['version', '--version', '-v', '-V']);

export async function runCli(args: readonly string[], given: CliIo): Promise<number> {
  const io = guardedIo(given);
  const [first, ...rest] = args;
  if (first !== undefined && VERSION.has(first)) return printVersion(io);
  // Asked by the scripts of `millrace completion`, not by people, so it is no command.
  if (first === '__complete') return await loadCompletion().complete(rest, io);
  const parsed = parseCommandLine(first === 'help' ? [...rest, '--help'] : args, io);
  if (typeof parsed === 'number') return parsed;
  try {
    return await parsed.run(parsed.invocation);
  } catch (error) {
    return fail(io, error);
  }
}
