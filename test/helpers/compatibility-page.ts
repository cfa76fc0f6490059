/** docs/compatibility.md as data: its rows, the tests they name, and the cases that test files cite. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
export const page = readFileSync(join(ROOT, 'docs', 'compatibility.md'), 'utf8');
const texts = new Map<string, string>();

/** Empty for a missing file. */
export function textOf(file: string): string {
  let text = texts.get(file);
  if (text === undefined) {
    text = existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), 'utf8').replaceAll("\\'", "'") : '';
    texts.set(file, text);
  }
  return text;
}

/** The contracts with numbered cases: their section of the page, their cases, and the items of their Appendix R. */
export const CONTRACTS = [
  { contract: 'connect-rest', section: 'REST', cases: 163, appendix: 19 },
  { contract: 'connect-runtime', section: 'Runtime', cases: 114, appendix: 0 },
  { contract: 'cdc-postgres', section: 'Change capture', cases: 114, appendix: 25 },
  { contract: 'analytics-sink', section: 'Analytics sink', cases: 73, appendix: 0 },
];

export interface NamedTest {
  readonly file: string;
  /** Null: the file must cite the case. */
  readonly title: string | null;
}
export interface Row {
  readonly contract: string;
  readonly number: string;
  readonly state: 'different' | 'absent' | 'untested';
  readonly tests: readonly NamedTest[];
  readonly difference: string;
}

/** `file`, `file` “title”, or `file` “title”, “another title”. */
export function namedTests(text: string): NamedTest[] {
  return [...text.matchAll(/`(test\/[^`]+\.test\.ts)`((?:,?\s+“[^”]+”)*)/g)].flatMap(
    ([, file = '', titles = '']): NamedTest[] => {
      const quoted = [...titles.matchAll(/“([^”]+)”/g)].map(([, title = '']) => title.replaceAll(/\s+/g, ' '));
      return quoted.length === 0 ? [{ file, title: null }] : quoted.map((title) => ({ file, title }));
    },
  );
}

export const rows: readonly Row[] = CONTRACTS.flatMap(({ contract, section }) => {
  const from = page.indexOf(`\n## ${section}`);
  const to = page.indexOf('\n## ', from + 1);
  return [...page.slice(from, to).matchAll(/^\| (R?\d+) +\|(.*)\|$/gm)].map((match) => {
    const [, difference = '', tests = ''] = (match[2] ?? '').split('|').map((cell) => cell.trim());
    const state = difference.startsWith('not implemented')
      ? 'absent'
      : difference === 'not tested'
        ? 'untested'
        : 'different';
    return { contract, number: match[1] ?? '', state, tests: namedTests(tests), difference };
  });
});

/** Case numbers in a test's title: `connect-rest 21, 22 to 24, R3: …`; sections (`§1.2`, `10.9`) are not cases. */
export function casesOf(contract: string, title: string): string[] {
  const found: string[] = [];
  for (const [, list = ''] of title.matchAll(new RegExp(`${contract} ([^:\\n]*?)(?=, [a-z]+-[a-z]|:)`, 'g'))) {
    for (const [, appendix = '', from = '', to] of list.matchAll(NUMBERS)) {
      found.push(appendix + from);
      for (let n = Number(from) + 1; to !== undefined && n <= Number(to); n++) found.push(appendix + String(n));
    }
  }
  return found;
}
const NUMBERS = /(?<![§.\w])(?:(R)[. ]?)?(\d+)(?![\d]|\.\d)(?:(?: to |-)(\d+))?/g;

/** Case numbers that a file's titles carry, also as the rows of its `test.each`. */
export function citedCases(contract: string, file: string): Set<string> {
  const text = textOf(file);
  const found = new Set(casesOf(contract, text));
  if (text.includes(`${contract} %s`)) {
    for (const pattern of [/^\s+(?:\[\s*)?'(R?\d+)',/gm, /\[\s*'(R?\d+)'/g])
      for (const [, number = ''] of text.matchAll(pattern)) found.add(number);
  }
  return found;
}

/** The test files that cite each case of a contract. */
export function citingTests(contract: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const files = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' }).sort();
  for (const file of files.filter((name) => name.endsWith('.test.ts')).map((name) => `test/${name}`))
    for (const number of citedCases(contract, file)) found.set(number, [...(found.get(number) ?? []), file]);
  return found;
}

/** Of all cases: `1` to `163`, and `R1` to `R19`. */
export const caseNumbers = ({ cases, appendix }: { readonly cases: number; readonly appendix: number }): string[] => [
  ...Array.from({ length: cases }, (_, i) => String(i + 1)),
  ...Array.from({ length: appendix }, (_, i) => `R${i + 1}`),
];
