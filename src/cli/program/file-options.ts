/** Options of commands that read connector documents. */
import type { OptionSpec } from './command-spec';

export const RECURSIVE: OptionSpec = { flags: '-R, --recursive', description: 'also read the subfolders of folders' };

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

export const SELECTOR: OptionSpec = {
  flags: '-l, --selector <labels>',
  description: 'only connectors with these labels, e.g. team=a,env!=test',
};

export const PRUNE_OPTIONS: readonly OptionSpec[] = [
  SELECTOR,
  { flags: '--prune', description: 'delete connectors that are not in the files; needs --selector or --all' },
  { flags: '--all', description: 'with --prune: every connector that is not in the files' },
];
