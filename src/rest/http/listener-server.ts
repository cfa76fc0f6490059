/** One listener: an HTTP or HTTPS server for an express application. Source: connect-rest §0.4, §5.2. */
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { ConnectError, startTimer } from '@millrace/sdk';
import type { Listener } from '../../config/listeners';
import { handleClientError, rejectMethod } from './client-error';
import type { ConnectionLimit } from './connection-limit';
import type { HttpsOptions } from './https';

/** As in Java: of a connection without a request, and of a client that reads nothing of a response. */
const IDLE_MS = 90_000;

/** For a head, from its first byte or from the connection; and for the handshake of TLS. */
const HEAD_MS = 30_000;
const CHECK_MS = 5_000;
const CLOSE_GRACE_MS = 2_000;

/**
 * Connections that wait while the thread is busy, as far as the system allows (net.core.somaxconn). With Node's 511 the
 * kernel loses or resets those of a burst before the limit of connections can choose which to close.
 */
const BACKLOG = 4_096;
const NO_CERTIFICATE = 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE';
const OPTIONS = {
  keepAliveTimeout: IDLE_MS,
  headersTimeout: HEAD_MS,
  connectionsCheckingInterval: CHECK_MS,
  // `requestTarget` rejects a request without Host, with a JSON error.
  requireHostHeader: false,
};

export interface ListenerServerOptions {
  /** (Default: none) */
  readonly limit?: ConnectionLimit;
  /** Reported of clients whose certificate is missing or not trusted. (Default: not reported) */
  readonly onCertificateRejected?: (remoteAddress: string | undefined, reason: string) => void;
  /** How long a client may read nothing of a response, milliseconds. (Default: 90000) */
  readonly readStallMs?: number;
}

/** `https` is null for HTTP listeners. */
export class ListenerServer {
  private readonly server: Server;
  private closing = false;

  constructor(
    private readonly listener: Listener,
    https: HttpsOptions | null,
    app: RequestListener,
    { limit, onCertificateRejected = () => undefined, readStallMs = IDLE_MS }: ListenerServerOptions = {},
  ) {
    if (https === null) this.server = createServer(OPTIONS, app);
    else {
      this.server = createHttpsServer({ ...https.server, ...OPTIONS, handshakeTimeout: HEAD_MS }, app);
      const report = (socket: TLSSocket, reason: string): void =>
        onCertificateRejected(socket.remoteAddress ?? parentOf(socket)?.remoteAddress, reason);
      if (https.rejectUntrusted)
        this.server.on('secureConnection', (socket: TLSSocket) => rejectUntrusted(socket, report));
      this.server.on('tlsClientError', ({ code }: NodeJS.ErrnoException, socket: TLSSocket) => {
        const reason = code === NO_CERTIFICATE ? 'none was sent' : reasonOf(socket);
        if (reason !== null) report(socket, reason);
      });
    }
    if (limit) this.server.on('connection', (socket: Socket) => limit.add(socket));
    this.server.on('clientError', handleClientError);
    this.server.on('connect', (_request, socket) => rejectMethod(socket));
    // Before the application, which may answer at once.
    this.server.prependListener('request', (request, response) => {
      // From when the response is known here, or it would fill the memory; Node ends the limit with the response.
      for (const known of ['pipe', 'prefinish'])
        response.once(known, () => response.setTimeout(readStallMs, () => request.socket.destroy()));
      if (limit) response.once('close', limit.began(request.socket));
      // A connection whose last request ends during close would otherwise stay open until the keep-alive timeout.
      response.once('finish', () => {
        if (this.closing) setImmediate(() => this.server.closeIdleConnections());
      });
    });
  }

  /** The bound address, once open. A host name in the settings is resolved. */
  get address(): string {
    return (this.server.address() as AddressInfo | null)?.address ?? '';
  }

  /** Resolves with the bound port. Rejects with `LISTENER_START`, which names the listener. */
  async open(): Promise<number> {
    const { protocol, host, port } = this.listener;
    const shown = `${protocol}://${host.includes(':') ? `[${host}]` : host}:${port}`;
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', (error) => reject(openError(shown, error)));
      this.server.listen({ port, backlog: BACKLOG, ...(host === '' ? {} : { host }) }, resolve);
    });
    return (this.server.address() as AddressInfo).port;
  }

  /** Accepts no new connections, waits briefly for requests in progress, then closes their connections. */
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

/** Where a client certificate is requested but not required, Node accepts any, but Java only a trusted one or none. */
function rejectUntrusted(socket: TLSSocket, report: (socket: TLSSocket, reason: string) => void): void {
  if (socket.authorized || Object.keys(socket.getPeerCertificate()).length === 0) return;
  report(socket, reasonOf(socket) ?? 'it is not trusted');
  socket.destroy();
}

/** OpenSSL's code, such as `CERT_HAS_EXPIRED`. Node types it as an error. */
function reasonOf({ authorizationError }: TLSSocket): string | null {
  return typeof authorizationError === 'string' ? authorizationError : null;
}

/** A closed TLS socket has lost its address. The one below it, which is not public, has not. */
function parentOf(socket: TLSSocket): Socket | undefined {
  return (socket as TLSSocket & { readonly _parent?: Socket })._parent;
}

function openError(shown: string, cause: NodeJS.ErrnoException): ConnectError {
  const cures: Readonly<Record<string, string>> = {
    EADDRINUSE: ' Stop the process that uses the port, or choose another port with listeners (--port of millrace dev).',
    EACCES: ' Choose a port from 1024 upwards with listeners, or allow this user the lower ones.',
    EADDRNOTAVAIL: ' Choose an address of this machine in listeners.',
  };
  return new ConnectError(`listeners: cannot open ${shown}: ${cause.message}.${cures[cause.code ?? ''] ?? ''}`, {
    code: 'LISTENER_START',
    cause,
  });
}
