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
    // As in Java 17.
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
    ['\\Qa-b/c\\E', 'a-b/c', true],
    ['\\P{Alpha}+', '1_', true],
    ['\\P{Alpha}', 'a', false],
    ['(?i)\\P{Lower}', 'A', false],
    ['[\\P{Alpha}x]+', '1x', true],
    ['[a-z&&[^\\P{Alpha}]]', 'b', true],
    ['(?i)\\P{Lu}', 'a', false],
    ['(?i)[^\\P{Lu}]', 'a', true],
    ['(?i)[^\\p{Lu}]', 'a', false],
    ['\\pL+', 'aé', true],
    ['\\s', '\u00a0', false],
    ['\\S', '\u00a0', true],
    ['[\\S]', '\u00a0', true],
    ['\\h', '\u00a0', true],
    ['\\v', '\n', true],
    ['[\\v]', '\u2028', true],
    ['\\V', '\n', false],
    ['\\a\\e', '\u0007\u001b', true],
    ['\\p{Blank}\\p{Graph}\\p{Print}\\p{Cntrl}', ' a \t', true],
    ['[\\w-.]+', 'a-b.c', true],
    ['[\\w-z]', '-', true],
    ['[\\p{Alpha}-.]', '-', true],
    ['[a-z-9]+', 'b-9', true],
    ['[-a&&[a]]', 'a', true],
    ['[+--]+', '+,-', true],
    ['[!!&&[!]]', '!', true],
    ['[a{2}]+', '{2}', true],
    ['(?i)[Z-a]', 'z', true],
    ['(?i)\\x41', 'a', true],
    ['(?<name>a)\\k<name>', 'aa', true],
  ])('%s on %s: %p', (pattern, text, expected) => {
    expect(matchesFully(compileJavaRegex(pattern), text)).toBe(expected);
    expect(anchored(compileJavaRegex(pattern)).test(text)).toBe(expected);
  });
  test('an invalid expression is rejected, and one without a JavaScript equivalent', () => {
    for (const pattern of ['[', '(', '*a', '[&&a]', '\\R', '\\p{IsAlphabetic}', '(?>a)b', '\\y'])
      expect(() => compileJavaRegex(pattern)).toThrow(SyntaxError);
  });

  test('errors quote the original expression', () => {
    expect(() => compileJavaRegex('\\p{Alpha}\\p{IsAlphabetic}', 'i')).toThrow(
      'Invalid regular expression: \\p{Alpha}\\p{IsAlphabetic}: Invalid property name',
    );
  });

  test('an expression longer than 32,768 characters is rejected, and not repeated', () => {
    const topics = Array.from({ length: 3_000 }, (_, i) => `topic-${i}`).join('|');
    expect(anchored(compileJavaRegex(topics)).test('topic-2999')).toBe(true);
    const reason = (pattern: string): string => {
      try {
        compileJavaRegex(pattern);
        return 'none';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(reason('a'.repeat(32_768))).toBe('none');
    expect(reason('a'.repeat(32_769))).toMatch(/^Invalid regular expression: a{100}…: it has 32769 characters/);
  });

  test('flags passed with the expression have Java’s meaning', () => {
    expect(compileJavaRegex('abc', 'i').test('ABC')).toBe(true);
    expect(compileJavaRegex('(?iu)abc', 'i').test('ABC')).toBe(true);
  });
});
