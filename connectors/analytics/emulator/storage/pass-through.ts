/** Stands in front of a storage service, so that faults can be put between it and its clients. */
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import type { Faults, FaultTarget } from '../faults';

export class PassThrough {
  private constructor(
    private readonly server: Server,
    /** What stands for the service's own URL, its path included. */
    readonly url: string,
  ) {}

  /** @param onPosted Told of every POST that was let through, once it is answered. */
  static async start(
    target: FaultTarget & ('blob' | 'queue' | 'table'),
    serviceUrl: string,
    faults: Faults,
    onPosted: () => void = () => undefined,
  ): Promise<PassThrough> {
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
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return new PassThrough(server, `http://127.0.0.1:${port}${service.pathname}`);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
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
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      // An answer that breaks off must not look like one that is slow.
      pipeline(answer, response, () => undefined);
    },
  );
  outgoing.on('error', () => response.destroy());
  // Ends with a client that is gone, also if it went before this line.
  pipeline(incoming, outgoing, () => undefined);
}
