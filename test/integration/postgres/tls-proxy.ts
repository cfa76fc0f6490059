/** Terminates TLS as PostgreSQL negotiates it and forwards plain traffic to a real server. */
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { TLSSocket, createSecureContext, type SecureContextOptions } from 'node:tls';

const SSL_REQUEST = 80877103;

export interface TlsProxyOptions extends SecureContextOptions {
  /** Refuses unencrypted sessions as a `hostssl` line does. */
  readonly tlsOnly?: boolean;
  /** Clients must show a certificate of this authority. */
  readonly clientAuthority?: string;
}

export class TlsProxy {
  /** Sessions with their encryption and the names of client certificates. */
  readonly sessions: string[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  static async start(target: URL, options: TlsProxyOptions): Promise<TlsProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new TlsProxy(server, (server.address() as AddressInfo).port);
    server.on('connection', (socket) => {
      proxy.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('data', (first: Buffer) => proxy.begin(socket, first, target, options));
    });
    return proxy;
  }

  private begin(socket: Socket, first: Buffer, target: URL, options: TlsProxyOptions): void {
    if (first.length === 8 && first.readUInt32BE(4) === SSL_REQUEST) {
      const secure = new TLSSocket(socket, {
        isServer: true,
        secureContext: createSecureContext({ ...options, ca: options.clientAuthority }),
        requestCert: options.clientAuthority !== undefined,
        rejectUnauthorized: options.clientAuthority !== undefined,
      });
      secure.on('error', () => socket.destroy());
      secure.once('secure', () => {
        const name = (secure.getPeerCertificate() as { subject?: { CN?: string } }).subject?.CN;
        this.sessions.push(name === undefined ? 'tls' : `tls ${name}`);
      });
      this.join(secure, null, target);
      socket.write('S');
      return;
    }
    if (options.tlsOnly) {
      this.sessions.push('refused');
      const fields = Buffer.from('SFATAL\0C28000\0Mno pg_hba.conf entry for host, no encryption\0\0');
      const head = Buffer.alloc(5);
      head.write('E');
      head.writeUInt32BE(fields.length + 4, 1);
      socket.end(Buffer.concat([head, fields]));
      return;
    }
    this.sessions.push('plain');
    this.join(socket, first, target);
  }

  private join(client: Socket, first: Buffer | null, target: URL): void {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    this.sockets.add(upstream);
    upstream.on('error', () => client.destroy());
    upstream.on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
    if (first !== null) upstream.write(first);
    client.pipe(upstream).pipe(client);
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }
}
