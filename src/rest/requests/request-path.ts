/**
 * Checks and normalizes a request's path before routing: removes matrix parameters and rejects invalid paths. Unlike in
 * Java, names with `/`, `%` or `\` can be addressed percent-encoded. Source: connect-rest §0.4, Appendix R 4.
 */
import { RestError } from '../http/rest-error';

const MAX_URL = 8192;
/** Maximum length of a connector's name, percent-encoded: it must fit into the URLs of all its routes. */
const MAX_NAME = 8000;
/** Characters a client must send percent-encoded. */
const RAW = /[^\x21-\x7e]|["\\^{|}[\]]/;
// eslint-disable-next-line no-control-regex -- matches control characters on purpose
const CONTROL = /[\u0000-\u001f\u007f]/;

/** The path and query to route by. Throws RestError 400 or 414. */
export function normalizeUrl(url: string): string {
  if (url.length > MAX_URL) throw new RestError(414, `The request's path and query are longer than ${MAX_URL} bytes`);
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  if (RAW.test(path)) throw new RestError(400, 'The path has characters that must be percent-encoded');
  const normalized = path.replace(/;[^/]*/g, '');
  if (normalized.includes('//')) throw new RestError(400, 'The path has an empty segment ("//")');
  for (const segment of normalized.split('/')) {
    if (CONTROL.test(decodeSegment(segment))) throw new RestError(400, 'The path has a control character');
  }
  return mark < 0 ? normalized : normalized + url.slice(mark);
}

/** Percent-decodes UTF-8; `+` is literal. Throws RestError 400. */
function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (error) {
    throw new RestError(400, `The path segment '${segment}' is not valid percent-encoded UTF-8`, { cause: error });
  }
}

/** Percent-encodes a path segment. `:@&=+$,` stay as they are, as in Java's `Location`. */
export function encodeSegment(name: string): string {
  return encodeURIComponent(wellFormed(name)).replace(/%(?:3A|40|26|3D|2B|24|2C)/g, decodeURIComponent);
}

/** Replaces lone surrogates, which cannot be percent-encoded, with U+FFFD. */
function wellFormed(name: string): string {
  return Buffer.from(name, 'utf8').toString('utf8');
}

/** Throws RestError 400 for a connector name that does not fit into a URL. */
export function checkNameLength(name: string): void {
  const { length } = encodeURIComponent(wellFormed(name));
  if (length <= MAX_NAME) return;
  throw new RestError(
    400,
    `The connector's name takes ${length} characters in a URL, but at most ${MAX_NAME} are allowed; choose a shorter name`,
  );
}

/** `{task}` as a signed 32-bit decimal, or null. */
export function parseTaskNumber(text: string): number | null {
  if (!/^[+-]?[0-9]+$/.test(text)) return null;
  const value = Number(text);
  return value >= -2147483648 && value <= 2147483647 ? value + 0 : null;
}
