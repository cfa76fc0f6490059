/** The command line of `npm run bench -- check`. */
import { parseArgs } from 'node:util';

export interface CheckArguments {
  /** Commits; null: the default. */
  readonly before: string | null;
  readonly after: string | null;
  readonly pairs: number;
  /** Names of planned benchmarks; null: all. */
  readonly only: readonly string[] | null;
  /** File for the results; null: none. */
  readonly json: string | null;
}

export const USAGE = 'usage: npm run bench -- check [OLD] [NEW] [--pairs 3] [--only NAME,NAME] [--json FILE]';
/** Fewer do not tell a loss from noise. */
const FEWEST_PAIRS = 3;

/** Throws an error with one sentence for arguments that it does not accept. */
export function checkArguments(args: readonly string[], names: readonly string[]): CheckArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { pairs: { type: 'string', default: '3' }, only: { type: 'string' }, json: { type: 'string' } },
  });
  const [before = null, after = null, ...rest] = positionals;
  if (rest.length > 0) throw new Error(`${rest[0]} is one argument too many. ${USAGE}`);
  const pairs = Number(values.pairs);
  if (!Number.isInteger(pairs) || pairs < FEWEST_PAIRS)
    throw new Error(`--pairs must be a whole number of at least ${FEWEST_PAIRS}, not '${values.pairs}'.`);
  const only = values.only?.split(',').filter((name) => name !== '') ?? null;
  const unknown = only?.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`'${unknown}' is not one of ${names.join(', ')}.`);
  if (only?.length === 0) throw new Error(`--only names none of ${names.join(', ')}.`);
  return { before, after, pairs, only, json: values.json ?? null };
}
