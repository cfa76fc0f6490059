/** JSON strings as Jackson writes them to UTF-8. Source: connect-runtime §1.3. */

const NEEDS_ESCAPE = /["\\\u0000-\u001f\ud800-\udfff]/; // eslint-disable-line no-control-regex
/** Up to this length, a loop over the characters is faster than the regular expression. */
const SHORT = 24;

const NAMED: Readonly<Record<number, string>> = {
  0x22: '\\"',
  0x5c: '\\\\',
  0x08: '\\b',
  0x09: '\\t',
  0x0a: '\\n',
  0x0c: '\\f',
  0x0d: '\\r',
};

/** The text in quotes. Surrogates become `\uXXXX`, so that none is replaced by U+FFFD. */
export function quote(text: string): string {
  const length = text.length;
  if (length > SHORT) return NEEDS_ESCAPE.test(text) ? escaped(text) : '"' + text + '"';
  for (let i = 0; i < length; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x20 || c === 0x22 || c === 0x5c || (c & 0xf800) === 0xd800) return escaped(text);
  }
  return '"' + text + '"';
}

function escaped(text: string): string {
  let out = '"';
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c >= 0x20 && c !== 0x22 && c !== 0x5c && (c & 0xf800) !== 0xd800) continue;
    out += text.slice(from, i) + (NAMED[c] ?? '\\u' + c.toString(16).toUpperCase().padStart(4, '0'));
    from = i + 1;
  }
  return out + text.slice(from) + '"';
}
