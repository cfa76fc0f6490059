import type { Reader } from '../language/reader';
import type { ResultTable } from '../engine/result-table';
import type { CommandContext } from './context';

/** Parses the rest of a command, after its first words, and executes it. `database` is the request's. */
export type Command = (context: CommandContext, reader: Reader, database: string) => Promise<ResultTable>;
