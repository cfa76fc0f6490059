/** Requests with a time limit, no redirects, and errors that say who answered what; never with a SAS or a token in them. */
import { request as httpRequest, type IncomingHttpHeaders, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { connect as connectTls } from 'node:tls';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { failureKind, ServiceError } from './service-error';

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | (() => Readable);
  readonly signal: AbortSignal;
  /** Milliseconds without an answer. (Default: 60 s) */
  readonly timeoutMs?: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface HttpOptions {
  readonly proxy: { readonly host: string; readonly port: number } | null;
}

const TIMEOUT_MS = 60_000;
const LONGEST_ANSWER = 16 * 1024 * 1024;

export class Http {
  private readonly agent = new HttpsAgent({ keepAlive: true });

  constructor(private readonly options: HttpOptions) {}

  /** Any answer at all. @throws ServiceError without one. */
  async send(given: HttpRequest): Promise<HttpAnswer> {
    given.signal.throwIfAborted();
    const url = new URL(given.url);
    try {
      return await this.exchange(url, given);
    } catch (error) {
      if (given.signal.aborted) throw error;
      throw new ServiceError(`${place(url)} does not answer: ${(error as Error).message}`, 'transient', {
        cause: error,
      });
    }
  }

  /** @throws ServiceError for any status but 2xx. */
  async require(given: HttpRequest): Promise<HttpAnswer> {
    const answer = await this.send(given);
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw refusal(new URL(given.url), answer);
  }

  close(): void {
    this.agent.destroy();
  }

  private async exchange(url: URL, given: HttpRequest): Promise<HttpAnswer> {
    const { method, headers, body, signal, timeoutMs = TIMEOUT_MS } = given;
    const options: RequestOptions = { method, headers: { ...headers }, signal, timeout: timeoutMs };
    const socketOptions = await this.route(url, signal);
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    return await new Promise<HttpAnswer>((resolve, reject) => {
      const request = send(url, { ...options, ...socketOptions }, (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > LONGEST_ANSWER) response.destroy(new Error(`the answer is longer than ${LONGEST_ANSWER} bytes`));
          chunks.push(chunk);
        });
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
      });
      request.on('timeout', () => request.destroy(new Error(`nothing came for ${timeoutMs} ms`)));
      request.on('error', reject);
      if (typeof body === 'function') {
        const source = body();
        source.on('error', (error) => request.destroy(error));
        source.pipe(request);
      } else request.end(body);
    });
  }

  /** By the proxy, if there is one and the host is not this machine. */
  private async route(
    url: URL,
    signal: AbortSignal,
  ): Promise<RequestOptions & { agent?: HttpsAgent; createConnection?: never }> {
    const { proxy } = this.options;
    const secure = url.protocol === 'https:';
    if (proxy === null) return secure ? { agent: this.agent } : {};
    if (!secure) return { host: proxy.host, port: proxy.port, path: url.href };
    const tunnel = httpRequest({
      host: proxy.host,
      port: proxy.port,
      method: 'CONNECT',
      path: `${url.hostname}:${url.port || 443}`,
      signal,
    });
    const socket = await new Promise<Socket>((resolve, reject) => {
      tunnel.on('error', reject);
      tunnel.on('connect', (response, connected) => {
        if (response.statusCode === 200) resolve(connected as Socket);
        else reject(new Error(`the proxy answers ${response.statusCode}`));
      });
      tunnel.end();
    });
    const secured = connectTls({ socket, servername: url.hostname });
    return { createConnection: (() => secured) as never };
  }
}

/** Host and path, without the query that may hold a SAS. */
export function place(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

export function refusal(url: URL, { status, headers, text }: HttpAnswer): ServiceError {
  const details = errorDetails(text);
  const retryAfter = Number(headers['retry-after']);
  return new ServiceError(
    `${place(url)} answers ${status}${details.code ? ` ${details.code}` : ''}${details.message ? `: ${details.message}` : ''}`,
    failureKind(status, details.permanent),
    {
      status,
      ...(details.code && { serviceCode: details.code }),
      ...(Number.isFinite(retryAfter) && retryAfter > 0 && { retryAfterMs: retryAfter * 1_000 }),
    },
  );
}

interface ErrorDetails {
  readonly code: string;
  readonly message: string;
  readonly permanent: boolean | null;
}

/** Of a OneApi body, an OAuth body or the XML of a storage service. */
function errorDetails(text: string): ErrorDetails {
  try {
    const body = JSON.parse(text) as Record<string, unknown>;
    const error = body.error;
    if (typeof error === 'string')
      return { code: error, message: String(body.error_description ?? ''), permanent: null };
    const fields = (error ?? {}) as Record<string, unknown>;
    const permanent = fields['@permanent'];
    return {
      code: String(fields.code ?? ''),
      message: String(fields['@message'] ?? fields.message ?? ''),
      permanent: typeof permanent === 'boolean' ? permanent : null,
    };
  } catch {
    const code = /<Code>([^<]*)<\/Code>/.exec(text)?.[1] ?? '';
    const message = /<Message>([^<\n]*)/.exec(text)?.[1] ?? '';
    return { code, message, permanent: null };
  }
}
