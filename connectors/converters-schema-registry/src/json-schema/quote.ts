/** JSON strings as Jackson writes them to UTF-8. */

const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/g; // eslint-disable-line no-control-regex
const NAMED: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\f', '\\f'],
  ['\r', '\\r'],
]);

/** The text in quotes. Surrogates become `\uXXXX`, so that none is replaced by U+FFFD. */
export function quote(text: string): string {
  return `"${text.replace(NEEDS_ESCAPE, escaped)}"`;
}

function escaped(unit: string): string {
  return NAMED.get(unit) ?? `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}
