/** The specification of a command of `millrace`. */
import type { CliIo } from '../io';

/** A parsed command line. */
export interface Invocation {
  /** In order; the values of a variadic argument are the last ones. */
  readonly args: readonly string[];
  /** By the option's long name in camel case. Options that were not given and have no default are absent. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly io: CliIo;
}

/** Resolves to the exit code. A rejection is written to stderr as one sentence; its error code has an exit code. */
export type Run = (invocation: Invocation) => Promise<number> | number;

export interface ArgumentSpec {
  /** As in a usage line: `<name>` is required, `[name]` optional, `[names...]` variadic. */
  readonly name: string;
  readonly description: string;
  readonly choices?: readonly string[];
  /** What shell completion offers. (Default: `choices`, otherwise files) */
  readonly completes?: Completion;
}

export type Completion = 'connectors' | 'plugins' | 'loggers' | 'contexts' | 'commands' | 'files';

export interface OptionSpec {
  /** As in a usage line: `-n, --count <number>`, or `--yes` for a flag. */
  readonly flags: string;
  readonly description: string;
  readonly default?: unknown;
  /** The default in `--help`, unless it is a text. */
  readonly defaultText?: string;
  readonly choices?: readonly string[];
  readonly required?: boolean;
  /** Parses the value. With `previous` an option can be repeated. @throws InvalidArgumentError of commander */
  readonly parse?: (value: string, previous: unknown) => unknown;
  readonly completes?: Completion;
}

/** Options that several commands share; see `shared-options.ts`. */
export type SharedOptions = 'server' | 'context' | 'output' | 'cluster' | 'confirm';

export interface Example {
  /** Without the leading `millrace`. */
  readonly command: string;
  readonly explanation: string;
}

export interface CommandSpec {
  readonly name: string;
  /** One line for the list of commands, in lower case, without a full stop. */
  readonly summary: string;
  /** Paragraphs of `--help`, below the usage line. (Default: the summary) */
  readonly description?: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  readonly shared?: readonly SharedOptions[];
  readonly examples: readonly [Example, ...Example[]];
  readonly subcommands?: readonly CommandSpec[];
  /** Absent if there are subcommands, or `load`. */
  readonly run?: Run;
  /** Instead of `run`: requires the module with the code, if that takes long to load. */
  readonly load?: () => { readonly run: Run };
}

/** Of a command's module. Its summary is in the list of commands, which is printed without the modules. */
export type VerbSpec = Omit<CommandSpec, 'summary'>;

/** A row of the list of commands. */
export interface ListedCommand {
  readonly summary: string;
  /** What follows the name in a usage line. A test compares it with the spec. */
  readonly usage: string;
  /** Requires the module of the command. */
  readonly load: () => { readonly command: VerbSpec };
}

/** All commands. The module of each is loaded only when its command needs it. */
export interface CommandCatalogue {
  /** By name, in the order of help and completion. */
  readonly list: Readonly<Record<string, ListedCommand>>;
  /** Headings of `millrace --help` and their commands. */
  readonly groups: readonly (readonly [heading: string, names: readonly string[]])[];
}

/** Undefined for an unknown name. */
export function loadCommand({ list }: CommandCatalogue, name: string | undefined): CommandSpec | undefined {
  const listed = name !== undefined && Object.hasOwn(list, name) ? list[name] : undefined;
  return listed && { ...listed.load().command, summary: listed.summary };
}
