/** The warning about listeners that anyone on the network may use. Pure. */
import { isLoopbackAddress, isLoopbackName } from '../../config/allowed-hosts';

export interface BoundListener {
  readonly url: string;
  /** As configured; empty: all interfaces. */
  readonly host: string;
  /** The bound address. */
  readonly address: string;
  readonly requiresCertificate: boolean;
}

/** One sentence, or null if every listener authenticates its clients or can only be reached from this machine. */
export function openListenersWarning(listeners: readonly BoundListener[]): string | null {
  const open = listeners.filter(
    ({ host, address, requiresCertificate }) =>
      !requiresCertificate && !isLoopbackAddress(address) && !isLoopbackName(host),
  );
  if (open.length === 0) return null;
  return (
    `The REST API is open to the network without authentication (${open.map(({ url }) => url).join(', ')}): anyone who ` +
    'can connect may read and change connectors. Set rest.extension.classes (HTTP Basic), rest.auth.jwks.url (bearer ' +
    'tokens) or listeners.https.ssl.client.auth=required (client certificates), or listen on 127.0.0.1 only'
  );
}
