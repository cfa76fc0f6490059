import type { HostAndPort } from './client-config';

/** `host:port`, IPv6 addresses in brackets. */
export function addressText({ host, port }: HostAndPort): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
