/** Parses a command line. Only the spec of the named command is loaded. */
import { CommanderError } from 'commander';
import { GROUPS, loadAllCommands, loadCommand } from '../commands';
import { EXIT } from '../exit-codes';
import type { CliIo } from '../io';
import { addCommand, rootCommand, type OnParsed } from './build-command';
import type { Invocation, Run } from './command-spec';

export interface ParsedCommand {
  readonly run: Run;
  readonly invocation: Invocation;
}

/** The command to run, or the exit code if there is none: help was printed, or the command line is wrong. */
export function parseCommandLine(args: readonly string[], io: CliIo): ParsedCommand | number {
  let parsed: ParsedCommand | undefined;
  const onParsed: OnParsed = (run, values, options) => (parsed = { run, invocation: { args: values, options, io } });
  const root = rootCommand(io);
  const spec = args[0] === undefined ? undefined : loadCommand(args[0]);
  if (spec) addCommand(root, spec, onParsed);
  else addAllCommands(root, onParsed);
  try {
    root.parse([...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.success : EXIT.usage;
  }
  return parsed ?? EXIT.usage;
}

function addAllCommands(root: ReturnType<typeof rootCommand>, onParsed: OnParsed): void {
  for (const spec of loadAllCommands()) addCommand(root, spec, onParsed);
  for (const [heading, names] of GROUPS)
    for (const command of root.commands) if (names.includes(command.name())) command.helpGroup(`${heading}:`);
  root
    .description('Runs Kafka Connect connectors on Node.js, and answers questions about any Kafka Connect cluster.')
    .usage('<command> [options]')
    .option('-v, --version', 'print the versions of Millrace and of the Kafka Connect that it is compatible with')
    .addHelpText('after', `\nRun "millrace <command> --help" for the options and examples of a command.`);
}
