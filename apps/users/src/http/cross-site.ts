import type { IncomingMessage } from 'node:http';

/**
 * Whether a browser sent the request for a page of another site. A form or script of any page may post text to any
 * address that its reader's machine can reach, and browsers ask nobody first; but they say where it comes from.
 * curl and programs say neither, and are never meant.
 */
export function isFromAnotherSite({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin, host } = headers;
  if (origin === undefined) return false;
  // Older browsers; `null` is what a sandboxed page or a file says.
  return !URL.canParse(origin) || new URL(origin).host !== host?.toLowerCase();
}
