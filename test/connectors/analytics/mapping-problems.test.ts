import { mappingProblems } from '../../../connectors/analytics/src/service/mapping-problems';

const problems = (elements: unknown, kind = 'csv'): string[] =>
  mappingProblems(JSON.stringify(elements), kind, ['a', 'b', 'c']);

test('analytics-sink 41: both spellings of a valid mapping', () => {
  expect(
    problems([
      { Name: 'a', datatype: 'string', Ordinal: 0 },
      { Column: 'b', Properties: { Ordinal: '1' } },
      { Column: 'c', Properties: { ConstValue: 'x' } },
    ]),
  ).toEqual([]);
  expect(problems([{ column: 'a', Properties: { Transform: 'SourceLocation' } }])).toEqual([]);
  expect(problems([{ column: 'a', path: '$.a' }], 'json')).toEqual([]);
});

test.each<[string, unknown, string]>([
  ['a column that is not there', [{ Name: 'x', Ordinal: 0 }], `it names column 'x', which the table does not have`],
  ['other letters', [{ Name: 'A', Ordinal: 0 }], `it names column 'A', which the table does not have`],
  [
    'a column twice',
    [
      { Name: 'a', Ordinal: 0 },
      { Name: 'a', Ordinal: 1 },
    ],
    `it names column 'a' twice`,
  ],
  ['no ordinal', [{ Name: 'a' }], `column 'a' has no ordinal`],
  ['an ordinal below 0', [{ Column: 'a', Properties: { Ordinal: -1 } }], `column 'a' has no ordinal`],
])('%s', (_, elements, problem) => {
  expect(problems(elements)).toEqual([problem]);
});

test('analytics-sink 41: an unreadable mapping is left to the service', () => {
  expect(mappingProblems('', 'csv', [])).toEqual([]);
  expect(problems({ Name: 'x' })).toEqual([]);
});
