/**
 * A minimal cluster and storage, for what the emulator cannot simulate: storage that moves, and hosts that do not exist
 * yet.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SmallServer {
  readonly url: string;
  readonly port: number;
  stop(): Promise<void>;
}

/** @param port 0: a free one */
export async function serve(listener: RequestListener, port = 0): Promise<SmallServer> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', resolve));
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Storage that accepts everything; `messages` are those of its queue, `blobs` the paths of its files. */
export async function serveStorage(): Promise<SmallServer & { readonly messages: string[]; readonly blobs: string[] }> {
  const messages: string[] = [];
  const blobs: string[] = [];
  const server = await serve((request, response) => {
    void bodyOf(request).then((body) => {
      if (request.method === 'POST') messages.push(body);
      else blobs.push(String(request.url).split('?')[0] as string);
      response.writeHead(201).end();
    });
  });
  return { ...server, messages, blobs };
}

/** An ingestion endpoint; `storage` and `queue` are its current resources, `asked` counts the requests for them. */
export async function serveCluster(
  storage: () => string,
  port = 0,
  queue = storage,
): Promise<SmallServer & { readonly asked: { resources: number } }> {
  const asked = { resources: 0 };
  const server = await serve((request, response) => {
    void bodyOf(request).then((body) => {
      const isResources = body.includes('.get ingestion resources');
      if (isResources) asked.resources++;
      const rows = isResources
        ? [
            ['TempStorage', `${storage()}/account/container?sig=secret`],
            ['SecuredReadyForAggregationQueue', `${queue()}/account/queue?sig=secret`],
          ]
        : [['identity']];
      const columns = (rows[0] as string[]).map((_, i) => ({ ColumnName: `c${i}` }));
      response.end(JSON.stringify({ Tables: [{ Columns: columns, Rows: rows }] }));
    });
  }, port);
  return { ...server, asked };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk as string;
  return body;
}
