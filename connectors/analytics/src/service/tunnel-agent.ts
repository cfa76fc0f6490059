/** HTTPS through an HTTP proxy: one tunnel per connection, with keep-alive. */
import { request, type ClientRequest } from 'node:http';
import { Agent, type AgentOptions, type RequestOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface Proxy {
  readonly host: string;
  readonly port: number;
}

const TIMEOUT_MS = 60_000;

export class TunnelAgent extends Agent {
  private readonly opening = new Set<ClientRequest>();

  constructor(
    private readonly proxy: Proxy,
    options: AgentOptions,
  ) {
    super(options);
  }

  /** Returns the connection through the callback, because the tunnel must open first. */
  override createConnection(
    options: RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const done = callback as (error: Error | null, stream?: Duplex) => void;
    const host = options.host?.includes(':') ? `[${options.host}]` : options.host;
    this.open(`${host}:${options.port}`, (error, socket) => {
      if (error) done(error);
      else done(null, super.createConnection({ ...options, socket } as RequestOptions) as Duplex);
    });
  }

  override destroy(): void {
    for (const tunnel of this.opening) tunnel.destroy();
    super.destroy();
  }

  private open(target: string, opened: (error: Error | null, socket?: Socket) => void): void {
    // No agent: a tunnel's connection must not return to a pool of plain HTTP connections.
    const tunnel = request({ ...this.proxy, method: 'CONNECT', path: target, timeout: TIMEOUT_MS, agent: false });
    this.opening.add(tunnel);
    tunnel.on('close', () => this.opening.delete(tunnel));
    tunnel.on('timeout', () => tunnel.destroy(new Error(`no response from the proxy for ${TIMEOUT_MS} ms`)));
    tunnel.on('error', (error) => opened(error));
    tunnel.on('connect', (response, connected) => {
      if (response.statusCode === 200) {
        connected.setTimeout(0);
        opened(null, connected as Socket);
        return;
      }
      connected.destroy();
      opened(new Error(`the proxy answers ${response.statusCode}`));
    });
    tunnel.end();
  }
}
