/** Runs the `millrace` command. Resolves to the exit code; see `exit-codes.ts` of `@millrace/cli`. */
import { type CliIo, runCommandLine } from '@millrace/cli';
import { CONNECT_VERSION, MILLRACE_VERSION } from '../version';
import { COMMANDS } from './commands';

const VERSION = `millrace ${MILLRACE_VERSION} (Kafka Connect ${CONNECT_VERSION})`;

export async function runCli(args: readonly string[], io: CliIo): Promise<number> {
  return await runCommandLine(args, io, COMMANDS, VERSION);
}
