/** The REST routes that workers need of each other, for tests without the REST layer. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ConnectorConfig } from '@millrace/sdk';
import type { Herder } from '../../src/cluster/herder';

export interface Endpoint {
  readonly url: string;
  serve(herder: Herder): void;
  close(): void;
}

export async function serveInternalEndpoint(): Promise<Endpoint> {
  let herder: Herder | undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks);
      const [, encoded = '', route] = /^\/connectors\/(.*)\/(tasks|fence)/.exec(request.url ?? '') ?? [];
      const name = decodeURIComponent(encoded);
      const header = (key: string): string | null => (request.headers[key] as string | undefined) ?? null;
      const body = {
        raw,
        signature: header('x-connect-authorization'),
        algorithm: header('x-connect-request-signature-algorithm'),
        mark: header('x-millrace-signature'),
      };
      const answer = async (): Promise<void> => {
        if (!herder) throw Object.assign(new Error('not ready'), { status: 404 });
        if (route === 'fence') await herder.writes.fenceTasks(name, body);
        else await herder.writes.submitTaskConfigs(name, body, () => JSON.parse(raw.toString()) as ConnectorConfig[]);
      };
      answer().then(
        () => response.writeHead(204).end(),
        (error: { status?: number; message: string }) =>
          response
            .writeHead(error.status ?? 500)
            .end(JSON.stringify({ error_code: error.status ?? 500, message: error.message })),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    serve: (served) => (herder = served),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
