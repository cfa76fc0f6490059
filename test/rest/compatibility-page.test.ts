/** docs/compatibility.md: each row has a test that exists, and each case of a contract has a test or a row. */
import {
  caseNumbers,
  citedCases,
  citingTests,
  CONTRACTS,
  namedTests,
  page,
  rows,
  textOf,
} from '../helpers/compatibility-page';

test('the page begins with a summary that fits a screen, without commands of tests', () => {
  const summary = page.slice(0, page.indexOf('\n## The tables')).trimEnd();
  expect(summary.split('\n').length).toBeLessThanOrEqual(40);
  for (const part of ['The same as in Java:', 'Different', 'Missing:']) expect(summary).toContain(`\n${part}`);
  expect(summary).not.toMatch(/npm |test\//);
});

test.each(CONTRACTS)('every case of $contract is cited by a test or has a row that says why not', (contract) => {
  const cited = citingTests(contract.contract);
  const stated = new Set(rows.filter((row) => row.contract === contract.contract).map(({ number }) => number));
  expect(caseNumbers(contract).filter((number) => !cited.has(number) && !stated.has(number))).toEqual([]);
});

test('a row is about a case of its contract, once, and says how it differs', () => {
  const names = rows.map(({ contract, number }) => `${contract} ${number}`);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  const cases = new Set(CONTRACTS.flatMap((each) => caseNumbers(each).map((number) => `${each.contract} ${number}`)));
  expect(names.filter((name) => !cases.has(name))).toEqual([]);
  expect(rows.filter(({ difference }) => difference === '')).toEqual([]);
});

test('every named test exists, by its title or by the number of its case', () => {
  const missing = namedTests(page)
    .filter(({ file, title }) => !textOf(file).includes(title ?? ''))
    .concat(namedTests(page).filter(({ file }) => textOf(file) === ''));
  expect(missing).toEqual([]);
  const silent = rows.flatMap(({ contract, number, tests }) =>
    tests
      .filter(({ file, title }) => title === null && !citedCases(contract, file).has(number))
      .map(({ file }) => `${contract} ${number} in ${file}`),
  );
  expect(silent).toEqual([]);
});

test('every unsupported key of the PostgreSQL source is named', () => {
  const source = textOf('connectors/postgres/src/config/unsupported.ts');
  const keys = [...source.matchAll(/\bkey: '([a-z.]+)'/g)].map(([, key = '']) => key);
  expect(keys.length).toBeGreaterThan(0);
  expect(keys.filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
});
