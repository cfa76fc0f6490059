/**
 * Characters that would begin another line, control a terminal, be invisible, or change the order of their neighbours.
 * Texts of records, servers and callers may contain any of them. Joiners within scripts and emoji are not among them.
 */
export const CONTROLS =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff' +
  '\\ufff9-\\ufffb\\u{e0000}-\\u{e0fff}';
const CONTROL = new RegExp(`[${CONTROLS}]|\\p{Surrogate}`, 'gu');
const LINE_END = /\r\n?|[\n\v\f\u0085\u2028\u2029]/g;

/** One line: each such character as the escape that JSON has for it. Inside a JSON text, the value stays the same. */
export function escapeControls(text: string): string {
  return text.replace(CONTROL, escape);
}

/** Line feeds and tabs remain, as in an indented JSON text. */
export function escapeInLines(text: string): string {
  return text.replace(CONTROL, (character) =>
    character === '\n' || character === '\t' ? character : escape(character),
  );
}

/** Several lines, of which none but the first begins at the margin, where a line of the log does. */
export function indentedLines(text: string): string {
  return escapeInLines(text.replace(LINE_END, '\n')).replaceAll('\n', '\n    ');
}

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escape(character: string): string {
  return SHORT[character] ?? Array.from({ length: character.length }, (_, at) => unit(character, at)).join('');
}

function unit(text: string, at: number): string {
  return `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
}
