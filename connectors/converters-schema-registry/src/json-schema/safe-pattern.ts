/**
 * Patterns of schemas by RE2, whose time grows with the text and not exponentially. What RE2 lacks (look-around, back
 * references) makes a schema unusable for validation.
 */
import { RE2JS } from '@bufbuild/re2';
import { Misfit, unusable } from './schema-error';
import { shown } from './schema-documents';

const LONGEST = 1_000;
/** RE2 refuses more repetitions of repetitions itself. */
const MOST_REPEATED = 1_000;
/** Characters times the weight of the pattern, for one record: takes a few seconds at most. */
const MOST_MATCHED = 10_000_000;
const ESCAPE = /\\(?:u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})|u\{([\da-f]+)\}|u([\da-f]{4})|c([a-z])|[^])/gi;
const COUNT = /\{(\d+)(?:,(\d*))?\}/g;

export class SafePatterns {
  private matched = 0;

  /** Before each record. */
  reset(): void {
    this.matched = 0;
  }

  /** What ajv uses in place of RegExp. Throws DataError `JSON_SCHEMA_INVALID`. */
  compile(pattern: string): { test(text: string): boolean; toString(): string } {
    if (pattern.length > LONGEST) throw unusable(`its pattern ${shown(pattern)} has more than ${LONGEST} characters`);
    let regex: RE2JS;
    try {
      regex = RE2JS.compile(re2Syntax(pattern));
    } catch {
      throw unusable(`its pattern ${shown(pattern)} is not valid in RE2 syntax, which has no look-around`);
    }
    const weight = weightOf(pattern);
    return {
      test: (text) => {
        this.matched += weight * text.length;
        if (this.matched > MOST_MATCHED) throw new Misfit('is too long for the patterns in its schema');
        return regex.test(text);
      },
      // Ajv keeps one for each text.
      toString: () => `/${pattern}/`,
    };
  }
}

/** Escapes of JavaScript that RE2 writes in another way. */
function re2Syntax(pattern: string): string {
  return pattern.replace(
    ESCAPE,
    (all, high?: string, low?: string, braced?: string, four?: string, control?: string) => {
      if (high !== undefined && low !== undefined)
        return `\\x{${(0x10000 + ((parseInt(high, 16) - 0xd800) << 10) + parseInt(low, 16) - 0xdc00).toString(16)}}`;
      if (control !== undefined) return `\\x{${(control.charCodeAt(0) & 31).toString(16)}}`;
      const code = braced ?? four;
      return code === undefined ? all : `\\x{${code}}`;
    },
  );
}

/** At least the instructions of the compiled pattern, roughly. */
function weightOf(pattern: string): number {
  let repeated = 1;
  for (const [, least = '1', most] of pattern.matchAll(COUNT))
    repeated = Math.min(MOST_REPEATED, repeated * Math.max(1, Number(most ?? 0), Number(least)));
  return (pattern.length + 1) * repeated;
}
