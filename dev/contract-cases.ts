/**
 * Prints the cases of the contracts with the test files that cite them: `npm run cases -- [CONTRACT]`. A case that
 * differs from Java is marked; docs/compatibility.md says how.
 */
import { caseNumbers, citingTests, CONTRACTS, rows } from '../test/helpers/compatibility-page';

const [, , only] = process.argv;
for (const contract of CONTRACTS.filter((each) => only === undefined || each.contract === only)) {
  const cited = citingTests(contract.contract);
  for (const number of caseNumbers(contract)) {
    const row = rows.find((each) => each.contract === contract.contract && each.number === number);
    const tests = cited.get(number) ?? row?.tests.map(({ file }) => file) ?? [];
    console.log(`${contract.contract} ${number}${row ? ` (${row.state})` : ''}: ${tests.join(' ')}`);
  }
}
