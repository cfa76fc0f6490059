/** Defines commands and runs command lines. What it loads, every command loads at its start: keep it small. */
export { EXIT } from '../exit-codes';
export type { CliIo, CliOutput } from '../io';
export type { ArgumentSpec, CommandCatalogue, Invocation, OptionSpec, VerbSpec } from '../program/command-spec';
export { commandIndex, PLUGIN_OPTIONS, wholeNumber } from '../program/shared-options';
export { restCommands } from '../rest-commands';
export { runCommandLine } from '../run-command-line';
