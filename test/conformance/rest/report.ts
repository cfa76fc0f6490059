/** Compares the results of the black-box cases on Millrace and on Java's worker with docs/compatibility.md. Pure. */
import { casesOf, type Row } from '../../helpers/compatibility-page';
import { DIFFERS } from './client';
import type { CaseResult } from './runner';

const CONTRACT = 'connect-rest';
/** A case that must fail on Java, and does, is reported as passed by the test runner. */
export type Verdict = 'as in the contract' | 'differs' | 'left out' | 'FAILED';

export interface ReportRow {
  readonly title: string;
  readonly file: string;
  readonly numbers: readonly string[];
  /** An intended difference of Millrace. */
  readonly differs: boolean;
  /** By column. */
  readonly verdicts: readonly Verdict[];
}

export interface Column {
  readonly name: string;
  readonly java: boolean;
  readonly results: readonly CaseResult[];
}

/** Position of a case in the contract; those of Appendix R follow, tests without a number come last. */
function place({ title }: CaseResult): number {
  const [number] = casesOf(CONTRACT, title);
  if (number === undefined) return Number.MAX_VALUE;
  return number.startsWith('R') ? 1000 + Number(number.slice(1)) : Number(number);
}

/** One row for each case of any column, in the contract's order. */
export function reportRows(columns: readonly Column[]): ReportRow[] {
  const keys = new Map<string, CaseResult>();
  for (const { results } of columns) for (const result of results) keys.set(`${result.file}: ${result.title}`, result);
  return [...keys]
    .sort(([, a], [, b]) => place(a) - place(b))
    .map(([key, { file, title }]) => {
      const differs = title.endsWith(DIFFERS);
      return {
        file,
        title,
        differs,
        numbers: casesOf(CONTRACT, title),
        verdicts: columns.map(({ java, results }): Verdict => {
          const found = results.find((result) => `${result.file}: ${result.title}` === key);
          if (!found || found.state === 'left out') return 'left out';
          if (found.state === 'failed') return 'FAILED';
          return differs && java ? 'differs' : 'as in the contract';
        }),
      };
    });
}

/** One sentence for each contradiction between page and cases. */
export function disagreements(rows: readonly ReportRow[], page: readonly Row[]): string[] {
  const found: string[] = [];
  const stated = new Map(page.filter((row) => row.contract === CONTRACT).map((row) => [row.number, row]));
  const differing = new Set(rows.filter(({ differs }) => differs).flatMap(({ numbers }) => numbers));
  const shown = new Set(rows.flatMap(({ numbers }) => numbers));
  for (const number of differing) {
    const state = stated.get(number)?.state ?? 'nothing';
    if (state !== 'different') found.push(`${number} differs, but the page says ${state}`);
  }
  for (const [number, { state, tests }] of stated) {
    const blackBox = tests.some(({ file }) => file.startsWith('test/conformance/rest/'));
    if (!differing.has(number) && state === 'different' && blackBox)
      found.push(`${number} does not differ, but the page says so and names a black-box test`);
    else if (shown.has(number) && !differing.has(number) && state !== 'different')
      found.push(`${number} is shown, but the page says ${state}`);
  }
  return found;
}

export function markdown(rows: readonly ReportRow[], columns: readonly Column[]): string {
  const head = ['case', ...columns.map(({ name }) => name), 'what'];
  const lines = rows.map(({ numbers, verdicts, title }) => [
    numbers.join(', ') || '–',
    ...verdicts,
    title.replace(/^connect-rest [^:]*: /, '').replaceAll('|', '\\|'),
  ]);
  const table = [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`);
  const counts = columns.map(({ name }, index) => {
    const count = (verdict: Verdict): number => rows.filter(({ verdicts }) => verdicts[index] === verdict).length;
    return `- ${name}: ${count('as in the contract')} as in the contract, ${count('differs')} different, ${count('left out')} left out, ${count('FAILED')} failed`;
  });
  return [
    "# REST cases, Millrace's and Java's answers",
    '',
    'Case numbers are those of `docs/contracts/connect-rest.md`. "differs": Java does not do what Millrace does there on purpose.',
    '',
    ...counts,
    '',
    ...table,
    '',
  ].join('\n');
}
