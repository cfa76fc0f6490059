/** What can follow on a command line, from the specs of the commands. Pure. */
import type { ArgumentSpec, CommandSpec, Completion, OptionSpec } from '../program/command-spec';

export interface Candidate {
  readonly word: string;
  readonly description?: string;
}

export interface Completions {
  /** All that are possible, whether or not they begin like the current word. */
  readonly candidates: readonly Candidate[];
  /** What is to be asked for more candidates. */
  readonly source?: Completion;
  /** What the current word has before the candidates, e.g. `--output=`. */
  readonly prefix: string;
  /** Values of options so far, by long name, e.g. `url`. */
  readonly options: Readonly<Record<string, string>>;
  /** Arguments so far. */
  readonly args: readonly string[];
}

/** What completion reads of a spec: of a command that is only listed, its name and summary. */
interface Completable extends Pick<CommandSpec, 'arguments' | 'options' | 'shared'> {
  readonly subcommands?: readonly (Completable & Pick<CommandSpec, 'name' | 'summary'>)[];
}

/**
 * @param root the named command, or one with all commands as its subcommands
 * @param before words between the root's name and the current one
 * @param optionsOf all options of a spec, shared ones included
 * @param leading values of options before the command, by long name
 */
export function findCompletions(
  root: Completable,
  before: readonly string[],
  current: string,
  optionsOf: (spec: Completable) => readonly OptionSpec[],
  leading: Readonly<Record<string, string>> = {},
): Completions {
  let spec: Completable = root;
  let pending: OptionSpec | undefined;
  let onlyArguments = false;
  const args: string[] = [];
  const options: Record<string, string> = { ...leading };
  for (const word of before) {
    if (pending) {
      options[namesOf(pending).at(-1) as string] = word;
      pending = undefined;
    } else if (word === '--') onlyArguments = true;
    else if (!onlyArguments && word.startsWith('-')) {
      const [name, value] = atEquals(word);
      const option = optionsOf(spec).find((one) => namesOf(one).includes(name.replace(/^--?/, '')));
      if (option && takesValue(option)) {
        if (value === undefined) pending = option;
        else options[namesOf(option).at(-1) as string] = value;
      }
    } else {
      const subcommand = args.length === 0 ? spec.subcommands?.find(({ name }) => name === word) : undefined;
      if (subcommand) spec = subcommand;
      else args.push(word);
    }
  }
  const found = { prefix: '', options, args };
  if (pending) return { ...found, ...valuesOf(pending) };
  if (!onlyArguments && current.startsWith('-')) {
    const [name, value] = atEquals(current);
    if (value === undefined) return { ...found, candidates: optionCandidates(optionsOf(spec)) };
    const option = optionsOf(spec).find((one) => namesOf(one).includes(name.replace(/^--/, '')));
    return option ? { ...found, ...valuesOf(option), prefix: `${name}=` } : { ...found, candidates: [] };
  }
  if (spec.subcommands && args.length === 0)
    return {
      ...found,
      candidates: spec.subcommands.map(({ name, summary }) => ({ word: name, description: summary })),
    };
  const given = spec.arguments ?? [];
  const last = given.at(-1);
  const argument = given[args.length] ?? (last?.name.includes('...') ? last : undefined);
  return { ...found, ...(argument ? valuesOf(argument) : { candidates: [] }) };
}

function valuesOf(spec: ArgumentSpec | OptionSpec): Pick<Completions, 'candidates' | 'source'> {
  if (spec.choices) return { candidates: spec.choices.map((word) => ({ word })) };
  return { candidates: [], ...(spec.completes && { source: spec.completes }) };
}

function optionCandidates(options: readonly OptionSpec[]): readonly Candidate[] {
  const named = options.map(({ flags, description }) => ({
    word: /--[\w-]+/.exec(flags)?.[0] ?? (flags.split(/[ ,]/)[0] as string),
    description,
  }));
  return [...named, { word: '--help', description: 'print the help' }];
}

/** Without dashes, the long one last. */
function namesOf({ flags }: OptionSpec): readonly string[] {
  return [...flags.matchAll(/(?:^|[ ,|])--?([\w-]+)/g)].map(([, name]) => name as string);
}

function takesValue({ flags }: OptionSpec): boolean {
  return /[<[]/.test(flags);
}

function atEquals(word: string): readonly [string, string | undefined] {
  const at = word.startsWith('--') ? word.indexOf('=') : -1;
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}
