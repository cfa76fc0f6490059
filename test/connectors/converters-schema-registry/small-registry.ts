/** A server that answers as a test says, on real sockets, and keeps what it was asked. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Null: none. */
  readonly body: unknown;
}

export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects are sent as JSON. */
  readonly body: unknown;
}

export type Answering = (asked: Asked, response: ServerResponse) => Reply | 'hang' | 'reset' | 'half' | 'sent';

let servers = 0;

export class SmallRegistry {
  /** Converters share clients by address, and ports are used again. */
  private readonly prefix = `/r${++servers}`;
  readonly asked: Asked[] = [];
  answering: Answering = () => ({ status: 404, body: { error_code: 40403, message: 'Schema not found' } });
  private server!: Server;

  /** @param create of a server with TLS, for example */
  static async start(
    answering?: Answering,
    create: (listener: RequestListener) => Server = createServer,
  ): Promise<SmallRegistry> {
    const registry = new SmallRegistry();
    if (answering) registry.answering = answering;
    registry.server = create((request, response) => void registry.answer(request, response));
    await new Promise<void>((resolve) => registry.server.listen(0, '127.0.0.1', resolve));
    return registry;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }
  get url(): string {
    return `http://127.0.0.1:${this.port}${this.prefix}`;
  }
  /** `METHOD path` of each request. */
  get requests(): string[] {
    return this.asked.map(({ method, path }) => `${method} ${path}`);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const isJson = request.headers['content-type']?.includes('json') === true;
    const asked = {
      method: request.method ?? '',
      path: (request.url ?? '').replace(this.prefix, ''),
      headers: request.headers,
      body: text === '' ? null : isJson ? (JSON.parse(text) as unknown) : text,
    };
    this.asked.push(asked);
    const reply = this.answering(asked, response);
    if (reply === 'hang' || reply === 'sent') return;
    if (reply === 'reset') return void request.socket.destroy();
    if (reply === 'half') {
      response.writeHead(200, { 'content-length': '1000' });
      return void response.write('{"schema":', () => request.socket.destroy());
    }
    const { status = 200, headers = {}, body } = reply;
    const isText = typeof body === 'string' || Buffer.isBuffer(body);
    response.writeHead(status, { 'content-type': 'application/vnd.schemaregistry.v1+json', ...headers });
    response.end(isText ? body : JSON.stringify(body));
  }
}

/** An address at which nothing listens. */
export async function closedPort(): Promise<number> {
  const registry = await SmallRegistry.start();
  const { port } = registry;
  await registry.stop();
  return port;
}
