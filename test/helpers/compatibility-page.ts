/** docs/compatibility.md as data: its rows, the tests they name, and the cases that test files cite. */
import { existsSync, readFileSync } from 'node:fs';
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

/** What a contract's tables must have: its numbered cases, and those of its Appendix R. */
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
  readonly state: string;
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
    const cells = (match[2] ?? '').split('|').map((cell) => cell.trim());
    return {
      contract,
      number: match[1] ?? '',
      state: cells[1] ?? '',
      tests: namedTests(cells[2] ?? ''),
      difference: cells[3] ?? '',
    };
  });
});

/** Case numbers in a test's title: `connect-rest 21, 22 to 24, R3: …`. */
export function casesOf(contract: string, title: string): string[] {
  const found: string[] = [];
  for (const [, list = ''] of title.matchAll(new RegExp(`${contract} ([^:\\n]*):`, 'g'))) {
    for (const [, from = '', to] of list.matchAll(/(R?\d+)(?:(?: to |-)(\d+))?/g)) {
      found.push(from);
      for (let n = Number(from) + 1; to !== undefined && n <= Number(to); n++) found.push(String(n));
    }
  }
  return found;
}
