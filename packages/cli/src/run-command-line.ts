/** Runs a command line. Resolves to the exit code; see `exit-codes.ts`. */
import type { CliIo } from './io';
import { guardedIo } from './output/printable';
import type { CommandCatalogue } from './program/command-spec';
import { parseCommandLine } from './program/parse-command-line';
import { commandIndex } from './program/shared-options';

const VERSION = new Set(['version', '--version', '-v', '-V']);

/** @param version what `--version` prints, one line */
export async function runCommandLine(
  args: readonly string[],
  given: CliIo,
  commands: CommandCatalogue,
  version: string,
): Promise<number> {
  const io = guardedIo(given);
  const at = commandIndex(args);
  const [first, ...rest] = args.slice(at);
  if (first !== undefined && VERSION.has(first)) {
    io.stdout.write(`${version}\n`);
    return 0;
  }
  // Asked by the scripts of `millrace completion`, not by people, so it is no command.
  if (first === '__complete') return await loadCompletion().complete(rest, io, commands);
  const parsed = parseCommandLine(first === 'help' ? [...args.slice(0, at), ...rest, '--help'] : args, io, commands);
  if (typeof parsed === 'number') return parsed;
  try {
    return await parsed.run(parsed.invocation);
  } catch (error) {
    return loadFail().fail(io, error);
  }
}

function loadCompletion(): typeof import('./completion/complete') {
  return require('./completion/complete') as typeof import('./completion/complete');
}

/** On demand, because it loads all of the SDK. */
function loadFail(): typeof import('./output/fail') {
  return require('./output/fail') as typeof import('./output/fail');
}
