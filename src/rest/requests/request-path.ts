/**
 * Checks and tidies a request's path before routing: matrix parameters go, what no client can mean is refused. Names
 * with `/`, `%` or `\` are addressable percent-encoded, unlike in Java. Source: connect-rest §0.4, Appendix R 4.
 */
import { RestError } from '../http/rest-error';

const MAX_URL = 8192;
/** Of a connector, percent-encoded: what is made has to fit into the URLs of all its routes. */
const MAX_NAME = 8000;
/** Characters a client must send percent-encoded. */
const RAW = /[^\x21-\x7e]|["\\^{|}[\]]/;
// eslint-disable-next-line no-control-regex -- control characters are what this is about
const CONTROL = /[\u0000-\u001f\u007f]/;

/** The path and query to route by. Throws RestError 400 or 414. */
export function tidyUrl(url: string): string {
  if (url.length > MAX_URL) throw new RestError(414, `The request's path and query are longer than ${MAX_URL} bytes`);
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  if (RAW.test(path)) throw new RestError(400, 'The path has characters that must be percent-encoded');
  const tidy = path.replace(/;[^/]*/g, '');
  if (tidy.includes('//')) throw new RestError(400, 'The path has an empty segment ("//")');
  for (const segment of tidy.split('/')) {
    if (CONTROL.test(decodeSegment(segment))) throw new RestError(400, 'The path has a control character');
  }
  return mark < 0 ? tidy : tidy + url.slice(mark);
}

/** Percent-decodes UTF-8; `+` is literal. Throws RestError 400. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    throw new RestError(400, `The path segment '${segment}' is not valid percent-encoded UTF-8`, { cause: error });
  }
}

/** Percent-encodes what a path segment may not hold; `:@&=+$,` stay readable, as in Java's `Location`. */
export function encodeSegment(name: string): string {
  return encodeURIComponent(wellFormed(name)).replace(/%(?:3A|40|26|3D|2B|24|2C)/g, decodeURIComponent);
}

/** Through UTF-8 and back: a lone surrogate, which cannot be percent-encoded, becomes U+FFFD. */
function wellFormed(name: string): string {
  return Buffer.from(name, 'utf8').toString('utf8');
}

/** Throws RestError 400 for a connector's name that no URL could hold. */
export function checkNameLength(name: string): void {
  const { length } = encodeURIComponent(wellFormed(name));
  if (length <= MAX_NAME) return;
  throw new RestError(
    400,
    `The connector's name takes ${length} characters in a URL, and ${MAX_NAME} is the most: choose a shorter one`,
  );
}

/** `{task}` as a signed 32-bit decimal, or null. */
export function parseTaskNumber(text: string): number | null {
  if (!/^[+-]?[0-9]+$/.test(text)) return null;
  const value = Number(text);
  return value >= -2147483648 && value <= 2147483647 ? value + 0 : null;
}
