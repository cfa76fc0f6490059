/** Checks that every section, case and appendix of docs/contracts that comments and test titles cite exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { CONTRACTS } from './helpers/compatibility-page';

const ROOT = join(__dirname, '..');
const FOLDER = 'docs/contracts';
/** Files that cite: all of these folders, `docs` without the contracts themselves. */
const CITING = ['src', 'packages', 'connectors', 'embedded', 'apps', 'dev', 'bench', 'test', 'docs'];
const SKIPPED = ['dist', 'node_modules', 'contracts', 'golden'];

/** The items of a contract, as citations name them: `§1.4.3`, `Appendix B`, `case 12`, `R4`. */
function contentsOf(text: string): Set<string> {
  const contents = new Set<string>();
  let items: 'case ' | 'R' | null = null;
  for (const line of text.split('\n')) {
    const title = /^#+ (.*)/.exec(line)?.[1];
    if (title !== undefined) {
      items = title.startsWith('Appendix R.') ? 'R' : /\b(?:cases|tests)\b/i.test(title) ? 'case ' : null;
      const [, number, appendix] = /^(?:(\d+(?:\.\d+)*)|(?:Appendix )?([A-Z](?:\.\d+)?))[. ]/.exec(title) ?? [];
      if (number) contents.add(`§${number}`);
      if (appendix) contents.add(`Appendix ${appendix}`);
    }
    const number = /^(\d+)\. /.exec(line)?.[1];
    if (number && items) contents.add(items + number);
  }
  return contents;
}

const contracts = new Map(
  readdirSync(join(ROOT, FOLDER))
    .filter((file) => file !== 'README.md')
    .map((file) => [file.slice(0, -'.md'.length), contentsOf(readFileSync(join(ROOT, FOLDER, file), 'utf8'))]),
);
const hasCases = (contract: string) => contracts.get(contract)?.has('case 1') === true;

/** `§1.2`, `1.2`, `12`, `case 12`, `R4`, `Appendix R 4`, `Appendix B`, `Appendix A.1`. */
const ITEM =
  /(?:(§)|(cases?\s+)|(Appendix\s+R[ .]|R\.?)(?=\d)|(Appendix\s+))?(\d+(?:\.\d+)*|(?<=Appendix\s+)[A-Z](?:\.\d+)?)\b/y;
/** The place in a section: `(6)`, `step 3`, `“Cast”`. */
const PLACE = /(?:\s+\(\d+\)|\s+step\s+\d+|\s+"[^"\n]+"|,?\s+“[^”\n]+”)*/y;
const SEPARATOR = /(?:,|;(?=\s+§)|\s+and|\s+or)\s+|(\s+to\s+|-)/y;
const START = new RegExp(
  String.raw`(?<![\w/.-])(${[...contracts.keys()].join('|')})\b(?![/-]|\.\w)\s+|§(?=\d)|\bAppendix\s+(?=[A-Z]\b)`,
  'g',
);
/** Precedes sections and cases of another document. */
const FOREIGN = /(?:RFC \d+,?|\.md\)?,?)\s*$/;

interface Citation {
  /** Null: the file does not name the contract. */
  readonly contract: string | null;
  readonly cited: string;
  readonly index: number;
}

/** Matches `pattern` at `index`, and nowhere after it. */
function matchAt(pattern: RegExp, text: string, index: number): RegExpExecArray | null {
  pattern.lastIndex = index;
  return pattern.exec(text);
}

/** The list of items that begins at `index`, ranges in full. */
function readList(text: string, start: number, contract: string): Citation[] {
  const found: Citation[] = [];
  let index = start;
  let kind = '';
  let from = '';
  for (let isRange = false; ;) {
    const item = matchAt(ITEM, text, index);
    if (!item) return found;
    const [all, section, cases, seen, appendix, number = ''] = item;
    if (section) kind = '§';
    else if (cases) kind = 'case ';
    else if (seen) kind = 'R';
    else if (appendix) kind = 'Appendix ';
    // `Appendix R 12 and 16`, and the end of a range: as the item before it.
    else if (!isRange && !(kind === 'R' && text.slice(start, index).includes('Appendix')))
      kind = number.includes('.') || !hasCases(contract) ? '§' : 'case ';
    const numbers = isRange ? [...between(from, number), number] : [number];
    for (const each of numbers) found.push({ contract, cited: kind + each, index });
    index += all.length;
    index += matchAt(PLACE, text, index)?.[0].length ?? 0;
    const separator = matchAt(SEPARATOR, text, index);
    if (!separator) return found;
    isRange = separator[1] !== undefined;
    from = number;
    index += separator[0].length;
  }
}

