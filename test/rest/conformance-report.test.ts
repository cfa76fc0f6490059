/** The comparison of the black-box cases detects every kind of difference. */
import type { Row } from '../helpers/compatibility-page';
import { disagreements, markdown, reportRows, type Column } from '../conformance/rest/report';
import type { CaseResult } from '../conformance/rest/runner';

/** Not in the titles, which would count as tests of these cases. */
const CONTRACT = 'connect-rest';

const result = (title: string, state: CaseResult['state'] = 'passed'): CaseResult => ({
  file: 'test/conformance/rest/x.test.ts',
  title,
  state,
  message: '',
});
const columns = (ours: CaseResult[], java: CaseResult[]): Column[] => [
  { name: 'Ours', java: false, results: ours },
  { name: 'Java', java: true, results: java },
];
const row = (number: string, state: Row['state'], file = 'test/conformance/rest/x.test.ts'): Row => ({
  contract: CONTRACT,
  number,
  state,
  tests: [{ file, title: null }],
  difference: '',
});

test('rows in the order of the contract, with each worker’s result', () => {
  const found = columns(
    [result(`${CONTRACT} R3: c (differs from Java)`), result(`${CONTRACT} 10 to 12: b`), result(`${CONTRACT} 2: a`)],
    [result(`${CONTRACT} R3: c (differs from Java)`), result(`${CONTRACT} 10 to 12: b`, 'failed')],
  );
  const rows = reportRows(found);
  expect(rows.map(({ numbers, verdicts }) => [numbers.join(), ...verdicts])).toEqual([
    ['2', 'as in the contract', 'left out'],
    ['10,11,12', 'as in the contract', 'FAILED'],
    ['R3', 'as in the contract', 'differs'],
  ]);
  expect(markdown(rows, found)).toContain('| 10, 11, 12 | as in the contract | FAILED | b |');
});

test.each<[string, string, Row | null, string[]]>([
  ['same and shown', `${CONTRACT} 5: x`, null, []],
  ['different and shown', `${CONTRACT} 5: x (differs from Java)`, row('5', 'different'), []],
  ['differs unsaid', `${CONTRACT} 5: x (differs from Java)`, null, ['5 differs, but the page says nothing']],
  [
    'said to differ, and does not',
    `${CONTRACT} 5: x`,
    row('5', 'different'),
    ['5 does not differ, but the page says so and names a black-box test'],
  ],
  [
    'a difference that no client sees from outside',
    `${CONTRACT} 5: x`,
    row('5', 'different', 'test/rest/x.test.ts'),
    [],
  ],
  ['shown, but absent', `${CONTRACT} 5: x`, row('5', 'absent'), ['5 is shown, but the page says absent']],
])('%s', (_name, title, page, sentences) => {
  expect(disagreements(reportRows(columns([result(title)], [result(title)])), page ? [page] : [])).toEqual(sentences);
});

test('a documented difference that its black-box tests no longer show', () => {
  expect(disagreements([], [row('5', 'different')])).toEqual([
    '5 does not differ, but the page says so and names a black-box test',
  ]);
});
