/** Runs the `millrace` command. Resolves to the exit code; see `exit-codes.ts`. */
import { CONNECT_VERSION, MILLRACE_VERSION } from '../version';
import { COMMANDS } from './commands';
import type { CliIo } from './io';
import { fail } from './output/fail';
import { guardedIo } from './output/printable';
import { parseCommandLine } from './program/parse-command-line';

const VERSION = new Set(['version', '--version', '-v', '-V']);

export async function runCli(args: readonly string[], given: CliIo): Promise<number> {
  const io = guardedIo(given);
  const [first, ...rest] = args;
  if (first !== undefined && VERSION.has(first)) return printVersion(io);
  // Asked by the scripts of `millrace completion`, not by people, so it is no command.
  if (first === '__complete') return await loadCompletion().complete(rest, io, COMMANDS);
  const parsed = parseCommandLine(first === 'help' ? [...rest, '--help'] : args, io, COMMANDS);
  if (typeof parsed === 'number') return parsed;
  try {
    return await parsed.run(parsed.invocation);
  } catch (error) {
    return fail(io, error);
  }
}

function printVersion(io: Pick<CliIo, 'stdout'>): number {
  io.stdout.write(`millrace ${MILLRACE_VERSION} (Kafka Connect ${CONNECT_VERSION})\n`);
  return 0;
}

function loadCompletion(): typeof import('./completion/complete') {
  return require('./completion/complete') as typeof import('./completion/complete');
}
