/** The one REST route that workers need of each other, for tests without the REST layer. */
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
      const name = decodeURIComponent(/^\/connectors\/(.*)\/tasks/.exec(request.url ?? '')?.[1] ?? '');
      const header = (key: string): string | null => (request.headers[key] as string | undefined) ?? null;
      const submitted = herder
        ? herder.submitTaskConfigs(
            name,
            {
              raw,
              signature: header('x-connect-authorization'),
              algorithm: header('x-connect-request-signature-algorithm'),
            },
            () => JSON.parse(raw.toString()) as ConnectorConfig[],
          )
        : Promise.reject(Object.assign(new Error('not ready'), { status: 404 }));
      submitted.then(
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
