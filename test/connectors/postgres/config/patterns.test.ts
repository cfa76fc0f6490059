import { editDistance } from '../../../../connectors/postgres/src/config/edit-distance';
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

test.each(['a*+', '(?>a)', 'a}+b', '['])('what cannot be expressed is refused: %s', (pattern) => {
  expect(patternProblem(pattern)).toMatch(/^A comma-separated list of valid regular expressions is expected, but /);
});

test('edit distance stops at its limit', () => {
  expect(editDistance('slot.name', 'slot.nmae', 2)).toBe(2);
  expect(editDistance('slot.name', 'slots.name', 2)).toBe(1);
  expect(editDistance('slot.name', 'something', 2)).toBe(3);
});
