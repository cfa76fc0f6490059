/** Parses lines `key=value` as Java's properties, which Connect's own tools read. Pure. */
import { errorAt } from './json-text';

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', f: '\f' };

/**
 * A backslash at the end continues a line, `#` and `!` begin comments, `\uXXXX` and other escapes are replaced.
 * @throws TextError for a line without `=` or `:`, and for a key that occurs twice
 */
export function parseProperties(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let at = 0;
  let entry = '';
  let start = 0;
  for (const line of text.split('\n')) {
    const content = line.replace(/\r$/, '').replace(/^[ \t\f]+/, '');
    const isFirst = entry === '';
    if (isFirst) start = at + line.indexOf(content);
    at += line.length + 1;
    if (isFirst && (content === '' || content.startsWith('#') || content.startsWith('!'))) continue;
    entry += content;
    if (endsInBackslash(entry)) {
      entry = entry.slice(0, -1);
      continue;
    }
    add(found, entry, text, start);
    entry = '';
  }
  if (entry !== '') add(found, entry, text, start);
  return found;
}

function add(found: Map<string, string>, entry: string, text: string, start: number): void {
  let end = 0;
  while (end < entry.length && !'=: \t\f'.includes(entry[end]!)) end += entry[end] === '\\' ? 2 : 1;
  const separator = /^[ \t\f]*[=:][ \t\f]*/.exec(entry.slice(end));
  if (!separator || end === 0) throw errorAt(text, start, 'A line "key=value" is expected here.');
  const key = unescape(entry.slice(0, end), text, start);
  if (found.has(key)) throw errorAt(text, start, `The key "${key}" occurs twice.`);
  found.set(key, unescape(entry.slice(end + separator[0].length), text, start));
}

function endsInBackslash(text: string): boolean {
  let count = 0;
  while (text[text.length - 1 - count] === '\\') count++;
  return count % 2 === 1;
}

function unescape(value: string, text: string, start: number): string {
  return value.replace(/\\(u[0-9a-fA-F]{4}|[^])/g, (_, escaped: string) => {
    if (escaped.length === 5) return String.fromCharCode(parseInt(escaped.slice(1), 16));
    if (escaped === 'u') throw errorAt(text, start, 'An escape \\uXXXX in this line has no four hexadecimal digits.');
    return SIMPLE_ESCAPES[escaped] ?? escaped;
  });
}
