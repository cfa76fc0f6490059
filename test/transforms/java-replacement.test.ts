/**
 * Replacement texts that Java rejects, and groups that only one of the two languages would find. Source:
 * connect-runtime §7.2, “RegexRouter”.
 */
import { compileJavaRegex, compileJavaReplacement } from '@millrace/sdk';
import { builtInTransformations } from '../../src/transforms';

test.each([
  ['(a)(b)', 'ab', '$2$1', 'ba'],
  ['(a)(b)', 'ab', '$0!', 'ab!'],
  ['(a)(b)', 'ab', '$21', 'b1'],
  ['(a)|(b)', 'b', '[$1]', '[]'],
  ['(?<x>a)[(](b)', 'a(b', '${x}$2', 'ab'],
  ['a', 'a', '\\$1$&'.replace('$&', '\\$&'), '$1$&'],
  ['a', 'a', "`'&", "`'&"],
])('connect-runtime 105: %s in %s by %s is %s', (pattern, text, replacement, expected) => {
  const regex = compileJavaRegex(pattern);
  expect(text.replace(regex, compileJavaReplacement(regex, replacement))).toBe(expected);
});

test.each([
  ['$2', 'No group 2'],
  ['${name}', 'No group with name {name}'],
  ['$x', 'Illegal group reference'],
  ['$', 'Illegal group reference'],
  ['x\\', 'character to be escaped is missing'],
])(
  'connect-runtime 105: %s is rejected when the transformation is configured, not with the first record',
  (text, reason) => {
    const { plugin } = builtInTransformations.find(({ className }) => className.endsWith('.RegexRouter'))!;
    expect(() => {
      plugin.create().configure({ regex: '(a)', replacement: text });
    }).toThrow(`Invalid value ${text} for configuration replacement: ${reason}`);
  },
);
