/** The figures of docs/performance.md: `bench/results.json`. */
import type { Comparison } from '../check/verdict';
import { median } from '../report';

/** A column of the table; null: not measured. */
export type Value = number | null;

export interface Row {
  readonly what: string;
  /** Arguments of `npm run bench --`. */
  readonly command: string;
  /** Empty for a ratio. */
  readonly unit: string;
  readonly better: 'less' | 'more';
  readonly before: Value;
  readonly after: Value;
  /** Ratios new : old of the pairs; null: not measured in turns. */
  readonly spread: { readonly least: number; readonly greatest: number } | null;
  /** Null: none is set. */
  readonly target: number | null;
  /** The target is this share of the old figure. */
  readonly targetShare?: number;
  /** The picture that shows it. */
  readonly picture: string;
  /** Label of the check's figure that fills the row; absent: filled by hand. */
  readonly figure?: string;
  /** What the check's figure is multiplied with, e.g. 0.001 for seconds. (Default: 1) */
  readonly scale?: number;
}

export interface Results {
  readonly date: string;
  readonly machine: string;
  /** Short names of the commits or releases. */
  readonly before: string;
  readonly after: string;
  readonly pairs: number;
  readonly rows: readonly Row[];
}

/** What `check --json` writes. */
export interface CheckResult {
  readonly date: string;
  readonly machine: string;
  readonly before: string;
  readonly after: string;
  readonly pairs: number;
  readonly comparisons: readonly Comparison[];
}

/** The results with the figures of a check; rows that it did not measure stay. */
export function withCheck(results: Results, check: CheckResult): Results {
  const rows = results.rows.map((row) => {
    const found = check.comparisons.find(({ label }) => label === row.figure);
    if (found === undefined) return row;
    const { scale = 1 } = row;
    const scaled = (value: Value): Value => (value === null ? null : Number((value * scale).toPrecision(3)));
    const spread = found.ratios.length === 0 ? null : ends(found.ratios);
    return { ...row, before: scaled(found.before), after: scaled(found.after), spread };
  });
  const { date, machine, pairs } = check;
  return { date, machine, before: check.before.slice(0, 8), after: check.after.slice(0, 8), pairs, rows };
}

function ends(ratios: readonly number[]): Row['spread'] {
  const rounded = ratios.map((ratio) => Number(ratio.toFixed(2)));
  return { least: Math.min(...rounded), greatest: Math.max(...rounded) };
}

export function targetOf({ target, targetShare, before }: Row): Value {
  if (targetShare === undefined) return target;
  return before === null ? null : Number((before * targetShare).toPrecision(3));
}

/** Null: not measured, or without a target. */
export function isReached(row: Row): boolean | null {
  const { after, better } = row;
  const target = targetOf(row);
  if (after === null || target === null) return null;
  return better === 'less' ? after <= target : after >= target;
}

const text = (value: Value, unit: string): string =>
  value === null ? '–' : `${value >= 1000 ? Math.round(value).toLocaleString('en') : value}${unit && ` ${unit}`}`;

/** The table in Markdown. */
export function table({ rows }: Results): string {
  const lines = rows.map((row) => {
    const target = row.targetShare === undefined ? text(row.target, row.unit) : `${row.targetShare} × old`;
    const bound = target === '–' ? target : `${row.better === 'less' ? '≤' : '≥'} ${target}`;
    const { spread: ratios } = row;
    const spread = ratios === null ? '–' : `${ratios.least.toFixed(2)}–${ratios.greatest.toFixed(2)}`;
    const reached = { true: 'yes', false: 'no', null: '–' }[String(isReached(row)) as 'true' | 'false' | 'null'];
    const values = [text(row.before, row.unit), text(row.after, row.unit), spread, bound, reached];
    return `| ${[row.what, ...values, `\`${row.command}\``].join(' | ')} |`;
  });
  return [
    '| what | old | new | new : old | target | reached | `npm run bench --` |',
    '|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

/** What was measured, and what is not reached, in one sentence each. */
export function summary(results: Results): string {
  const { date, machine, before, after, pairs, rows } = results;
  const missed = rows.filter((row) => isReached(row) === false);
  const open = rows.filter((row) => row.after === null);
  const ratios = rows.flatMap(({ spread }) => (spread === null ? [] : [spread.greatest / spread.least]));
  const worst = ratios.length === 0 ? null : median(ratios);
  const list = (of: readonly Row[]): string => of.map(({ what }) => what).join('; ');
  return [
    `Measured on ${date} with ${machine}: ${before} (old) and ${after} (new) in turns, ${pairs} pairs.`,
    ...(worst === null
      ? []
      : [`The greatest ratio of a figure is ${worst.toFixed(2)} × its least one, in the median.`]),
    ...(missed.length === 0 ? [] : [`Not reached: ${list(missed)}.`]),
    ...(open.length === 0 ? [] : [`Not measured: ${list(open)}.`]),
  ].join('\n');
}

/** Replaces what is between the two comments. Throws if the page does not have them. */
export function insert(page: string, name: string, content: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The page does not have ${start} and ${end}.`);
  return `${page.slice(0, from + start.length)}\n\n${content}\n\n${page.slice(to)}`;
}
