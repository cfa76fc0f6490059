/** Options that several commands share. */
import { InvalidArgumentError } from 'commander';
import type { ArgumentSpec, CommandSpec, OptionSpec, SharedOptions } from './command-spec';

const OUTPUT_FORMATS = ['table', 'json', 'yaml'] as const;

const CONTEXT: OptionSpec = {
  flags: '--context <name>',
  description: 'use this context (default: the current one, see "millrace context")',
  completes: 'contexts',
};

const SHARED_OPTIONS: Readonly<Record<SharedOptions, readonly OptionSpec[]>> = {
  context: [CONTEXT],
  server: [
    CONTEXT,
    {
      flags: '--url <url>',
      description: 'URL of the REST API, or several separated by commas (default: of the context, or MILLRACE_URL)',
    },
    {
      flags: '--request-timeout <seconds>',
      description: 'time for a request, including retries during a rebalance',
      default: 90,
      parse: wholeNumber(1, 3600),
    },
  ],
  output: [
    {
      flags: '-o, --output <format>',
      description: 'format of the answer',
      choices: OUTPUT_FORMATS,
      default: 'table',
    },
  ],
  cluster: [
    {
      flags: '--config <worker.properties>',
      description: 'worker settings to connect to Kafka with (default: of the context)',
      completes: 'files',
    },
    {
      flags: '--data-dir <folder>',
      description: 'data folder of the embedded broker, unless bootstrap.servers is set (default: .millrace)',
      completes: 'files',
    },
  ],
  confirm: [{ flags: '-y, --yes', description: 'do not ask for confirmation' }],
};

/** Those of all commands, without defaults: they may also stand before the command. */
export const GLOBAL_OPTIONS: readonly OptionSpec[] = [
  ...new Map(
    Object.values(SHARED_OPTIONS)
      .flat()
      .map(({ default: _, ...option }): [string, OptionSpec] => [option.flags, option]),
  ).values(),
];

/** Where the command's name is, after options that stand before it; the number of words if there is none. */
export function commandIndex(args: readonly string[]): number {
  let at = 0;
  while (at < args.length) {
    const word = args[at] as string;
    const option = GLOBAL_OPTIONS.find(({ flags }) =>
      [...flags.matchAll(/(?:^|[ ,])(--?[\w-]+)/g)].some(([, name = '']) => isOption(word, name)),
    );
    if (!option) break;
    at += option.flags.includes('<') && /^(?:--[\w-]+|-\w)$/.test(word) ? 2 : 1;
  }
  return Math.min(at, args.length);
}

/** `--url`, `--url=x`, `-o`, `-ojson`. */
function isOption(word: string, name: string): boolean {
  return word === name || word.startsWith(name.startsWith('--') ? `${name}=` : name);
}

/** The options of a command, the shared ones last. */
export function optionsOf(spec: Pick<CommandSpec, 'options' | 'shared'>): readonly OptionSpec[] {
  return [...(spec.options ?? []), ...(spec.shared ?? []).flatMap((name) => SHARED_OPTIONS[name])];
}

export const CONNECTOR_NAMES: ArgumentSpec = {
  name: '[names...]',
  description: 'connectors, or patterns with * and ? (default: all)',
  completes: 'connectors',
};

/** Of commands that redraw a screen. */
export const INTERVAL: OptionSpec = {
  flags: '--interval <seconds>',
  description: 'time between two refreshes',
  default: 2,
  parse: wholeNumber(1, 3600),
};

/** Parser of an option's value. */
export function wholeNumber(from: number, to: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (!(value >= from && value <= to)) throw new InvalidArgumentError(`It must be a number from ${from} to ${to}.`);
    return value;
  };
}

export const RECURSIVE: OptionSpec = { flags: '-R, --recursive', description: 'also read the subfolders of folders' };

/** Of commands that read connector documents. */
export const FILE_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '-f, --filename <path>',
    description: 'file, folder, or - for standard input; can be repeated',
    required: true,
    parse: (value, previous) => [...((previous as string[] | undefined) ?? []), value],
    completes: 'files',
  },
  RECURSIVE,
];

export const PRUNE_OPTIONS: readonly OptionSpec[] = [
  { flags: '-l, --selector <labels>', description: 'only connectors with these labels, e.g. team=a,env!=test' },
  { flags: '--prune', description: 'delete connectors that are not in the files; needs --selector or --all' },
  { flags: '--all', description: 'with --prune: every connector that is not in the files' },
];

/** Of commands that run plugins without a worker. */
export const PLUGIN_OPTIONS: readonly OptionSpec[] = [
  { flags: '--config <worker.properties>', description: 'worker settings', completes: 'files' },
  { flags: '--plugin-path <folders>', description: 'plugin.path, separated by commas', completes: 'files' },
];
