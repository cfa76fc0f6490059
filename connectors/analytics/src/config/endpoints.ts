/** Which clusters the sink speaks to, and how the two URLs of one follow from each other. Source: analytics-sink §1.5. */

/** Suffixes of the service's hosts in every cloud; a token is sent to no other host. */
const KNOWN_SUFFIXES = [
  '.kusto.windows.net',
  '.kustomfa.windows.net',
  '.kusto.azuresynapse.net',
  '.kusto.fabric.microsoft.com',
  '.kusto.data.microsoft.com',
  '.playfab.com',
  '.kusto.usgovcloudapi.net',
  '.kusto.chinacloudapi.cn',
  '.kusto.azuresynapse.azure.cn',
  '.kusto.core.eaglex.ic.gov',
  '.kusto.core.microsoft.scloud',
  '.kusto.sovcloud-api.fr',
  '.kusto.sovcloud-api.de',
  '.kusto.sovcloud-api.sg',
];

export type Endpoint = { readonly url: string } | { readonly problem: string };

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.[0-9]{1,3}){3}$/.test(host);
}

/** Scheme, host and port of a URL that may be used, without anything behind them. */
export function checkEndpoint(text: string): Endpoint {
  const trimmed = text.trim();
  let url: URL;
  try {
    url = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`);
  } catch {
    return { problem: 'it is not a URL' };
  }
  if (url.username || url.password) return { problem: 'a URL with a user name or password is not allowed' };
  const local = isLoopback(url.hostname);
  if (url.protocol === 'http:' && !local)
    return { problem: 'HTTP is not supported. Only HTTPS endpoints are allowed.' };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { problem: `scheme ${url.protocol} is not HTTPS` };
  if (!local && !KNOWN_SUFFIXES.some((suffix) => url.hostname.endsWith(suffix)))
    return { problem: `${url.hostname} is not a known endpoint of the service` };
  return { url: url.origin };
}

/** The engine's URL: the ingestion host without `ingest-`; hosts without such a prefix are both. */
export function queryUrlOf(ingestionUrl: string): string {
  return ingestionUrl.replace(/^(https?:\/\/)ingest-/, '$1');
}

export function ingestionUrlOf(queryUrl: string): string {
  const { protocol, host, hostname } = new URL(queryUrl);
  if (isLoopback(hostname) || hostname.startsWith('ingest-')) return queryUrl;
  return `${protocol}//ingest-${host}`;
}
