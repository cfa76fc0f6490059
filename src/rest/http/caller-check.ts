/**
 * Protects against web pages in browsers on this machine or its network: pages that use DNS rebinding, and cross-site
 * requests that change something. Clients other than browsers are not affected. A listener on a network address checks
 * nothing until `rest.allowed.hosts` is set, because the worker does not know all of its names.
 */
import { isIP } from 'node:net';
import type { IncomingMessage } from 'node:http';
import { hostName, isLoopbackAddress, isLoopbackName, type AllowedHosts } from '../../config/allowed-hosts';
import type { CorsSettings } from '../../config/cors';
import { RestError } from './rest-error';

export interface CallerCheckOptions {
  readonly allowed: AllowedHosts;
  readonly cors: Pick<CorsSettings, 'allows'> | null;
  /** This worker's names in the settings: the host of its listener, and the advertised host. */
  readonly ownNames: readonly (string | null)[];
  /** The listener's bound address. */
  readonly boundTo: () => string;
}

/** Throws RestError 403. */
export type CallerCheck = (request: Pick<IncomingMessage, 'method' | 'headers'>) => void;

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

export function callerCheck({ allowed, cors, ownNames, boundTo }: CallerCheckOptions): CallerCheck {
  const own = new Set(ownNames.map((name) => name && hostName(name)));
  const isOurs = (name: string): boolean => isLoopbackName(name) || own.has(name) || allowed.allows(name);

  /** DNS rebinding needs a name. A Host header with an IP address is therefore safe. */
  const isForUs = (host: string): boolean => {
    const name = hostName(host);
    return name !== null && (isIP(name) !== 0 || isOurs(name));
  };
  const mayChange = (origin: string, host: string | undefined): boolean => {
    if (cors?.allows(origin)) return true;
    const page = parsed(origin);
    if (page === null) return false;
    const name = hostName(page.host);
    if (name !== null && isOurs(name)) return true;
    // The page was served by this worker, perhaps through a proxy. Both headers omit a default port.
    return host !== undefined && page.host === parsed(`${page.protocol}//${host}`)?.host;
  };

  return ({ method = '', headers }) => {
    if (allowed.isOff || !(allowed.isSet || isLoopbackAddress(boundTo()))) return;
    const { host, origin } = headers;
    // HTTP/1.0 clients may omit it, but browsers do not.
    if (host !== undefined && !isForUs(host))
      throw new RestError(403, `The host '${host}' is not a name of this worker; add it to rest.allowed.hosts`);
    if (READS.has(method)) return;
    if (origin === undefined ? headers['sec-fetch-site'] === 'cross-site' : !mayChange(origin, host))
      throw new RestError(
        403,
        `Pages of '${origin ?? 'another site'}' must not send this request; to allow them, set rest.allowed.hosts or access.control.allow.origin`,
      );
  };
}

/** Null for an opaque origin (`null`) and other texts that are not URLs. */
function parsed(origin: string): URL | null {
  try {
    return new URL(origin);
  } catch {
    return null;
  }
}
