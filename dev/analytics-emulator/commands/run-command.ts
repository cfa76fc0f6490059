/** Parses and executes management commands. Source: analytics-sink §5.11, §7.5. */
import { badRequest } from '../kusto-error';
import { Reader } from '../language/reader';
import type { ResultTable } from '../engine/result-table';
import type { Command } from './command';
import type { CommandContext } from './context';
import { databaseCommands } from './database-commands';
import { ingestionCommands } from './ingestion-commands';
import { tableCommands } from './table-commands';

/** First words of a command → the command. The longest match wins. */
const COMMANDS: Record<string, Command> = {
  ...databaseCommands,
  ...tableCommands,
  ...ingestionCommands,
};
const BEGINNINGS = Object.keys(COMMANDS).sort((a, b) => b.length - a.length);

/** @throws KustoError if the command is malformed or unknown, or refers to an unknown entity. */
export async function runCommand(context: CommandContext, text: string, database: string): Promise<ResultTable> {
  const reader = new Reader(text);
  const beginning = BEGINNINGS.find((words) => reader.skip('.', ...words.split(' ')));
  const command = beginning === undefined ? undefined : COMMANDS[beginning];
  if (!command) throw badRequest(`The emulator does not know this command: ${text.slice(0, 200)}`);
  return await command(context, reader, database);
}
