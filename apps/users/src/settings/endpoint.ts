import { BlockList, isIP } from 'node:net';

export interface Endpoint {
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
}

const DEFAULT_PORT = 6379;
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** Reads `host`, `host:port`, `[v6]` or `[v6]:port`; null for anything else, including URLs. (Default port: 6379) */
export function parseEndpoint(text: string): Endpoint | null {
  const match = /^(?:\[([0-9a-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i.exec(text);
  if (!match) return null;
  const [, v6, name, digits] = match;
  if (v6 !== undefined && isIP(v6) !== 6) return null;
  const port = digits === undefined ? DEFAULT_PORT : Number(digits);
  if (port < 1 || port > 65_535) return null;
  return { host: (v6 ?? name) as string, port };
}

export function isLoopback({ host }: Endpoint): boolean {
  const version = isIP(host);
  return version === 0 ? host.toLowerCase() === 'localhost' : LOOPBACK.check(host, version === 4 ? 'ipv4' : 'ipv6');
}

/** Lower case, without port, brackets and trailing dot. Null: not a host. */
export function nameIn(host: string): string | null {
  if (!URL.canParse(`http://${host}`)) return null;
  return new URL(`http://${host}`).hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '') || null;
}
