/**
 * Regular expressions for the texts of config values, for JSON Schema. They allow what `parseConfigValue` and the
 * connectors' own parsers accept, and placeholders of config providers, whose values only the worker knows.
 */
import type { AcceptedText, ConfigType } from '@millrace/sdk';

/** Java trims characters up to U+0020, and plugins in JavaScript also other blanks. */
const BLANKS = String.raw`[\s\u0000-\u0020]*`;
/** `${provider:path:key}`, and `${NAME}`, which the command line replaces. */
export const PLACEHOLDER = String.raw`\$\{`;
/** Characters that case mappings turn into these letters. */
const FOLDED: Readonly<Record<string, string>> = { k: '\u212A', s: '\u017F', i: '\u0131' };

/** Digits of the largest value, since an expression for the exact range would be unreadable. */
const DIGITS = { SHORT: 5, INT: 10, LONG: 19 };
const DECIMAL = String.raw`[+-]?(?:NaN|Infinity|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[dDfF]?)`;
/** What JavaScript's `Number` reads in addition. */
const PREFIXED = '0[xXoObB][0-9a-fA-F]+';

function whole(expression: string): string {
  return `^${BLANKS}(?:${expression})${BLANKS}$|${PLACEHOLDER}`;
}

/** Null: any text. */
export function typePattern(type: ConfigType): string | null {
  switch (type) {
    case 'BOOLEAN':
      return whole(`${inAnyCase('true')}|${inAnyCase('false')}`);
    case 'SHORT':
    case 'INT':
    case 'LONG':
      return whole(`[+-]?0*[0-9]{1,${DIGITS[type]}}`);
    case 'DOUBLE':
      return whole(`${DECIMAL}|${PREFIXED}`);
    default:
      return null;
  }
}

export function acceptedPattern({ values, anyCase = false }: AcceptedText): string {
  return whole(values.map((value) => (anyCase ? inAnyCase(value) : literal(value))).join('|'));
}

/** A text that is not blank. */
export const NOT_BLANK = String.raw`\S`;

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}

/** JSON Schema has no flag for it. */
export function inAnyCase(text: string): string {
  return Array.from(text, (char) => {
    const [lower, upper] = [char.toLowerCase(), char.toUpperCase()];
    return lower === upper ? literal(char) : `[${lower}${upper}${FOLDED[lower] ?? ''}]`;
  }).join('');
}
