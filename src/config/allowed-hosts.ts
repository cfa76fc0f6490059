/**
 * Which names a worker is called by. A browser can be made to take any name for this machine (DNS rebinding), but not
 * to send another one in its Host header; so a name that nobody gave this worker is a page's that has no business here.
 * Pure.
 */
import { BlockList, isIP } from 'node:net';
import { isHostName } from './listeners';

export interface AllowedHosts {
  /** Something is listed. */
  readonly isSet: boolean;
  /** `*`: nothing is checked. */
  readonly isOff: boolean;
  /** By a name as `hostName` returns it. */
  readonly allows: (name: string) => boolean;
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

export function isLoopbackAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && loopback.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** What containers call the machine that they run on. */
const FROM_CONTAINERS = new Set(['host.docker.internal', 'host.containers.internal']);

/** Names that lead to this machine, or to the one that a container runs on, and that nobody can register. */
export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || FROM_CONTAINERS.has(name) || isLoopbackAddress(name);
}

/** Of a Host header: without port, brackets and the root's dot, in lower case; null when it is none. */
export function hostName(host: string): string | null {
  try {
    const { hostname } = new URL(`http://${host}`);
    return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '') || null;
  } catch {
    return null;
  }
}

/** Host names, `*.example.com` for all below one, or `*`. Throws an Error with the reason alone. */
export function parseAllowedHosts(entries: readonly string[]): AllowedHosts {
  const given = entries.filter((entry) => entry !== '');
  const names = new Set<string>();
  const endings: string[] = [];
  for (const entry of given.filter((text) => text !== '*')) {
    const bare = entry.replace(/^\*\./, '').replace(/^\[(.*)\]$/, '$1');
    const name = isHostName(bare) && !bare.includes('*') ? hostName(bare.includes(':') ? `[${bare}]` : bare) : null;
    if (name === null)
      throw new Error(
        `'${entry}' is no host name; write it without protocol and port, *.example.com for all below one`,
      );
    if (entry.startsWith('*.')) endings.push(`.${name}`);
    else names.add(name);
  }
  return {
    isSet: given.length > 0,
    isOff: given.includes('*'),
    allows: (name) => names.has(name) || endings.some((ending) => name.endsWith(ending)),
  };
}
