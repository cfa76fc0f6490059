import type { IncomingMessage } from 'node:http';

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
