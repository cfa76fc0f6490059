/**
 * Functions of CEL whose work grows with the product of two lengths. All calls of one evaluation share a limit, so that
 * no record blocks the task. Source: cdc-postgres §7.13.
 */
import { celMethod, CelScalar } from '@bufbuild/cel';
import { RE2JS } from '@bufbuild/re2';
import { patternWeight } from './pattern-weight';

export const LONGEST_PATTERN = 1_000;
/** Compiling a heavier pattern takes noticeable time and memory. */
const HEAVIEST_PATTERN = 10_000;
/** Characters times the weight of the pattern. Takes a few seconds where RE2 is slow, as for nested repetitions. */
export const MOST_MATCHED = 10_000_000;
/** JavaScript compares up to this number of characters within some tens of milliseconds. */
const MOST_COMPARED = 100_000_000;

interface Pattern {
  readonly regex: RE2JS;
  readonly weight: number;
}

export class BoundedFunctions {
  /** All patterns are constants of one expression, so they are few and compiled once. */
  private readonly patterns = new Map<string, Pattern>();
  private matched = 0;
  private compared = 0;

  readonly all = [this.contains(), this.matches()];

  /** Before each evaluation. */
  reset(): void {
    this.matched = 0;
    this.compared = 0;
  }

  /** Before `matches` is called with it. Throws SyntaxError with the reason. */
  compile(pattern: string): void {
    const weight = patternWeight(pattern);
    if (weight > HEAVIEST_PATTERN) {
      throw new SyntaxError(
        `the pattern ${pattern} repeats its parts too often (${weight}, at most ${HEAVIEST_PATTERN})`,
      );
    }
    try {
      this.patterns.set(pattern, { regex: RE2JS.compile(pattern), weight });
    } catch (error) {
      throw new SyntaxError(`the pattern ${pattern} is not valid in RE2 syntax: ${(error as Error).message}`, {
        cause: error,
      });
    }
  }

  private matches(): ReturnType<typeof celMethod> {
    const find = (text: string, pattern: string): boolean => {
      const { regex, weight } = this.patterns.get(pattern) as Pattern;
      this.matched += weight * text.length;
      if (this.matched <= MOST_MATCHED) return regex.test(text);
      throw new RangeError(`matches searches ${text.length} characters for a pattern, which takes too long`);
    };
    return celMethod('matches', CelScalar.STRING, [CelScalar.STRING], CelScalar.BOOL, function (pattern) {
      return find(this, pattern);
    });
  }

  private contains(): ReturnType<typeof celMethod> {
    const find = (text: string, part: string): boolean => {
      this.compared += text.length * part.length;
      if (this.compared <= MOST_COMPARED) return text.includes(part);
      throw new RangeError(`contains searches for ${part.length} characters in ${text.length}, which takes too long`);
    };
    return celMethod('contains', CelScalar.STRING, [CelScalar.STRING], CelScalar.BOOL, function (part) {
      return find(this, part);
    });
  }
}
