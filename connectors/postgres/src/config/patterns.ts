/**
 * Comma-separated lists of Java regular expressions, matched against the whole name, ignoring case (cdc-postgres §1.1).
 */
import { anchored, compileJavaRegex } from '@millrace/sdk';

/** `\,` is a comma inside a pattern. */
export function splitList(text: string): string[] {
  return text
    .split(/(?<!\\),/)
    .map((part) => part.trim().replaceAll('\\,', ','))
    .filter((part) => part !== '');
}

export class PatternList {
  readonly patterns: readonly RegExp[];

  /** Throws SyntaxError for an invalid regular expression, and for one that JavaScript cannot express. */
  constructor(readonly sources: readonly string[]) {
    this.patterns = sources.map((source) => anchored(compileJavaRegex(source, 'i')));
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

/** Why one of the expressions cannot be used, or null. */
export function patternsProblem(sources: readonly string[]): string | null {
  try {
    new PatternList(sources);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Message for the validation result of a list, or null. */
export function patternProblem(text: string): string | null {
  const reason = patternsProblem(splitList(text));
  return reason === null ? null : `A comma-separated list of valid regular expressions is expected, but ${reason}`;
}
