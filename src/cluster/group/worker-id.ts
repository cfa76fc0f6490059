/** Identifies a worker by its advertised address, as the status topic does. Source: connect-runtime §1.6.1. */
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** `host:port` of the advertised URL, the port always written. Throws TypeError for a text that is not a URL. */
export function workerIdOf(restUrl: string): string {
  const { hostname, port, protocol } = new URL(restUrl);
  return `${hostname}:${port || DEFAULT_PORTS[protocol]}`;
}
