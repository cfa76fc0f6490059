/** Evaluates Content-Type and Accept. Source: connect-rest §0.4, Appendix R 6 and 9. */
import { RestError } from './rest-error';

export const JSON_TYPE = 'application/json';

interface MediaRange {
  readonly type: string;
  readonly subtype: string;
  /** Values as sent, by name in lower case, without the quality. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const PARAMETER = `(${TOKEN})=(${TOKEN}|"(?:[^"\\\\]|\\\\.)*")`;
/** One range and the comma after it. Java reads a type without a subtype (`application`, `*`) as `application/*`. */
const RANGE = new RegExp(
  `[ \\t]*(${TOKEN})(?:/(${TOKEN}))?[ \\t]*((?:;[ \\t]*(?:${PARAMETER}[ \\t]*)?)*)(?:,(?=.)|,?$)`,
  'y',
);
const PARAMETERS = new RegExp(`;[ \\t]*${PARAMETER}`, 'g');
const QUALITY = /^"?(?:0(?:\.\d{0,3})?|\.\d{1,3}|1(?:\.0{0,3})?)"?$/;

/** Null if the text is not a list of media ranges. */
function parseRanges(text: string): MediaRange[] | null {
  const ranges: MediaRange[] = [];
  RANGE.lastIndex = 0;
  while (RANGE.lastIndex < text.length) {
    const found = RANGE.exec(text);
    if (!found) return null;
    const [, type = '', subtype = '*', tail = ''] = found;
    const parameters = new Map<string, string>();
    for (const [, name = '', value = ''] of tail.matchAll(PARAMETERS)) parameters.set(name.toLowerCase(), value);
    const quality = parameters.get('q') ?? '1';
    if (!QUALITY.test(quality)) return null;
    parameters.delete('q');
    ranges.push({
      type: type.toLowerCase(),
      subtype: subtype.toLowerCase(),
      parameters,
      quality: Number(quality.replaceAll('"', '')),
    });
  }
  return ranges;
}

const fits = (wanted: string, offered: string): boolean => wanted === '*' || wanted === offered;

/** `wildcard`: passes routing, but no reader takes such a body. `malformed`: no media type at all. */
type RequestType = 'absent' | 'json' | 'wildcard' | 'other' | 'malformed';

export function requestType(header: string | undefined): RequestType {
  if (header === undefined) return 'absent';
  const [sent, ...more] = parseRanges(header) ?? [];
  if (!sent || more.length > 0 || !header.includes('/')) return 'malformed';
  if (`${sent.type}/${sent.subtype}` === JSON_TYPE) return 'json';
  return fits(sent.type, 'application') && fits(sent.subtype, 'json') ? 'wildcard' : 'other';
}

/**
 * The Content-Type of the response, or null when `offered` (default: JSON) is not accepted. If the best range is
 * exactly JSON, its parameters are echoed. With a single type on offer, the quality has no other effect. As in Java,
 * `q=0` does not exclude a type. Throws RestError 400.
 */
export function responseType(accept: string | undefined, offered = JSON_TYPE): string | null {
  if (accept === undefined || accept.trim() === '') return offered;
  const ranges = parseRanges(accept);
  if (!ranges) throw new RestError(400, 'The Accept header is not a list of media types such as application/json');
  const [type = '', subtype = ''] = (offered.split(';')[0] ?? '').split('/');
  const isExact = (range: MediaRange): boolean => range.type === type && range.subtype === subtype;
  const [best] = ranges
    .filter((range) => fits(range.type, type) && fits(range.subtype, subtype))
    .sort((a, b) => b.quality - a.quality || Number(isExact(b)) - Number(isExact(a)));
  if (!best) return null;
  if (!isExact(best) || offered !== JSON_TYPE) return offered;
  return [JSON_TYPE, ...[...best.parameters].map(([name, value]) => `${name}=${value}`)].join(';');
}

/**
 * Is this the Accept header of a browser that opens a page? It lists `text/html`, and JSON not at all or with a lower
 * quality. Java's HTTP client lists `text/html` with two image types by default, and never wants a page.
 */
export function wantsPage(accept: string | undefined): boolean {
  const ranges = parseRanges(accept ?? '') ?? [];
  const quality = (type: string, subtype: string): number =>
    Math.max(0, ...ranges.filter((range) => range.type === type && range.subtype === subtype).map((r) => r.quality));
  return quality('text', 'html') > quality('application', 'json') && quality('image', 'gif') === 0;
}

/** Does an `Accept-Encoding` header allow gzip? */
export function acceptsGzip(header: string | string[] | undefined): boolean {
  return String(header ?? '')
    .toLowerCase()
    .split(',')
    .some((offer) => {
      const [coding = '', ...parameters] = offer.split(';').map((part) => part.trim());
      return coding === 'gzip' && !parameters.some((parameter) => /^q\s*=\s*0(?:\.0*)?$/.test(parameter));
    });
}
