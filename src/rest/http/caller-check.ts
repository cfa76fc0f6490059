/**
 * Keeps web pages out that a browser on this machine, or on its network, has open: those that had a name of theirs lead
 * here, and those that send a change without being able to read the answer. Clients that are no browsers send neither.
 * A listener on an address of the network checks nothing until `rest.allowed.hosts` is set: its worker does not know
 * all of its names.
 */
import { isIP } from 'node:net';
import type { IncomingMessage } from 'node:http';
import { hostName, isLoopbackAddress, isLoopbackName, type AllowedHosts } from '../../config/allowed-hosts';
import type { CorsSettings } from '../../config/cors';
import { RestError } from './rest-error';

export interface CallerCheckOptions {
  readonly allowed: AllowedHosts;
  readonly cors: Pick<CorsSettings, 'allows'> | null;
  /** What the settings call this worker: the host of its listener, and where other workers reach it. */
  readonly ownNames: readonly (string | null)[];
  /** The address that the listener got. */
  readonly boundTo: () => string;
}

/** Throws RestError 403. */
export type CallerCheck = (request: Pick<IncomingMessage, 'method' | 'headers'>) => void;

const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

export function callerCheck({ allowed, cors, ownNames, boundTo }: CallerCheckOptions): CallerCheck {
  const own = new Set(ownNames.map((name) => name && hostName(name)));
  const isOurs = (name: string): boolean => isLoopbackName(name) || own.has(name) || allowed.allows(name);

  /** An address is nobody's to give away: what names one is not rebound. */
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
    // The page was served from here, by a proxy in front perhaps. A default port is left out by either.
    return host !== undefined && page.host === parsed(`${page.protocol}//${host}`)?.host;
  };

  return ({ method = '', headers }) => {
    if (allowed.isOff || !(allowed.isSet || isLoopbackAddress(boundTo()))) return;
    const { host, origin } = headers;
    // HTTP/1.0 may leave it out; browsers do not.
    if (host !== undefined && !isForUs(host))
      throw new RestError(403, `The host '${host}' is not one of this worker's names; rest.allowed.hosts adds to them`);
    if (READS.has(method)) return;
    if (origin === undefined ? headers['sec-fetch-site'] === 'cross-site' : !mayChange(origin, host))
      throw new RestError(
        403,
        `Pages of '${origin ?? 'another site'}' may change nothing here; rest.allowed.hosts or access.control.allow.origin lets them`,
      );
  };
}

/** Null for `null` and its like. */
function parsed(origin: string): URL | null {
  try {
    return new URL(origin);
  } catch {
    return null;
  }
}
