/**
 * `millrace __complete`, which the scripts of `millrace completion` call. Prints a candidate per line, or a tab and
 * `:files` for names of files. Never prints an error: there is nothing to complete then.
 */
import { aliasOf, readPlugins } from '../connectors/plugins';
import { readContexts } from '../context/contexts-file';
import type { CliIo } from '../io';
import { type CommandCatalogue, type Completion, loadCommand } from '../program/command-spec';
import { commandIndex, GLOBAL_OPTIONS, optionsOf } from '../program/shared-options';
import { withClient } from '../rest/clients';
import { listOf, objectOf, textOf } from '../rest/reply';
import { type Candidate, findCompletions } from './find-completions';

const DEADLINE_S = 1;
/** No candidate begins with a tab, but a connector may be called `:files`. */
const FILES = '\t:files';
const MOST_CANDIDATES = 2000;

/**
 * @param args `words WORD...` (the last one is the current word; prints descriptions after a tab), or
 *   `bash LINE COMP_WORDBREAKS` (prints words as bash needs them)
 */
export async function complete(
  [mode, ...rest]: readonly string[],
  io: CliIo,
  commands: CommandCatalogue,
): Promise<number> {
  try {
    if (mode === 'bash') {
      const line = parseBashLine(rest[0] ?? '', rest[1] ?? '');
      const found = await candidatesOf(line.words.slice(1), line.current, io, commands);
      write(io, typeof found === 'string' ? [found] : found.map(({ word }) => bashReply(word, line)));
    } else {
      const before = rest.slice(0, -1).filter((word) => word !== '');
      const found = await candidatesOf(before, rest.at(-1) ?? '', io, commands);
      const shown = ({ word, description }: Candidate): string =>
        description === undefined ? word : `${word}\t${description}`;
      write(io, typeof found === 'string' ? [found] : found.map(shown));
    }
  } catch {
    // A terminal in the middle of a line is no place for errors.
  }
  return 0;
}

function write(io: CliIo, lines: readonly string[]): void {
  if (lines.length > 0) io.stdout.write(`${lines.join('\n')}\n`);
}

async function candidatesOf(
  given: readonly string[],
  current: string,
  io: CliIo,
  commands: CommandCatalogue,
): Promise<readonly Candidate[] | typeof FILES> {
  const before = given[0] === 'help' ? given.slice(1) : given;
  const at = commandIndex(before);
  const named = loadCommand(commands, before[at]);
  if (at < before.length && !named) return [];
  const subcommands = Object.entries(commands.list).map(([name, { summary }]) => ({ name, summary }));
  const root = { options: GLOBAL_OPTIONS, subcommands };
  const leading = findCompletions(root, before.slice(0, at), current, optionsOf);
  const found = named ? findCompletions(named, before.slice(at + 1), current, optionsOf, leading.options) : leading;
  if (found.source === 'files') return FILES;
  const more = found.source ? await ask(found.source, found.options, io, commands) : [];
  return [...found.candidates, ...more.map((word) => ({ word }))]
    .map((candidate) => ({ ...candidate, word: `${found.prefix}${candidate.word}` }))
    .filter(({ word }) => word.startsWith(current) && !found.args.includes(word) && !/\p{Cc}/u.test(word))
    .slice(0, MOST_CANDIDATES);
}

async function ask(
  source: Exclude<Completion, 'files'>,
  { url, context }: Readonly<Record<string, string>>,
  io: CliIo,
  { list }: CommandCatalogue,
): Promise<readonly string[]> {
  if (source === 'commands') return Object.keys(list);
  if (source === 'contexts') return Object.keys(readContexts(io).contexts);
  const options = { requestTimeout: DEADLINE_S, ...(url && { url }), ...(context && { context }) };
  return await withClient({ io, options }, async (client) => {
    if (source === 'connectors')
      return listOf(await client.request('/connectors'), '')
        .map(textOf)
        .sort();
    if (source === 'loggers') return Object.keys(objectOf(await client.request('/admin/loggers'), '')).sort();
    const plugins = await readPlugins(client);
    return [...new Set([...plugins.map(aliasOf), ...plugins.map((plugin) => plugin.class)])];
  });
}

/** A command line as bash passes it to completion: as typed, with quotes and backslashes. */
export interface BashLine {
  /** Without quotes, before the current one. */
  readonly words: readonly string[];
  readonly current: string;
  /** How much of `current` readline leaves alone: up to the last separator or opening quote. Characters. */
  readonly kept: number;
  /** The quote that is open at the end. */
  readonly quote: '"' | "'" | '';
}

/** Pure. @param breaks bash's COMP_WORDBREAKS: readline replaces what follows the last of these characters */
export function parseBashLine(line: string, breaks: string): BashLine {
  const words: string[] = [];
  let current = '';
  let isWord = false;
  let kept = 0;
  let quote: BashLine['quote'] = '';
  for (let i = 0; i < line.length; i++) {
    const char = line[i] as string;
    if (quote !== '' && char === quote) quote = '';
    else if (char === '\\' && quote !== "'") {
      current += line[++i] ?? '';
      isWord = true;
    } else if (quote !== '') current += char;
    else if (char === '"' || char === "'") {
      quote = char;
      isWord = true;
      kept = current.length;
    } else if (/\s/.test(char)) {
      if (isWord) words.push(current);
      current = '';
      isWord = false;
      kept = 0;
    } else {
      current += char;
      isWord = true;
      if (breaks.includes(char)) kept = current.length;
    }
  }
  return { words, current, kept, quote };
}

/** The text that readline puts in place of the current word. */
export function bashReply(word: string, { kept, quote }: Pick<BashLine, 'kept' | 'quote'>): string {
  const rest = word.slice(kept);
  if (quote === "'") return rest.replaceAll("'", `'\\''`);
  if (quote === '"') return rest.replace(/["$`\\]/g, '\\$&');
  return rest.replace(/[^\w.,:=@%+/-]/gu, '\\$&');
}
