/** Comma-separated lists of Java regular expressions, matched whole and without regard to case (cdc-postgres §1.1). */

/** `\,` is a comma inside a pattern. */
export function splitList(text: string): string[] {
  return text
    .split(/(?<!\\),/)
    .map((part) => part.trim().replaceAll('\\,', ','))
    .filter((part) => part !== '');
}

/** Throws SyntaxError for what is no regular expression or cannot be expressed in JavaScript. */
export function javaPattern(source: string): RegExp {
  let text = source.replace(/\\Q(.*?)(?:\\E|$)/gs, (_, literal: string) =>
    literal.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
  );
  text = text.replace(/^\(\?[iu]+\)/, '');
  if (/\(\?>/.test(text)) throw new SyntaxError(`atomic groups are not supported in "${source}"`);
  if (/(?<!\\)(?:[*+?}])\+/.test(text))
    throw new SyntaxError(`possessive quantifiers are not supported in "${source}"`);
  return new RegExp(`^(?:${text})$`, 'i');
}

export class PatternList {
  readonly patterns: readonly RegExp[];

  constructor(readonly sources: readonly string[]) {
    this.patterns = sources.map(javaPattern);
  }

  static parse(text: string): PatternList {
    return new PatternList(splitList(text));
  }

  matches(name: string): boolean {
    return this.patterns.some((pattern) => pattern.test(name));
  }

  /** Position of the first pattern that matches, or -1. */
  indexOf(name: string): number {
    return this.patterns.findIndex((pattern) => pattern.test(name));
  }
}

/** Message for the validation result, or null. */
export function patternProblem(text: string): string | null {
  try {
    PatternList.parse(text);
    return null;
  } catch (error) {
    return `A comma-separated list of valid regular expressions is expected, but ${(error as Error).message}`;
  }
}
