/**
 * Rejects malformed requests before routing, as Java's server does. Node's parser accepts them. Source: connect-rest
 * §0.4, Appendix R 4.
 */
import type { IncomingMessage } from 'node:http';
import { requestType } from '../http/content-negotiation';
import { RestError } from '../http/rest-error';

const HOST = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~%!$&'()*+,;=-]+)(?::(?<port>[0-9]*))?$/;
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/(?<authority>[^/?#]*)(?<rest>(?:[/?#].*)?)$/is;
/** Headers that may occur once. Node would join or drop repeated ones. */
const SINGLE = ['Host', 'Content-Type'];

type Checked = Pick<IncomingMessage, 'httpVersion' | 'method' | 'url' | 'headers' | 'rawHeaders'>;

/** The request's path and query, whether its target is a path or an absolute URL. Throws RestError 400 or 505. */
export function requestTarget({ httpVersion, method, url = '', headers, rawHeaders }: Checked): string {
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    throw new RestError(505, `HTTP/${httpVersion} is not supported; use HTTP/1.1`);
  for (const name of SINGLE) {
    const count = rawHeaders.filter(
      (text, index) => index % 2 === 0 && text.toLowerCase() === name.toLowerCase(),
    ).length;
    if (count > 1) throw new RestError(400, `The request has more than one ${name} header`);
  }
  const { host } = headers;
  if (host === undefined ? httpVersion === '1.1' : !isHost(host))
    throw new RestError(400, 'The request needs a Host header with a host and, at most, a port');
  if (requestType(headers['content-type']) === 'malformed')
    throw new RestError(400, 'The Content-Type header is not a media type such as application/json');
  const absolute = ABSOLUTE.exec(url)?.groups;
  if (absolute) return relative(absolute['authority'] ?? '', absolute['rest'] ?? '', host);
  if (url.startsWith('/') || (url === '*' && method === 'OPTIONS')) return url;
  throw new RestError(400, 'The request target is neither a path nor an absolute URL');
}

/**
 * The path of `http://host:port/path`, as clients send it to proxies. As in Java, its host must equal the Host header.
 */
function relative(authority: string, rest: string, host: string | undefined): string {
  if (authority === '' || (host !== undefined && authority !== host))
    throw new RestError(400, `The request is for the host '${authority}', but its Host header is '${host}'`);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function isHost(text: string): boolean {
  const found = HOST.exec(text);
  return found !== null && Number(found.groups?.['port'] ?? 0) <= 65_535;
}
