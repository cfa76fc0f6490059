import { labelsOf, parseSelector } from '../../../packages/cli/src/documents/connector-document';

test('labels are keys with a prefix', () => {
  expect(labelsOf({ name: 'a', 'millrace.label.team': 'x', 'millrace.label.none': null })).toEqual({
    team: 'x',
    none: '',
  });
});

test.each([
  ['team=a', true],
  ['team==a', true],
  ['team=b', false],
  ['team!=b', true],
  ['env!=prod', true],
  ['team', true],
  ['!team', false],
  ['!constructor', true],
  ['team=a, !env', true],
  ['team=a,env', false],
])('selector %s', (selector, expected) => {
  expect(parseSelector(selector)({ team: 'a' })).toBe(expected);
});

test.each(['', '=a', 'a,,b', '!a=b', 'a b=c'])('"%s" is no selector', (text) => {
  expect(() => parseSelector(text)).toThrow(/is not a label selector/);
});
