/**
 * Names in Host headers that the program accepts. A web page can point its own name to this machine (DNS rebinding),
 * and the browser then takes the program for the page's own site, but still sends that name.
 */
import { isIP } from 'node:net';

/** Whether a Host header is accepted: an IP address, this machine, or one of `names` (lower case). Null: any. */
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

/** Lower case, without port, brackets and trailing dot. Null: not a host. */
export function nameIn(host: string): string | null {
  if (!URL.canParse(`http://${host}`)) return null;
  return new URL(`http://${host}`).hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '') || null;
}
