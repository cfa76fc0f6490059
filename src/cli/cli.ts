/** Runs the command. Resolves to the exit code: 0 success, 1 failure, 2 wrong usage. */
import { dev } from './dev';
import { printHelp, USAGE } from './help';
import type { CliIo } from './io';
import { produce } from './produce';
import { start } from './start';
import { printVersion } from './version';

type Verb = (args: readonly string[], io: CliIo) => Promise<number> | number;

const VERBS: Readonly<Record<string, Verb>> = {
  start,
  dev,
  produce,
  help: printHelp,
  '--help': printHelp,
  '-h': printHelp,
  version: printVersion,
  '--version': printVersion,
  '-v': printVersion,
};

export async function runCli(args: readonly string[], io: CliIo): Promise<number> {
  const [name, ...rest] = args;
  const verb = name !== undefined && Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (verb) return await verb(rest, io);
  io.stderr.write(name === undefined ? USAGE : `Unknown command "${name}".\n\n${USAGE}`);
  return 2;
}
