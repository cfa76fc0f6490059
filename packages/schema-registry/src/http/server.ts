/** HTTP around the routes: bodies within bounds, answers and errors as JSON. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { MAX_BODY_BYTES } from '../bounds';
import { badRequest, RegistryError } from '../registry-error';
import { type RouteFinder, type RouteRequest, routeFinder, type Route } from './router';

const CONTENT_TYPE = 'application/vnd.schemaregistry.v1+json';
/** A browser sends such bodies to other origins only if the server agrees, and this one never does. */
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i;
const REQUEST_TIMEOUT_MS = 30_000;
const MAX_CONNECTIONS = 1000;

export interface ServerOptions {
  readonly routes: readonly Route[];
  /** An error that is not an answer. */
  readonly report: (line: string) => void;
}

export function registryServer({ routes, report }: ServerOptions): Server {
  const find = routeFinder(routes);
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    void answer(find, request).then(
      (value) => send(response, 200, value),
      (error: unknown) => sendError(response, error, report),
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

async function answer(find: RouteFinder, request: IncomingMessage): Promise<unknown> {
  checkCaller(request);
  const [path = '', query = ''] = splitOnce(request.url ?? '');
  const match = find(request.method ?? '', path);
  if (match === 'no path') throw new RegistryError(404, 404, 'HTTP 404 Not Found');
  if (match === 'no method') throw new RegistryError(405, 405, 'HTTP 405 Method Not Allowed');
  const body = await readBody(request);
  return await match.run({ params: match.params, query: new URLSearchParams(query), body });
}

/** Names that no web page can have as its own: IP addresses, names without a dot, and those for local networks. */
const LOCAL_HOST = /^(?:\[[^\]]*\]|[\d.]+|[\w-]+|[\w.-]+\.(?:localhost|local|internal))(?::\d+)?$/i;

/** A page in a browser may resolve its name to this machine (DNS rebinding), or be of another origin. */
function checkCaller({ headers, socket }: IncomingMessage): void {
  const { host, origin } = headers;
  const isLoopback = socket.localAddress === '127.0.0.1' || socket.localAddress === '::1';
  if (isLoopback && host !== undefined && !LOCAL_HOST.test(host))
    throw new RegistryError(403, 403, 'The name in the Host header may be that of a web page: use 127.0.0.1');
  if (origin !== undefined && origin !== `http://${host}`)
    throw new RegistryError(403, 403, 'Web pages of other origins may not use this registry');
}

function splitOnce(url: string): readonly [string, string] {
  const at = url.indexOf('?');
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}

async function readBody(request: IncomingMessage): Promise<RouteRequest['body']> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new RegistryError(413, 413, `The request is larger than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  if (bytes === 0) return {};
  if (!JSON_TYPE.test(request.headers['content-type'] ?? ''))
    throw new RegistryError(415, 415, 'HTTP 415 Unsupported Media Type');
  let value: unknown;
  try {
    value = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw badRequest('The request is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest('The request must be a JSON object');
  return value as RouteRequest['body'];
}

function sendError(response: ServerResponse, error: unknown, report: (line: string) => void): void {
  // The rest of the body is not read.
  if (!response.req.complete) response.setHeader('connection', 'close');
  if (error instanceof RegistryError) {
    send(response, error.status, { error_code: error.code, message: error.message });
    return;
  }
  // The client has left.
  if (response.req.errored !== null) return;
  report(`A request failed unexpectedly: ${String((error as Error | undefined)?.stack ?? error)}`);
  send(response, 500, { error_code: 500, message: 'Internal Server Error' });
}

function send(response: ServerResponse, status: number, value: unknown): void {
  // The text of a schema is sent as it is.
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  response.writeHead(status, { 'content-type': CONTENT_TYPE }).end(text);
}
