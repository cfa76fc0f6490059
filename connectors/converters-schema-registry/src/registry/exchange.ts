/** One request to one server, within bounds of time and size. */
import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import { checkServerIdentity, type ConnectionOptions } from 'node:tls';
import { boundedReply, startTimer, type BoundedReply } from '@millrace/sdk';
import type { HttpsProxyAgent } from 'https-proxy-agent';
import type { Proxy } from '../config/connection-settings';

export interface ExchangeSettings {
  readonly tls: ConnectionOptions;
  readonly proxy: Proxy | null;
  readonly connectTimeoutMs: number;
  readonly readTimeoutMs: number;
}

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  readonly mostBytes: number;
  /** Whether the process may end before the answer. (Default: no) */
  readonly isBackground?: boolean;
}

/** Firewalls often drop connections that are idle for longer. Node does not wait for those in the pool when it ends. */
const KEEP_ALIVE = { keepAlive: true, timeout: 30_000, maxSockets: 8 };

export class Exchange {
  private readonly plain = new HttpAgent(KEEP_ALIVE);
  private readonly secure: HttpsAgent | HttpsProxyAgent<string>;

  constructor(private readonly settings: ExchangeSettings) {
    const { proxy } = settings;
    this.secure = proxy === null ? new HttpsAgent(KEEP_ALIVE) : tunnels(proxy);
  }

  /** Any answer, whatever its status. Rejects with the error of the connection, or with `BodyTooLarge`. */
  async send(url: string, call: Call): Promise<BoundedReply> {
    const first = this.start(url, call);
    try {
      return await first.reply;
    } catch (error) {
      // The server may close an idle connection just when it is used again.
      if (!first.request.reusedSocket || (error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
      return await this.start(url, call).reply;
    }
  }

  private start(text: string, call: Call): { readonly request: ClientRequest; readonly reply: Promise<BoundedReply> } {
    const { settings } = this;
    const url = new URL(text);
    const { method, headers, body } = call;
    const length = body === null ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options: RequestOptions = { method, headers: { ...headers, ...length } };
    const request =
      url.protocol === 'https:'
        ? httpsRequest(url, { ...options, checkServerIdentity: hostCheck(url), ...settings.tls, agent: this.secure })
        : httpRequest(...this.plainTarget(url, options));
    if (call.isBackground === true) request.once('socket', (socket: Socket) => socket.unref());
    const timer = limits(request, settings);
    const reply = boundedReply(request, call.mostBytes).finally(() => clearTimeout(timer.current));
    request.end(body ?? undefined);
    return { request, reply };
  }

  /** A proxy forwards requests without TLS, and gets the whole URL. */
  private plainTarget(url: URL, options: RequestOptions): [URL, RequestOptions] {
    const { proxy } = this.settings;
    if (proxy === null) return [url, { ...options, agent: this.plain }];
    const headers = { ...options.headers, host: url.host };
    return [new URL(`http://${proxy.host}:${proxy.port}`), { ...options, headers, path: url.href, agent: this.plain }];
  }
}

/** Of the host in the address. In a tunnel, Node would take `localhost` for every address without a name. */
function hostCheck({ hostname }: URL): typeof checkServerIdentity {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return (_, certificate) => checkServerIdentity(host, certificate);
}

/** Destroys a request that does not connect, or whose answer is not complete, in time. */
function limits(request: ClientRequest, settings: ExchangeSettings): { current: NodeJS.Timeout } {
  const limit = (ms: number, what: string): NodeJS.Timeout =>
    startTimer(() => request.destroy(new Error(`${what} within ${ms} ms`)), ms).unref();
  const timer = { current: limit(settings.connectTimeoutMs, 'no connection') };
  const connected = (): void => {
    clearTimeout(timer.current);
    if (!request.destroyed) timer.current = limit(settings.readTimeoutMs, 'no complete answer');
  };
  request.on('socket', (socket: Socket) => {
    const isSecure = 'encrypted' in socket;
    if (request.reusedSocket || (!socket.connecting && !isSecure)) connected();
    else socket.once(isSecure ? 'secureConnect' : 'connect', connected);
  });
  return timer;
}

function tunnels(proxy: Proxy): HttpsProxyAgent<string> {
  // Loaded only where there is a proxy.
  const { HttpsProxyAgent: Agent } = createRequire(__filename)('https-proxy-agent') as {
    HttpsProxyAgent: typeof HttpsProxyAgent;
  };
  return new Agent(`http://${proxy.host}:${proxy.port}`, KEEP_ALIVE);
}
