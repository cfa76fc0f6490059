/** Checks against web pages that send requests through the browser of a user. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { nameIn } from '../settings/endpoint';

/**
 * Whether a Host header is accepted: an IP address, this machine, or one of `names` (lower case). Null: any. A web page
 * can point its own name to this machine (DNS rebinding), and the browser then takes the program for the page's own
 * site, but still sends that name.
 */
export function hostCheck(names: readonly string[] | null): (host: string | undefined) => boolean {
  if (names === null) return () => true;
  return (host) => {
    // HTTP/1.0 clients may omit it, but browsers do not.
    if (host === undefined) return true;
    const name = nameIn(host);
    return (
      name !== null && (isIP(name) !== 0 || name === 'localhost' || name.endsWith('.localhost') || names.includes(name))
    );
  };
}

/**
 * Whether a browser sent the request for a page of another site. Forms and scripts of any page can post text to every
 * address that the browser can reach, without a preflight request, but browsers state the origin. curl and other
 * programs send neither header and are accepted.
 */
export function isFromAnotherSite({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin, host } = headers;
  if (origin === undefined) return false;
  // Older browsers. Sandboxed pages and local files send `null`.
  return !URL.canParse(origin) || new URL(origin).host !== host?.toLowerCase();
}
