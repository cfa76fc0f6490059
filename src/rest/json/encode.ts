/**
 * Writes responses in JSON as Jackson does: compact, UTF-8, escapes in upper case. Characters outside the BMP are
 * escaped, all others are raw. Source: connect-rest §0.2, observed on 4.3.1.
 *
 * The strings are those of `quote` in json/quote.ts. A pass over the output of JSON.stringify is used nevertheless: it
 * does nothing for most responses, while writing every string with `quote` takes about twice as long.
 */
export function encodeJson(value: unknown): Buffer {
  if (value instanceof JsonText) return Buffer.from(value.text, 'utf8');
  return Buffer.from(asJackson(JSON.stringify(value)), 'utf8');
}

/** A body that is already JSON, because it contains numbers that JavaScript cannot represent exactly. */
export class JsonText {
  constructor(readonly text: string) {}
}

const SURROGATES_FROM = 0xd800;
const SURROGATES_TO = 0xdfff;
const BACKSLASH = 0x5c;
const LETTER_U = 0x75;
/** Matches where JavaScript's JSON and Jackson's may differ. */
const DIFFERS = /\\u|[\ud800-\udfff]/;

/** A single pass, because a callback for each of a million characters would block the event loop. */
function asJackson(text: string): string {
  if (!DIFFERS.test(text)) return text;
  let written = '';
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === BACKSLASH) {
      at++;
      if (text.charCodeAt(at) !== LETTER_U) continue;
      written += text.slice(from, at + 1) + text.slice(at + 1, at + 5).toUpperCase();
      at += 4;
      from = at + 1;
    } else if (unit >= SURROGATES_FROM && unit <= SURROGATES_TO) {
      written += text.slice(from, at) + surrogateEscape(unit);
      from = at + 1;
    }
  }
  return written + text.slice(from);
}

const escapes: string[] = [];

function surrogateEscape(unit: number): string {
  return (escapes[unit - SURROGATES_FROM] ??= `\\u${unit.toString(16).toUpperCase()}`);
}
