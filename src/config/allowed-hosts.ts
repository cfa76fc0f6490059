/**
 * Host names that a worker accepts. DNS rebinding can point any name at this machine, but the browser still sends that
 * name in its Host header. A request with an unknown name therefore comes from a foreign web page. Pure.
 */
import { BlockList, isIP } from 'node:net';
import { isHostName } from './listeners';

export interface AllowedHosts {
  /** At least one entry is listed. */
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

/** Names of the host machine inside containers. */
const FROM_CONTAINERS = new Set(['host.docker.internal', 'host.containers.internal']);

/** Names of this machine, or of a container's host machine, that cannot be registered in DNS. */
export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost') || FROM_CONTAINERS.has(name) || isLoopbackAddress(name);
}

/** Name in a Host header: lower case, without port, brackets and trailing dot. Null if it is not a host. */
export function hostName(host: string): string | null {
  try {
    const { hostname } = new URL(`http://${host}`);
    return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '') || null;
  } catch {
    return null;
  }
}

/** Host names, `*.example.com` for all subdomains, or `*`. Throws an Error whose message is only the reason. */
export function parseAllowedHosts(entries: readonly string[]): AllowedHosts {
  const given = entries.filter((entry) => entry !== '');
  const names = new Set<string>();
  const endings: string[] = [];
  for (const entry of given.filter((text) => text !== '*')) {
    const bare = entry.replace(/^\*\./, '').replace(/^\[(.*)\]$/, '$1');
    const name = isHostName(bare) && !bare.includes('*') ? hostName(bare.includes(':') ? `[${bare}]` : bare) : null;
    if (name === null)
      throw new Error(
        `'${entry}' is not a host name; omit protocol and port, and use *.example.com for all subdomains`,
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
