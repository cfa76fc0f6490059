/**
 * Answers in JSON as Jackson writes it: compact, UTF-8, escapes in upper case; characters beyond the BMP are escaped, everything else is raw.
 * Source: connect-rest §0.2, seen on 4.3.1.
 */
export function encodeJson(value: unknown): Buffer {
  if (value instanceof JsonText) return Buffer.from(value.text, 'utf8');
  const text = JSON.stringify(value).replace(/\\(?:u[0-9a-f]{4}|.)|[\ud800-\udfff]/g, (found) => {
    if (found.length === 1) return escaped(found.charCodeAt(0).toString(16));
    return found[1] === 'u' ? escaped(found.slice(2)) : found;
  });
  return Buffer.from(text, 'utf8');
}

/** A body that is JSON already, because it holds numbers that JavaScript cannot tell apart. */
export class JsonText {
  constructor(readonly text: string) {}
}

function escaped(digits: string): string {
  return `\\u${digits.toUpperCase()}`;
}
