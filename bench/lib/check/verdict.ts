/** Compares the figures of two commits, which were measured in turns. Pure. */
import type { Figure } from '../figures';
import { median } from '../report';
import type { ComparedFigure } from './plan';

export type Side = 'before' | 'after';

/** One run of a benchmark on each commit, one right after the other; null: it failed. */
export type Pair = Readonly<Record<Side, readonly Figure[] | null>>;

export interface Comparison {
  readonly label: string;
  /** Median; null: no run has the figure. */
  readonly before: number | null;
  readonly after: number | null;
  /** After divided by before, of each pair that has both. */
  readonly ratios: readonly number[];
  readonly verdict: 'fell' | 'rose' | 'same' | 'not comparable' | 'missing';
}

/** Which commit runs first in each pair: both do in turns, so that a drift of the machine favours neither. */
export function order(pair: number): readonly [Side, Side] {
  return pair % 2 === 0 ? ['before', 'after'] : ['after', 'before'];
}

export function compare(wanted: ComparedFigure, pairs: readonly Pair[]): Comparison {
  const values = pairs.map(({ before, after }) => ({ before: valueOf(wanted, before), after: valueOf(wanted, after) }));
  const present = (side: Side): number[] => values.flatMap((pair) => (pair[side] === null ? [] : [pair[side]]));
  const middle = (side: Side): number | null => (present(side).length === 0 ? null : median(present(side)));
  const ratios = values.flatMap(({ before, after }) => (before === null || after === null ? [] : [after / before]));
  const [before, after] = [middle('before'), middle('after')];
  return { label: wanted.label, before, after, ratios, verdict: verdict(wanted, before, after, ratios) };
}

/** A figure falls or rises only if every pair says so: the spread of a busy machine is not a result. */
function verdict(
  { better, tolerance }: ComparedFigure,
  before: number | null,
  after: number | null,
  ratios: readonly number[],
): Comparison['verdict'] {
  if (before !== null && after === null) return 'missing';
  if (ratios.length === 0) return 'not comparable';
  const above = ratios.every((ratio) => ratio > 1 + tolerance);
  const below = ratios.every((ratio) => ratio < 1 / (1 + tolerance));
  if (above) return better === 'less' ? 'fell' : 'rose';
  if (below) return better === 'less' ? 'rose' : 'fell';
  return 'same';
}

/** Whether the check fails: a figure fell, or the new commit no longer has it. */
export const hasFallen = ({ verdict: found }: Comparison): boolean => found === 'fell' || found === 'missing';

function valueOf({ match, part = 0 }: ComparedFigure, figures: readonly Figure[] | null): number | null {
  const found = figures?.find(({ heading, name }) => match.test(`${heading}: ${name}`))?.values[part];
  // A share of nothing is not a ratio.
  return found === undefined || !(found > 0) ? null : found;
}

const rounded = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));

/** One line of the report. */
export function line({ label, before, after, ratios, verdict: found }: Comparison): string {
  const number = (value: number | null): string => (value === null ? '–' : rounded(value)).padStart(10);
  const sorted = [...ratios].sort((a, b) => a - b);
  const spread =
    sorted.length === 0
      ? ''
      : `× ${median(sorted).toFixed(2)} (${(sorted[0] as number).toFixed(2)}–${(sorted.at(-1) as number).toFixed(2)})`;
  return `  ${label.padEnd(46)} ${number(before)} → ${number(after)}  ${spread.padEnd(20)} ${found}`.trimEnd();
}
