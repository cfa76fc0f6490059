/**
 * Parses Java's properties format. Pure. Rules: an odd number of trailing backslashes continues a line (blanks at the
 * start of the next line are dropped); `#` and `!` start comments; a key ends at the first unescaped `=`, `:` or blank;
 * escapes are `\t \n \r \f \uXXXX`, any other escaped character stands for itself; trailing blanks belong to the value;
 * the last of equal keys wins. Source: java.util.Properties, connect-rest §5, connect-runtime §8.4.
 */

/** The text is not in properties format; the message names the line. */
export class PropertiesSyntaxError extends Error {
  /** First line of the invalid entry, from 1. */
  readonly line: number;
  constructor(line: number, reason: string) {
    super(`line ${line}: ${reason}`);
    this.name = 'PropertiesSyntaxError';
    this.line = line;
  }
}

interface LogicalLine {
  readonly text: string;
  readonly line: number;
}

const BLANK = /^[ \t\f]+/;
const SIMPLE_ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' };

/** @example parseProperties('group.id = connect\n# comment\nlisteners=http://:8083') */
export function parseProperties(text: string): Record<string, string> {
  // A Map, because `__proto__` is a legal key.
  const settings = new Map<string, string>();
  for (const { text: entry, line } of logicalLines(text.replace(/^\uFEFF/, ''))) {
    const { key, value } = split(entry);
    settings.set(unescape(key, line), unescape(value, line));
  }
  return Object.fromEntries(settings);
}

function* logicalLines(text: string): Generator<LogicalLine> {
  const lines = text.split(/\r\n|\n|\r/);
  for (let i = 0; i < lines.length; i++) {
    const first = (lines[i] as string).replace(BLANK, '');
    if (first === '' || first.startsWith('#') || first.startsWith('!')) continue;
    const line = i + 1;
    let joined = first;
    while (endsInContinuation(joined)) {
      joined = joined.slice(0, -1);
      if (++i >= lines.length) break;
      joined += (lines[i] as string).replace(BLANK, '');
    }
    if (joined !== '') yield { text: joined, line };
  }
}

function endsInContinuation(text: string): boolean {
  let backslashes = 0;
  while (text[text.length - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}

function split(entry: string): { key: string; value: string } {
  let end = 0;
  while (end < entry.length && !'=: \t\f'.includes(entry[end] as string)) end += entry[end] === '\\' ? 2 : 1;
  const rest = entry.slice(end).replace(/^[ \t\f]*[=:]?[ \t\f]*/, '');
  return { key: entry.slice(0, end), value: rest };
}

function unescape(text: string, line: number): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(u[0-9a-fA-F]{4}|[^])/g, (_, escaped: string) => {
    if (escaped.length === 5) return String.fromCharCode(parseInt(escaped.slice(1), 16));
    if (escaped === 'u') throw new PropertiesSyntaxError(line, 'Malformed \\uxxxx encoding.');
    return SIMPLE_ESCAPES[escaped] ?? escaped;
  });
}
