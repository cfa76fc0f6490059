import { anchored, compileJavaRegex, matchesFully } from '@millrace/sdk';

describe("Java's regular expressions", () => {
  test.each([
    ['(?i)abc.*', 'ABCd', true],
    ['abc', 'xabc', false],
    ['a|b', 'b', true],
    ['\\Qa.b\\E-\\d+', 'a.b-12', true],
    ['\\Qa.b\\E', 'axb', false],
    ['\\p{Alpha}+[\\p{Digit}_]*', 'ab1_', true],
    ['\\p{L}+', 'äöü', true],
    ['a\\-b', 'a-b', true],
    ['x*+y', 'xxy', true],
    ['\\Aab\\z', 'ab', true],
    ['a\\++', 'a++', true],
    // As Java 17 answers.
    ['[a-z&&[^b]]+', 'ac', true],
    ['[a-z&&[^b]]+', 'ab', false],
    ['[^a-z&&[b-d]]', 'a', true],
    ['[^a-z&&[b-d]]', 'b', false],
    ['[a-z&&[^b]&&[^x]]', 'x', false],
    ['[a-c[x-z]]+', 'ax', true],
    ['a&&b', 'a&&b', true],
    ['[]a]', ']', true],
    ['[^]a]', ']', false],
    ['a\\_b', 'a_b', true],
    ['[\\&]', '&', true],
    ['[(|)]', '|', true],
    ['a}', 'a}', true],
    ['\\p{L}\\-x', 'é-x', true],
    ['\\x{1F600}', '😀', true],
    ['\\é', 'é', true],
  ])('%s on %s: %p', (pattern, text, expected) => {
    expect(matchesFully(compileJavaRegex(pattern), text)).toBe(expected);
    expect(anchored(compileJavaRegex(pattern)).test(text)).toBe(expected);
  });
  test('a broken one is refused, and one that JavaScript has no words for', () => {
    for (const pattern of ['[', '(', '*a', '[&&a]', '\\h', '\\p{IsAlphabetic}', '(?>a)b', '\\y'])
      expect(() => compileJavaRegex(pattern)).toThrow(SyntaxError);
  });
});
