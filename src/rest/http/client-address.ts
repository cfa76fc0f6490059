/** Which client a connection belongs to, for limits that each client has. Pure. */
import { isIPv6 } from 'node:net';

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;
/** Groups of an IPv6 address that name its network. A single host may use any address of it. */
const NETWORK_GROUPS = 4;

/** The address, or the /64 network of an IPv6 address. Empty: unknown, because the connection is closed. */
export function clientAddress(remoteAddress: string | undefined): string {
  const [address = ''] = (remoteAddress ?? '').split('%');
  const mapped = MAPPED.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(address) || address === '::1') return address;
  const [head = '', tail] = address.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = tail === undefined ? 0 : Math.max(0, 8 - before.length - after.length);
  const groups = [...before, ...Array<string>(missing).fill('0'), ...after];
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}
