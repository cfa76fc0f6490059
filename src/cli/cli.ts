/** Runs the `millrace` command. Resolves to the exit code; see `exit-codes.ts` of `@millrace/cli`. */
import { type CliIo, commandIndex, runCommandLine } from '@millrace/cli';
import { CONNECT_VERSION, MILLRACE_VERSION } from '../version';
import { COMMANDS } from './commands';

const VERSION = `millrace ${MILLRACE_VERSION} (Kafka Connect ${CONNECT_VERSION})`;

/** Undefined: there is none. */
export function commandNameIn(args: readonly string[]): string | undefined {
  return args[commandIndex(args)];
}

export async function runCli(args: readonly string[], io: CliIo): Promise<number> {
  return await runCommandLine(args, io, COMMANDS, VERSION);
}
