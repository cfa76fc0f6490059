import { PatternList, patternProblem } from '../../../../connectors/postgres/src/config/patterns';

const matches = (list: string, name: string): boolean => PatternList.parse(list).matches(name);

test('cdc-postgres 6: whole name, any case, several patterns, escaped comma', () => {
  expect(matches('PUBLIC\\.TODOS', 'public.todos')).toBe(true);
  expect(matches('public.tod', 'public.todos')).toBe(false);
  expect(matches('public\\.t.*,public\\.x', 'public.x')).toBe(true);
  expect(matches('public\\.t.*, public\\.x', 'public.x')).toBe(true);
  expect(matches('public\\.a{1\\,2}', 'public.aa')).toBe(true);
  expect(matches('public.todos', 'publicXtodos')).toBe(true);
});

test('Java forms', () => {
  expect(matches('\\Qa.b[c]\\E', 'a.b[c]')).toBe(true);
  expect(matches('\\Qa.b\\E', 'axb')).toBe(false);
  expect(matches('(?i)A', 'a')).toBe(true);
  expect(matches('(?<n>a)\\k<n>', 'aa')).toBe(true);
});

test.each([
  // As Java 17 answers, with CASE_INSENSITIVE.
  ['public\\.users\\.\\p{Alpha}*password', 'public.users.oldPassword', true],
  ['public\\.users\\.\\p{Lower}+', 'public.users.ABC', true],
  ['public\\.users\\.\\P{Alpha}+', 'public.users.123', true],
  ['public\\.users\\.\\P{Alpha}+', 'public.users.abc', false],
  ['public\\.users\\.\\p{L}+', 'public.users.größe', true],
  ['public\\.users\\.[a-z&&[^p]]+', 'public.users.pin', false],
  ['public\\.users\\.[a-z&&[^p]]+', 'public.users.Code', true],
  ['\\Apublic\\.users\\z', 'public.users', true],
  ['public\\.[\\w-.]+', 'public.a-b.c', true],
  ['public\\.\\x{1F600}', 'public.😀', true],
  ['public\\..', 'public.😀', true],
])('a pattern has Java’s meaning: %s on %s: %p', (pattern, name, expected) => {
  expect(matches(pattern, name)).toBe(expected);
});

test('case is also ignored beyond ASCII, unlike in Java', () => {
  expect(matches('public\\.ÄRZTE', 'public.ärzte')).toBe(true);
});

test.each(['(?>a)', '[', '\\p{IsAlphabetic}', 'a(?i)b', '\\y'])(
  'an expression without an equivalent is rejected: %s',
  (pattern) => {
    expect(patternProblem(pattern)).toMatch(/^A comma-separated list of valid regular expressions is expected, but /);
  },
);
