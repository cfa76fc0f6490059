/** docs/compatibility.md is complete, and every test it names exists and cites the case. */
import { casesOf, CONTRACTS, namedTests, page, rows, textOf } from '../helpers/compatibility-page';

/** Case numbers that a file's titles (for REST also the rows of its `test.each`) carry. */
function cases(contract: string, file: string): Set<string> {
  const text = textOf(file);
  const found = new Set(casesOf(contract, text));
  if (contract === 'connect-rest') {
    for (const pattern of [/^\s+(?:\[\s*)?'(R?\d+)',/gm, /\[\s*'(R?\d+)'/g])
      for (const [, number = ''] of text.matchAll(pattern)) found.add(number);
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

test('states are valid, a different row describes the difference, a same row has a test', () => {
  for (const { contract, number, state, tests, difference } of rows) {
    const name = `${contract} ${number}`;
    expect([name, ['same', 'different', 'absent', 'untested'].includes(state)]).toEqual([name, true]);
    if (state === 'different') expect([name, difference]).not.toEqual([name, '']);
    if (state === 'same') expect([name, tests.length]).not.toEqual([name, 0]);
    if (state === 'absent' || state === 'untested') expect([name, tests]).toEqual([name, []]);
  }
});

test('every named test exists, by its title or by the number of its case', () => {
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
  expect(keys.length).toBeGreaterThan(0);
  expect(keys.filter((key) => !page.includes(`\`${key}\``))).toEqual([]);
});
