/** The warnings about listeners that anyone on the network, or a web page in a browser there, may use. Pure. */
import { isLoopbackAddress, isLoopbackName, type AllowedHosts } from '../../config/allowed-hosts';

export interface BoundListener {
  readonly url: string;
  /** As configured; empty: all interfaces. */
  readonly host: string;
  /** The bound address. */
  readonly address: string;
  readonly requiresCertificate: boolean;
}

const UNENCRYPTED = { code: 'REST_CREDENTIALS_UNENCRYPTED' } as const;
const UNCHECKED = { code: 'REST_HOSTS_UNCHECKED' } as const;

/** One sentence, or null if every listener authenticates its clients or can only be reached from this machine. */
export function openListenersWarning(listeners: readonly BoundListener[]): string | null {
  const open = listeners.filter((listener) => !listener.requiresCertificate && isOnNetwork(listener));
  if (open.length === 0) return null;
  return (
    `The REST API is open to the network without authentication (${urlsOf(open)}): anyone who ` +
    'can connect may read and change connectors. Set rest.extension.classes (HTTP Basic), rest.auth.jwks.url (bearer ' +
    'tokens) or listeners.https.ssl.client.auth=required (client certificates), or listen on 127.0.0.1 only'
  );
}

/**
 * One sentence with its code, or null if every listener checks hosts and origins. Authentication does not prevent
 * these attacks: browsers send the credentials or the client certificate that a user has for this worker.
 */
export function uncheckedHostsWarning(listeners: readonly BoundListener[], allowed: AllowedHosts): string | null {
  const unchecked = listeners.filter(isOnNetwork);
  if (allowed.isSet || unchecked.length === 0) return null;
  return (
    `Web pages may send requests to the REST API from a browser on the network (${urlsOf(unchecked)}), because ` +
    'rest.allowed.hosts is not set: set it to the names by which clients address this worker, for example ' +
    `localhost,connect.example (${UNCHECKED.code})`
  );
}

/** One sentence with its code, or null if credentials only cross the network encrypted. */
export function plainCredentialsWarning(listeners: readonly BoundListener[]): string | null {
  const plain = listeners.filter((listener) => listener.url.startsWith('http:') && isOnNetwork(listener));
  if (plain.length === 0) return null;
  return (
    `Clients send their passwords and tokens to the REST API unencrypted (${urlsOf(plain)}): use https:// in listeners, ` +
    `or listen on 127.0.0.1 behind a proxy that encrypts (${UNENCRYPTED.code})`
  );
}

function isOnNetwork({ host, address }: BoundListener): boolean {
  return !isLoopbackAddress(address) && !isLoopbackName(host);
}

function urlsOf(listeners: readonly BoundListener[]): string {
  return listeners.map(({ url }) => url).join(', ');
}
