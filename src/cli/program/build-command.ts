/** Builds commander's commands from specs. */
import { Argument, Command, Option } from 'commander';
import type { CliIo } from '../io';
import type { CommandSpec, OptionSpec, Run } from './command-spec';
import { SHARED_OPTIONS } from './shared-options';

/** Called when a command line has been parsed. */
export type OnParsed = (run: Run, args: readonly string[], options: Readonly<Record<string, unknown>>) => void;

const COLUMNS = 100;

/** The root of all commands. It writes to `io` and throws a CommanderError instead of ending the process. */
export function rootCommand(io: Pick<CliIo, 'stdout' | 'stderr'>): Command {
  return new Command('millrace')
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

export function addCommand(parent: Command, spec: CommandSpec, onParsed: OnParsed): void {
  const command = parent.command(spec.name).summary(spec.summary).description(descriptionOf(spec));
  for (const { name, description, choices } of spec.arguments ?? []) {
    const argument = new Argument(name, description);
    if (choices) argument.choices([...choices]);
    command.addArgument(argument);
  }
  for (const option of optionsOf(spec)) command.addOption(optionOf(option));
  for (const subcommand of spec.subcommands ?? []) addCommand(command, subcommand, onParsed);
  command.addHelpText('after', examplesText(spec)).showHelpAfterError(`See "millrace ${pathOf(command)} --help".`);
  const { load } = spec;
  if (load) command.action(() => onParsed((invocation) => load().run(invocation), command.args, command.opts()));
}

/** The options of a command, the shared ones last. */
export function optionsOf(spec: CommandSpec): readonly OptionSpec[] {
  return [...(spec.options ?? []), ...(spec.shared ?? []).flatMap((name) => SHARED_OPTIONS[name])];
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
