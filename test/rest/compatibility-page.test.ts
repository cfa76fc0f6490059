/** docs/compatibility.md: complete, and every test it names is there and speaks of the case. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const page = readFileSync(join(ROOT, 'docs', 'compatibility.md'), 'utf8');
const texts = new Map<string, string>();

function textOf(file: string): string {
  let text = texts.get(file);
  if (text === undefined) {
    text = existsSync(join(ROOT, file)) ? readFileSync(join(ROOT, file), 'utf8').replaceAll("\\'", "'") : '';
    texts.set(file, text);
  }
  return text;
}

/** What a contract's tables must have: its numbered cases, and those of its Appendix R. */
const CONTRACTS = [
  { contract: 'connect-rest', section: 'REST', cases: 163, appendix: 17 },
  { contract: 'connect-runtime', section: 'Runtime', cases: 114, appendix: 0 },
  { contract: 'cdc-postgres', section: 'Change capture', cases: 114, appendix: 15 },
];

interface NamedTest {
  readonly file: string;
  /** Null: the file has to speak of the case. */
  readonly title: string | null;
}
interface Row {
  readonly contract: string;
  readonly number: string;
  readonly state: string;
  readonly tests: readonly NamedTest[];
  readonly difference: string;
}

/** `file`, `file` “title”, or `file` “title”, “another title”. */
function namedTests(text: string): NamedTest[] {
  return [...text.matchAll(/`(test\/[^`]+\.test\.ts)`((?:,?\s+“[^”]+”)*)/g)].flatMap(
    ([, file = '', titles = '']): NamedTest[] => {
      const quoted = [...titles.matchAll(/“([^”]+)”/g)].map(([, title = '']) => title.replaceAll(/\s+/g, ' '));
      return quoted.length === 0 ? [{ file, title: null }] : quoted.map((title) => ({ file, title }));
    },
  );
}

const rows: readonly Row[] = CONTRACTS.flatMap(({ contract, section }) => {
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

/** Case numbers that a file's titles (for REST also the rows of its `test.each`) carry. */
function cases(contract: string, file: string): Set<string> {
  const text = textOf(file);
  const found = new Set<string>();
  if (contract === 'connect-rest') {
    for (const pattern of [/^\s+(?:\[\s*)?'(R?\d+)',/gm, /\[\s*'(R?\d+)'/g])
      for (const [, number = ''] of text.matchAll(pattern)) found.add(number);
  }
  for (const [, list = ''] of text.matchAll(new RegExp(`${contract} ([^:\\n]*):`, 'g'))) {
    for (const [, from = '', to] of list.matchAll(/(R?\d+)(?:(?: to |-)(\d+))?/g)) {
      found.add(from);
      for (let n = Number(from); to !== undefined && n <= Number(to); n++) found.add(String(n));
    }
  }
  return found;
}

test.each(CONTRACTS)('every case of $contract has a row, once', ({ contract, cases, appendix }) => {
  const expected = [
    ...Array.from({ length: cases }, (_, i) => String(i + 1)),
    ...Array.from({ length: appendix }, (_, i) => `R${i + 1}`),
  ];
  const found = rows.filter((row) => row.contract === contract).map(({ number }) => number);
  expect(found.sort()).toEqual(expected.sort());
});

test('states are known, what is different says how, what is the same has a test', () => {
  for (const { contract, number, state, tests, difference } of rows) {
    const name = `${contract} ${number}`;
    expect([name, ['same', 'different', 'absent', 'untested'].includes(state)]).toEqual([name, true]);
    if (state === 'different') expect([name, difference]).not.toEqual([name, '']);
    if (state === 'same') expect([name, tests.length]).not.toEqual([name, 0]);
    if (state === 'absent' || state === 'untested') expect([name, tests]).toEqual([name, []]);
  }
});

test('every test named is there, by its title or by the number of its case', () => {
  const missing = namedTests(page)
    .filter(({ file, title }) => !textOf(file).includes(title ?? ''))
    .concat(namedTests(page).filter(({ file }) => textOf(file) === ''));
  expect(missing).toEqual([]);
  const silent = rows.flatMap(({ contract, number, tests }) =>
    tests
      .filter(({ file, title }) => title === null && !cases(contract, file).has(number))
      .map(({ file }) => `${contract} ${number} in ${file}`),
  );
  expect(silent).toEqual([]);
});

test('every unsupported key of the PostgreSQL source is named', () => {
  const source = textOf('connectors/postgres/src/config/unsupported.ts');
  const keys = [...source.matchAll(/\bkey: '([a-z.]+)'/g)].map(([, key = '']) => key);
  expect(keys.length).toBeGreaterThan(20);
  expect(keys.filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
});