/** The items between `1.3` and `1.6`, or `21` and `24`. */
function between(from: string, to: string): string[] {
  const prefix = from.slice(0, from.lastIndexOf('.') + 1);
  const [first, last] = [from, to].map((number) => Number(number.slice(prefix.length))) as [number, number];
  return Array.from({ length: Math.max(0, last - first - 1) }, (_, i) => `${prefix}${first + 1 + i}`);
}

/**
 * Citations in a text. One without a name is of the contract that the text is (`own`), else of the one named last
 * before it, else of the first one that the text names.
 */
function citationsIn(source: string, own: string | null = null, bare = true): Citation[] {
  // Comments that are wrapped continue in the next line.
  const text = source.replaceAll(/\n[ \t]*(?:\*(?!\/)|\/\/)/g, (gap) => `\n${' '.repeat(gap.length - 1)}`);
  const found: Citation[] = [];
  const starts = [...text.matchAll(START)];
  let last = starts.find(([, name]) => name)?.[1] ?? null;
  let end = 0;
  for (const { 0: all, 1: name, index } of starts) {
    if (index < end) continue;
    last = name ?? last;
    if (!name && (!bare || FOREIGN.test(text.slice(Math.max(0, index - 60), index)))) continue;
    const contract = name ?? own ?? last;
    const list = name ? index + all.length : index;
    const citations =
      contract === null ? [{ contract, cited: text.slice(index, index + 12), index }] : readList(text, list, contract);
    found.push(...citations);
    end = Math.max(index, ...citations.map((citation) => citation.index)) + 1;
  }
  return found;
}

/** `src/x.ts:12 cites connect-rest §9.9`, for each citation of a missing item. */
function broken(path: string, contract: string | null = null): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8');
  // A page's own `§` and `Appendix` may be those of the page, unless it is a contract.
  const bare = contract !== null || !path.endsWith('.md');
  const citations = citationsIn(text, contract, bare);
  return citations
    .filter((citation) => !contracts.get(citation.contract ?? '')?.has(citation.cited))
    .map(({ contract: name, cited, index }) => {
      const line = text.slice(0, index).split('\n').length;
      return `${path}:${line} cites ${name ?? 'a contract that it does not name:'} ${cited}`;
    });
}

function filesUnder(folder: string): string[] {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (SKIPPED.includes(entry.name) || path === 'test/contracts.test.ts') return [];
    return entry.isDirectory() ? filesUnder(path) : /\.(?:[cm]?[jt]s|md)$/.test(entry.name) ? [path] : [];
  });
}

test.each([
  ['connect-rest §1.3 to §1.5, §2', ['§1.3', '§1.4', '§1.5', '§2']],
  ['connect-rest §7, cases 21 to 23 and 99, as seen', ['§7', 'case 21', 'case 22', 'case 23', 'case 99']],
  ['connect-rest 21, 22-24, R3: 201, Location', ['case 21', 'case 22', 'case 23', 'case 24', 'R3']],
  ['connect-rest 5.2: x', ['§5.2']],
  ['connect-rest §3.4 (6), Appendix R 12 and 16.', ['§3.4', 'R12', 'R16']],
  ['cdc-postgres 88, Appendix R.3, R.4: x', ['case 88', 'R3', 'R4']],
  ['connect-runtime §2.6 step 7, Appendix A.2 and Appendix B', ['§2.6', 'Appendix A.2', 'Appendix B']],
  ['connect-runtime §7.2, “Cast”. In 2 parts', ['§7.2']],
  ['kafka-client 3: 0 lost', ['§3']],
  ['/**\n * Source: connect-rest §1.18,\n * §2.3. */ const a = 1; // (§3.6)', ['§1.18', '§2.3', '§3.6']],
  ['bench analytics-sink [RECORDS], test/connect-rest/4', []],
  ['connect-rest §1, RFC 7628 §3.2', ['§1']],
])('reads citations: %j', (text, expected) => {
  expect(citationsIn(text).map(({ cited }) => cited)).toEqual(expected);
});

test('every contract has sections', () => {
  expect([...contracts].filter(([, contents]) => !contents.has('§1')).map(([name]) => name)).toEqual([]);
});

test.each(CONTRACTS)(
  '$contract has the $cases cases and $appendix lines of Appendix R',
  ({ contract, cases, appendix }) => {
    const contents = [...(contracts.get(contract) ?? [])];
    expect(contents.filter((each) => each.startsWith('case ')).length).toBe(cases);
    expect(contents.filter((each) => /^R\d/.test(each)).length).toBe(appendix);
  },
);

test('every cited section and case exists', () => {
  const files = CITING.flatMap(filesUnder);
  expect(files.flatMap((path) => broken(path))).toEqual([]);
});

test('contracts cite existing sections', () => {
  expect([...contracts.keys()].flatMap((name) => broken(`${FOLDER}/${name}.md`, name))).toEqual([]);
});
