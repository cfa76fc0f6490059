/** Splits commands and queries into tokens. Source: analytics-sink §5.11 (string literals), §7.5 (names). */
import { badRequest } from '../kusto-error';

export type Token =
  | { readonly kind: 'word' | 'number' | 'symbol'; readonly text: string; readonly at: number; readonly end: number }
  /** `text` is the value. */
  | { readonly kind: 'string'; readonly text: string; readonly at: number; readonly end: number };

const WORD = /[A-Za-z_$][A-Za-z0-9_$]*(?:-(?=[a-z])[a-z]+)*/y;
const NUMBER = /-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const SYMBOL = /==|!=|<=|>=|<\||=~|!~|[-.|,;:()[\]{}=<>*/+@%]/y;
const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', '\\': '\\', "'": "'", '"': '"', '0': '\0' };

/** @throws KustoError with the position of invalid text. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text[at] as string;
    if (/\s/.test(char)) at++;
    else if (text.startsWith('//', at)) at = endOfLine(text, at);
    else {
      const token = literal(text, at) ?? plain(text, at);
      tokens.push(token);
      // The rest is inline data in any format.
      if (token.text === '<|' && token.kind === 'symbol') break;
      at = token.end;
    }
  }
  return tokens;
}

function plain(text: string, at: number): Token {
  for (const [kind, pattern] of [
    ['word', WORD],
    ['number', NUMBER],
    ['symbol', SYMBOL],
  ] as const) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) return { kind, text: match[0], at, end: at + match[0].length };
  }
  throw badRequest(`Syntax error: unexpected '${text[at] ?? ''}' at position ${at}`, 'General_BadRequest');
}

/**
 * `'…'` and `"…"` with escapes, `@'…'` verbatim with doubled quotes, ``` blocks; a prefix `h` has no effect here.
 */
function literal(text: string, at: number): Token | null {
  const start = text[at] === 'h' && /['"@]/.test(text[at + 1] ?? '') ? at + 1 : at;
  if (text.startsWith('```', start)) {
    const end = text.indexOf('```', start + 3);
    if (end < 0) throw unterminated(at);
    return { kind: 'string', text: text.slice(start + 3, end), at, end: end + 3 };
  }
  if (text[start] === '@' && /['"]/.test(text[start + 1] ?? '')) return verbatim(text, at, start + 1);
  return /['"]/.test(text[start] ?? '') ? escaped(text, at, start) : null;
}

function verbatim(text: string, at: number, open: number): Token {
  const quote = text[open] as string;
  let value = '';
  for (let i = open + 1; i < text.length; i++) {
    if (text[i] !== quote) value += text[i];
    else if (text[i + 1] === quote) value += text[i++];
    else return { kind: 'string', text: value, at, end: i + 1 };
  }
  throw unterminated(at);
}

function escaped(text: string, at: number, open: number): Token {
  const quote = text[open] as string;
  let value = '';
  for (let i = open + 1; i < text.length; i++) {
    const char = text[i] as string;
    if (char === quote) return { kind: 'string', text: value, at, end: i + 1 };
    if (char !== '\\') value += char;
    else if (text[i + 1] === 'u' && /^[0-9a-fA-F]{4}$/.test(text.slice(i + 2, i + 6))) {
      value += String.fromCharCode(parseInt(text.slice(i + 2, i + 6), 16));
      i += 5;
    } else {
      const replaced = ESCAPES[text[++i] ?? ''];
      if (replaced === undefined) throw badRequest(`Syntax error: unknown escape at position ${i - 1}`);
      value += replaced;
    }
  }
  throw unterminated(at);
}

function unterminated(at: number): Error {
  return badRequest(`Syntax error: the string literal at position ${at} is not closed`);
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}
