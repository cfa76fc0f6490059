/** Converts the result of a function to the HTTP response of its URL. */

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** The function failed, timed out, or returned an invalid result. */
export const BAD_GATEWAY: HttpResponse = {
  status: 502,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: Buffer.from('Internal Server Error'),
};

/** The platform's own rejection, before the function is called. */
export const FORBIDDEN: HttpResponse = {
  status: 403,
  headers: { ...JSON_TYPE, 'x-amzn-errortype': 'AccessDeniedException' },
  body: Buffer.from('{"Message":"Forbidden"}'),
};

export const TOO_LARGE: HttpResponse = {
  status: 413,
  headers: JSON_TYPE,
  body: Buffer.from('{"Message":"Request Too Large"}'),
};

export const BUSY: HttpResponse = {
  status: 503,
  headers: { ...JSON_TYPE, 'retry-after': '1' },
  body: Buffer.from('{"Message":"Service Unavailable"}'),
};

/** JSON without a status code becomes the body of a 200. With a status code, an invalid result becomes a 502. */
export function toHttpResponse(result: unknown): HttpResponse {
  if (typeof result !== 'object' || result === null || !('statusCode' in result)) {
    const body = JSON.stringify(result);
    return body === undefined ? BAD_GATEWAY : { status: 200, headers: JSON_TYPE, body: Buffer.from(body) };
  }
  const {
    statusCode,
    headers = {},
    body = '',
    isBase64Encoded = false,
    cookies = [],
  } = result as Record<string, unknown>;
  const status = Number(statusCode);
  const named = headerEntries(headers);
  if (!Number.isInteger(status) || status < 200 || status > 599 || !named) return BAD_GATEWAY;
  if (typeof body !== 'string' || !Array.isArray(cookies)) return BAD_GATEWAY;
  const lower = Object.fromEntries(named);
  return {
    status,
    headers: { ...JSON_TYPE, ...lower, ...(cookies.length > 0 && { 'set-cookie': cookies.map(String) }) },
    body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
  };
}

/** Null: a value is not valid for a header. */
function headerEntries(headers: unknown): [string, string][] | null {
  if (typeof headers !== 'object' || headers === null) return null;
  const entries = Object.entries(headers);
  const isPlain = ([, value]: [string, unknown]): boolean => ['string', 'number', 'boolean'].includes(typeof value);
  return entries.every(isPlain) ? entries.map(([name, value]) => [name.toLowerCase(), String(value)]) : null;
}
