/** Converts an HTTP request to the event that a function URL passes to its function (payload format 2.0). */
import type { IncomingMessage } from 'node:http';
import type { LambdaFunctionURLEvent } from 'aws-lambda';

/** Bodies of these types are passed as text, all others in base64, including forms, and so every slash command. */
const TEXT_TYPES = /^(text\/.*|application\/(json|xml|javascript))$/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const API_ID = 'local';

export interface Caller {
  readonly accessKey: string;
}
interface ReceivedRequest {
  readonly req: IncomingMessage;
  readonly body: Buffer;
  readonly requestId: string;
  readonly now: Date;
  readonly trustProxy: boolean;
  /** The signer of the request, for auth type AWS_IAM. */
  readonly caller: Caller | null;
}

export function toEvent({ req, body, requestId, now, trustProxy, caller }: ReceivedRequest): LambdaFunctionURLEvent {
  const url = req.url ?? '/';
  const at = url.indexOf('?');
  const rawPath = at < 0 ? url : url.slice(0, at);
  const rawQueryString = at < 0 ? '' : url.slice(at + 1);
  const { cookies, headers } = splitHeaders(req.rawHeaders);
  const sourceIp = clientAddress(req, trustProxy);
  const domainName = (headers['host'] ?? 'localhost').replace(/:\d+$/, '');
  headers['x-forwarded-for'] = sourceIp;
  headers['x-forwarded-port'] = String(req.socket.localPort ?? '');
  headers['x-forwarded-proto'] = 'http';
  headers['x-amzn-trace-id'] ??=
    `Root=1-${Math.floor(now.getTime() / 1000).toString(16)}-${requestId.replaceAll('-', '').slice(0, 24)}`;
  const query = rawQueryString === '' ? undefined : queryParameters(rawQueryString);
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString,
    ...(cookies.length > 0 && { cookies }),
    headers,
    ...(query && { queryStringParameters: query }),
    // The types lack that `authentication` is null without a client certificate.
    requestContext: {
      accountId: caller ? '123456789012' : 'anonymous',
      apiId: API_ID,
      ...(caller && { authorizer: { iam: identity(caller) } }),
      authentication: null,
      domainName,
      domainPrefix: domainName.split('.')[0] ?? '',
      http: {
        method: req.method ?? 'GET',
        path: rawPath,
        protocol: `HTTP/${req.httpVersion}`,
        sourceIp,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId,
      routeKey: '$default',
      stage: '$default',
      time: logTime(now),
      timeEpoch: now.getTime(),
    } as unknown as LambdaFunctionURLEvent['requestContext'],
    ...encodeBody(body, headers['content-type']),
  };
}

/** Joins repeated headers with a comma. Cookies are a separate field of the event. */
function splitHeaders(raw: readonly string[]): { cookies: string[]; headers: Record<string, string> } {
  const cookies: string[] = [];
  const headers: Record<string, string> = {};
  for (let i = 0; i < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase();
    const value = raw[i + 1] as string;
    if (name === 'cookie') cookies.push(...value.split(';').map((cookie) => cookie.trim()));
    else headers[name] = Object.hasOwn(headers, name) ? `${headers[name]},${value}` : value;
  }
  return { cookies, headers };
}

function queryParameters(query: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query))
    found[name] = Object.hasOwn(found, name) ? `${found[name]},${value}` : value;
  return found;
}

function encodeBody(body: Buffer, contentType = ''): { body?: string; isBase64Encoded: boolean } {
  if (body.length === 0) return { isBase64Encoded: false };
  const isText = TEXT_TYPES.test((contentType.split(';')[0] as string).trim().toLowerCase());
  return { body: body.toString(isText ? 'utf8' : 'base64'), isBase64Encoded: !isText };
}

/** A proxy appends the address it sees. Earlier entries come from the client and cannot be trusted. */
function clientAddress(req: IncomingMessage, trustProxy: boolean): string {
  const forwarded = trustProxy
    ? String(req.headers['x-forwarded-for'] ?? '')
        .split(',')
        .at(-1)
        ?.trim()
    : '';
  return forwarded || (req.socket.remoteAddress ?? '').replace(/^::ffff:/, '');
}

function identity({ accessKey }: Caller): Record<string, string | null> {
  return {
    accessKey,
    accountId: '123456789012',
    callerId: 'AIDALOCALCALLER',
    cognitoIdentity: null,
    principalOrgId: null,
    userArn: 'arn:aws:iam::123456789012:user/local',
    userId: 'AIDALOCALCALLER',
  };
}

/** `05/Aug/2022:08:14:39 +0000` */
function logTime(date: Date): string {
  const day = String(date.getUTCDate()).padStart(2, '0');
  return `${day}/${MONTHS[date.getUTCMonth()]}/${date.getUTCFullYear()}:${date.toISOString().slice(11, 19)} +0000`;
}
