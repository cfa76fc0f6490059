/**
 * Text from the worker as it may be shown: characters that are invisible, or that change the order of their
 * neighbours, become escapes, so that two different names never look alike. Joiners within scripts and emoji remain.
 */
const ESCAPED =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]|\p{Surrogate}/gu;

/** One line: line feeds and tabs are escaped, too. */
export function printable(text: string): string {
  return text.replace(ESCAPED, escape);
}

/** Several lines, such as a trace: line feeds and tabs remain. */
export function printableLines(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(ESCAPED, (character) => (character === '\n' || character === '\t' ? character : escape(character)));
}

function escape(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  if (character === '\r') return '\\r';
  const hex = (character.codePointAt(0) as number).toString(16).toUpperCase();
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`;
}

/** @returns the address if a link may lead there, else null */
export function linkable(url: string): string | null {
  try {
    const { protocol, href } = new URL(url);
    return protocol === 'http:' || protocol === 'https:' ? href : null;
  } catch {
    return null;
  }
}
