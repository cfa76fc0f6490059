/** Stands in front of a storage service, so that faults can be put between it and its clients. */
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import type { Faults, FaultTarget } from '../faults';

export interface PassThroughOptions {
  readonly target: FaultTarget & ('blob' | 'queue' | 'table');
  readonly serviceUrl: string;
  readonly faults: Faults;
  /** 0: a free one. */
  readonly port: number;
  /** False: where that one is taken, a free one. */
  readonly isPortFixed: boolean;
  /** Told of every POST that was let through, once it is answered. */
  readonly onPosted?: () => void;
}

export class PassThrough {
  private constructor(
    private readonly server: Server,
    readonly port: number,
    private readonly path: string,
  ) {}

  /** What stands for the service's own URL, its path included. */
  get url(): string {
    return `http://127.0.0.1:${this.port}${this.path}`;
  }

  /** @throws Error when the port is taken, unless another will do. */
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
        throw new Error(`The storage's ${target} service can not be had at port ${port}: ${String(error)}`, {
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
      // Newer versions of Node.js throw over a client that has left in the meantime.
      if (response.destroyed) return void answer.destroy();
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      // An answer that breaks off must not look like one that is slow.
      pipeline(answer, response, () => undefined);
    },
  );
  outgoing.on('error', () => response.destroy());
  // Ends with a client that is gone, also if it went before this line.
  pipeline(incoming, outgoing, () => undefined);
}
