/** HTTPS through an HTTP proxy: a tunnel for each connection, and connections that are kept. */
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

  /** Answers by its callback alone: the tunnel comes first. */
  override createConnection(
    options: RequestOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const told = callback as (error: Error | null, stream?: Duplex) => void;
    const host = options.host?.includes(':') ? `[${options.host}]` : options.host;
    this.open(`${host}:${options.port}`, (error, socket) => {
      if (error) told(error);
      else told(null, super.createConnection({ ...options, socket } as RequestOptions) as Duplex);
    });
  }

  override destroy(): void {
    for (const tunnel of this.opening) tunnel.destroy();
    super.destroy();
  }

  private open(target: string, opened: (error: Error | null, socket?: Socket) => void): void {
    // A tunnel is a connection that is taken away from HTTP: it is not kept by anybody else.
    const tunnel = request({ ...this.proxy, method: 'CONNECT', path: target, timeout: TIMEOUT_MS, agent: false });
    this.opening.add(tunnel);
    tunnel.on('close', () => this.opening.delete(tunnel));
    tunnel.on('timeout', () => tunnel.destroy(new Error(`the proxy says nothing for ${TIMEOUT_MS} ms`)));
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
