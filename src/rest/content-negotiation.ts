/** What may be sent and what is wanted back, decided from headers alone. Source: connect-rest §0.4, Appendix R 6 and 9. */
export const JSON_TYPE = 'application/json';

interface MediaRange {
  readonly type: string;
  readonly parameters: readonly string[];
}

function parseRange(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim());
  return { type: type.toLowerCase(), parameters };
}

/** `wildcard`: passes routing, but no reader takes such a body. */
export type RequestType = 'absent' | 'json' | 'wildcard' | 'other';

export function requestType(header: string | undefined): RequestType {
  if (header === undefined || header.trim() === '') return 'absent';
  const { type } = parseRange(header);
  if (type === JSON_TYPE) return 'json';
  return type === '*/*' || type === 'application/*' ? 'wildcard' : 'other';
}

/**
 * The Content-Type to answer with, or null when what is `offered` (default: JSON) is not wanted. Parameters of an exact range are echoed where
 * JSON is.
 */
export function responseType(accept: string | undefined, offered = JSON_TYPE): string | null {
  if (accept === undefined || accept.trim() === '') return offered;
  const { type } = parseRange(offered);
  const family = type.replace(/\/.*/, '/*');
  let wildcard = false;
  for (const range of accept.split(',').map(parseRange)) {
    const quality = range.parameters.find((parameter) => /^q\s*=/i.test(parameter));
    if (quality !== undefined && Number(quality.split('=')[1]) === 0) continue;
    if (range.type === type) {
      if (offered !== JSON_TYPE) return offered;
      const own = range.parameters.filter((parameter) => parameter !== '' && parameter !== quality);
      return [JSON_TYPE, ...own].join(';');
    }
    if (range.type === '*/*' || range.type === family) wildcard = true;
  }
  return wildcard ? offered : null;
}
