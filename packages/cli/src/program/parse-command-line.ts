/** Parses a command line with commander. Only the module of the named command is loaded, and for the list none. */
import { Argument, Command, CommanderError, Option } from 'commander';
import { EXIT } from '../exit-codes';
import type { CliIo } from '../io';
import {
  type CommandCatalogue,
  type CommandSpec,
  type Invocation,
  loadCommand,
  type OptionSpec,
  type Run,
} from './command-spec';
import { commandIndex, GLOBAL_OPTIONS, optionsOf } from './shared-options';

/** Called when a command line has been parsed. */
type OnParsed = (run: Run, args: readonly string[], options: Readonly<Record<string, unknown>>) => void;

const COLUMNS = 100;

export interface ParsedCommand {
  readonly run: Run;
  readonly invocation: Invocation;
}

/** The command to run, or the exit code if there is none: help was printed, or the command line is wrong. */
export function parseCommandLine(
  args: readonly string[],
  io: CliIo,
  commands: CommandCatalogue,
): ParsedCommand | number {
  let parsed: ParsedCommand | undefined;
  const onParsed: OnParsed = (run, values, options) => (parsed = { run, invocation: { args: values, options, io } });
  const root = rootCommand(io);
  const spec = loadCommand(commands, args[commandIndex(args)]);
  if (spec) addCommand(root, spec, onParsed);
  else addAllCommands(root, commands, args, onParsed);
  try {
    root.parse([...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? EXIT.success : EXIT.usage;
  }
  return parsed ?? EXIT.usage;
}

function addAllCommands(root: Command, commands: CommandCatalogue, args: readonly string[], onParsed: OnParsed): void {
  for (const [name, { summary }] of Object.entries(commands.list)) {
    // `millrace -- get connectors` runs a command, too.
    const spec = args.includes(name) ? loadCommand(commands, name) : undefined;
    if (spec) addCommand(root, spec, onParsed);
    else root.command(name).summary(summary);
  }
  for (const [heading, names] of commands.groups)
    for (const command of root.commands) if (names.includes(command.name())) command.helpGroup(`${heading}:`);
  root
    .description('Runs Kafka Connect connectors on Node.js, and answers questions about any Kafka Connect cluster.')
    .usage('<command> [options]')
    .configureHelp({ subcommandTerm: (command) => `${command.name()} ${commands.list[command.name()]?.usage}`.trim() })
    .option('-v, --version', 'print the versions of Millrace and of the Kafka Connect that it is compatible with')
    .addHelpText('after', `\nOptions that several commands have may also stand before the command:\n${globalNames()}`)
    .addHelpText('after', `\nRun "millrace <command> --help" for the options and examples of a command.`);
}

/** The root of all commands. It writes to `io` and throws a CommanderError instead of ending the process. */
function rootCommand(io: Pick<CliIo, 'stdout' | 'stderr'>): Command {
  const root = new Command('millrace').enablePositionalOptions();
  for (const option of GLOBAL_OPTIONS) root.addOption(optionOf(option).hideHelp());
  return root
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      getOutHelpWidth: () => io.stdout.columns || COLUMNS,
      getErrHelpWidth: () => io.stderr.columns || COLUMNS,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .helpCommand(false)
    .helpOption('-h, --help', 'print this text');
}

function addCommand(parent: Command, spec: CommandSpec, onParsed: OnParsed): void {
  const command = parent.command(spec.name).summary(spec.summary).description(descriptionOf(spec));
  for (const { name, description, choices } of spec.arguments ?? []) {
    const argument = new Argument(name, description);
    if (choices) argument.choices([...choices]);
    command.addArgument(argument);
  }
  for (const option of optionsOf(spec)) command.addOption(optionOf(option));
  for (const subcommand of spec.subcommands ?? []) addCommand(command, subcommand, onParsed);
  command.addHelpText('after', examplesText(spec)).showHelpAfterError(`See "millrace ${pathOf(command)} --help".`);
  const { load, run = load && ((invocation: Invocation) => load().run(invocation)) } = spec;
  if (run) command.action(() => onParsed(run, command.args, optionsWithGlobal(command)));
}

/** Options before the command count like options after it, which take precedence. */
function optionsWithGlobal(command: Command): Readonly<Record<string, unknown>> {
  const options: Record<string, unknown> = command.opts();
  for (const [name, value] of Object.entries(rootOf(command).opts<Record<string, unknown>>())) {
    const isTaken = command.options.some((option) => option.attributeName() === name);
    if (!isTaken) {
      const flag = rootOf(command).options.find((option) => option.attributeName() === name)?.long;
      command.error(`error: "millrace ${pathOf(command)}" has no option '${flag}'`);
    }
    const isGiven = ![undefined, 'default'].includes(command.getOptionValueSource(name));
    if (!isGiven) options[name] = value;
  }
  return options;
}

/** `--url, --context`. */
function globalNames(): string {
  return GLOBAL_OPTIONS.map(({ flags }) => /--[\w-]+/.exec(flags)?.[0]).join(', ');
}

function rootOf(command: Command): Command {
  return command.parent ? rootOf(command.parent) : command;
}

function optionOf({ flags, description, default: preset, defaultText, choices, required, parse }: OptionSpec): Option {
  const option = new Option(flags, description);
  if (choices) option.choices([...choices]);
  if (preset !== undefined) option.default(preset, defaultText);
  if (required === true) option.makeOptionMandatory();
  if (parse) option.argParser(parse);
  return option;
}

function descriptionOf({ summary, description }: CommandSpec): string {
  return description ?? `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
}

function examplesText({ examples }: CommandSpec): string {
  const lines = examples.flatMap(({ command, explanation }) => [`  # ${explanation}`, `  millrace ${command}`, '']);
  return `\nExamples:\n${lines.slice(0, -1).join('\n')}\n`;
}

/** `offsets export`, for instance. */
function pathOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${pathOf(parent)} ${command.name()}` : command.name();
}
