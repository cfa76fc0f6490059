/** One listener: an HTTP or HTTPS server that answers with an express application. Source: connect-rest §0.4, §5.2. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { startTimer } from '@millrace/sdk';
import type { Listener } from '../../config/listeners';
import { hangUp, refuseMethod } from './hang-up';
import type { HttpsOptions } from './https';

/** A request without Host is refused by `requestTarget`, in a form that clients can read. */
const OPTIONS = { keepAliveTimeout: 90_000, requireHostHeader: false };
const CLOSE_GRACE_MS = 2_000;

/** `https` is for HTTPS listeners alone. */
export class ListenerServer {
  private readonly server: Server;
  private closing = false;

  constructor(
    private readonly listener: Listener,
    https: HttpsOptions | null,
    app: RequestListener,
  ) {
    if (https === null) this.server = createServer(OPTIONS, app);
    else {
      this.server = createHttpsServer({ ...https.server, ...OPTIONS }, app);
      if (https.refuseUntrusted) this.server.on('secureConnection', refuseUntrusted);
    }
    this.server.on('clientError', hangUp);
    this.server.on('connect', (_request, socket) => refuseMethod(socket));
    // A connection whose last request ends while we are closing would otherwise stay open until it has been idle for
    // long.
    this.server.on('request', (_request, response) => {
      response.once('finish', () => {
        if (this.closing) setImmediate(() => this.server.closeIdleConnections());
      });
    });
  }

  /** Where it listens, once it is open; a name in the settings has become an address. */
  get address(): string {
    return (this.server.address() as AddressInfo | null)?.address ?? '';
  }

  /** Resolves to the port it got. Rejects with a sentence that names the listener. */
  async open(): Promise<number> {
    const { protocol, host, port } = this.listener;
    const shown = `${protocol}://${host.includes(':') ? `[${host}]` : host}:${port}`;
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', (error) =>
        reject(new Error(`listeners: cannot open ${shown}: ${error.message}`, { cause: error })),
      );
      this.server.listen({ port, ...(host === '' ? {} : { host }) }, resolve);
    });
    return (this.server.address() as AddressInfo).port;
  }

  /** Takes no new connections, lets requests under way finish for a moment, then cuts them off. */
  async close(): Promise<void> {
    this.closing = true;
    await new Promise<void>((resolve) => {
      const cut = startTimer(() => this.server.closeAllConnections(), CLOSE_GRACE_MS);
      this.server.close(() => {
        clearTimeout(cut);
        resolve();
      });
      this.server.closeIdleConnections();
    });
  }
}

/** Node takes any certificate where one is wished for but not required; Java takes none or a good one. */
function refuseUntrusted(socket: TLSSocket): void {
  if (!socket.authorized && Object.keys(socket.getPeerCertificate()).length > 0) socket.destroy();
}
