/** A proxy in front of a storage service, which injects faults. */
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import type { Faults, FaultTarget } from '../faults';

export interface PassThroughOptions {
  readonly target: FaultTarget & ('blob' | 'queue' | 'table');
  readonly serviceUrl: string;
  readonly faults: Faults;
  /** 0: any free port. */
  readonly port: number;
  /** False: use a free port if this one is taken. */
  readonly isPortFixed: boolean;
  /** Called after each POST that was forwarded and answered. */
  readonly onPosted?: () => void;
}

export class PassThrough {
  private constructor(
    private readonly server: Server,
    readonly port: number,
    private readonly path: string,
  ) {}

  /** The proxy's URL for the service, including its path. */
  get url(): string {
    return `http://127.0.0.1:${this.port}${this.path}`;
  }

  /** @throws Error if the port is taken and required */
  static async start({
    target,
    serviceUrl,
    faults,
    port,
    isPortFixed,
    onPosted = () => undefined,
  }: PassThroughOptions): Promise<PassThrough> {
    const service = new URL(serviceUrl);
    const server = createServer((incoming, response) => {
      if (incoming.method === 'POST') response.once('finish', onPosted);
      faults
        .apply(target, incoming.url ?? '', response)
        .then((answered) => {
          if (!answered) forward(service, incoming, response);
        })
        .catch(() => response.destroy());
    });
    await listen(server, port).catch(async (error: unknown) => {
      if (isPortFixed)
        throw new Error(`The storage's ${target} service cannot listen on port ${port}: ${String(error)}`, {
          cause: error,
        });
      await listen(server, 0);
    });
    return new PassThrough(server, (server.address() as AddressInfo).port, service.pathname);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function forward(service: URL, incoming: IncomingMessage, response: ServerResponse): void {
  const outgoing = request(
    {
      host: service.hostname,
      port: service.port,
      method: incoming.method,
      path: incoming.url,
      headers: { ...incoming.headers, host: service.host },
    },
    (answer) => {
      // Newer versions of Node.js throw if the client has disconnected.
      if (response.destroyed) return void answer.destroy();
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      // Closes the connection, so that an interrupted response does not look like a slow one.
      pipeline(answer, response, () => undefined);
    },
  );
  outgoing.on('error', () => response.destroy());
  // Aborts if the client disconnects, or has already disconnected.
  pipeline(incoming, outgoing, () => undefined);
}
