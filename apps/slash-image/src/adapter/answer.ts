/** What a function returned, as the HTTP answer that its URL gives. */

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

const JSON_TYPE = { 'content-type': 'application/json' };

/** The function failed, or took too long, or returned what is no answer. */
export const BAD_GATEWAY: HttpAnswer = {
  status: 502,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: Buffer.from('Internal Server Error'),
};

/** The platform's own refusal, before any function is called. */
export const FORBIDDEN: HttpAnswer = {
  status: 403,
  headers: { ...JSON_TYPE, 'x-amzn-errortype': 'AccessDeniedException' },
  body: Buffer.from('{"Message":"Forbidden"}'),
};

export const TOO_LARGE: HttpAnswer = {
  status: 413,
  headers: JSON_TYPE,
  body: Buffer.from('{"Message":"Request Too Large"}'),
};

/** JSON without a status code is the body of a 200; what has one must be a whole answer, or it is a 502. */
export function toAnswer(result: unknown): HttpAnswer {
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

/** Null when a value is none that a header can have. */
function headerEntries(headers: unknown): [string, string][] | null {
  if (typeof headers !== 'object' || headers === null) return null;
  const entries = Object.entries(headers);
  const isPlain = ([, value]: [string, unknown]): boolean => ['string', 'number', 'boolean'].includes(typeof value);
  return entries.every(isPlain) ? entries.map(([name, value]) => [name.toLowerCase(), String(value)]) : null;
}
