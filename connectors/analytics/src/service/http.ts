/**
 * Requests with a timeout and without redirects. Errors name the URL and the response, never a SAS or a token. Only
 * HTTPS uses the proxy, in a tunnel: the proxy comes from the connector's configuration, and could otherwise read
 * tokens and impersonate the service.
 */
import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { boundedReply, type BoundedReply } from '@millrace/sdk';
import { isLoopback } from '../config/endpoints';
import { KEY } from '../config/definitions';
import { failureKind, ServiceError } from './service-error';
import { TunnelAgent, type Proxy } from './tunnel-agent';

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | (() => Readable);
  readonly signal: AbortSignal;
  /** The key that sets the address, which errors name. */
  readonly setting?: string;
  /** Milliseconds without data. (Default: 60 s) */
  readonly timeoutMs?: number;
}

export type HttpResponse = Pick<BoundedReply, 'status' | 'headers' | 'text'>;

interface HttpOptions {
  readonly proxy: Proxy | null;
}

const TIMEOUT_MS = 60_000;
// Firewalls and load balancers often drop idle connections silently after a longer time.
const KEEP_ALIVE = { keepAlive: true, timeout: 30_000 };
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;

export class Http {
  private readonly plain = new HttpAgent(KEEP_ALIVE);
  private readonly secure = new HttpsAgent(KEEP_ALIVE);
  private readonly tunnels: TunnelAgent | null;

  constructor({ proxy }: HttpOptions) {
    this.tunnels = proxy && new TunnelAgent(proxy, KEEP_ALIVE);
  }

  /** Resolves with a response of any status. @throws ServiceError without one. */
  async send(given: HttpRequest): Promise<HttpResponse> {
    given.signal.throwIfAborted();
    const url = new URL(given.url);
    try {
      return await this.exchange(url, given);
    } catch (error) {
      if (given.signal.aborted || error instanceof ServiceError) throw error;
      const why = (error as Error).message || String((error as NodeJS.ErrnoException).code);
      throw new ServiceError(
        `${withoutQuery(url)} does not answer: ${why}${this.keysOf(given, ', and whether this worker may reach that host')}`,
        'transient',
        {
          cause: error,
        },
      );
    }
  }

  /** @throws ServiceError for any status but 2xx. */
  async require(given: HttpRequest): Promise<HttpResponse> {
    const answer = await this.send(given);
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw responseError(new URL(given.url), answer, this.keysOf(given, ''));
  }

  /** The hint that ends an error about an address that may be wrong. */
  private keysOf({ setting, url }: HttpRequest, more: string): string {
    if (setting === undefined) return '';
    const keys = [setting, ...(this.isTunnelled(new URL(url)) ? [KEY.proxyHost, KEY.proxyPort] : [])];
    return `. Check ${keys.map((key) => `"${key}"`).join(', ')}${more}.`;
  }

  close(): void {
    this.plain.destroy();
    this.secure.destroy();
    this.tunnels?.destroy();
  }

  /** Loopback addresses never use the proxy. */
  private isTunnelled({ protocol, hostname }: URL): boolean {
    return this.tunnels !== null && protocol === 'https:' && !isLoopback(hostname);
  }

  private async exchange(url: URL, given: HttpRequest): Promise<HttpResponse> {
    const { method, headers, body, signal, timeoutMs = TIMEOUT_MS } = given;
    const isSecure = url.protocol === 'https:';
    const secure = this.isTunnelled(url) ? (this.tunnels as TunnelAgent) : this.secure;
    const options: RequestOptions = {
      method,
      headers,
      signal,
      timeout: timeoutMs,
      agent: isSecure ? secure : this.plain,
    };
    const send = isSecure ? httpsRequest : httpRequest;
    const request = send(url, options);
    request.on('timeout', () => request.destroy(new Error(`no data for ${timeoutMs} ms`)));
    const reply = boundedReply(request, MAX_RESPONSE_BYTES);
    if (typeof body === 'function') {
      const source = body();
      source.on('error', (error) =>
        request.destroy(new ServiceError(`Cannot read the file: ${error.message}`, 'permanent', { cause: error })),
      );
      // Closes the file when the request ends before all of it is sent.
      request.on('close', () => source.destroy());
      source.pipe(request);
    } else request.end(body);
    return await reply;
  }
}

/** Host and path, without the query that may hold a SAS. */
export function withoutQuery(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

/** Statuses of servers that do not know the path. */
const UNKNOWN_PATH = new Set([301, 302, 303, 307, 308, 404, 405]);

/** @param advice Added to a response that does not come from the service. */
export function responseError(url: URL, { status, headers, text }: HttpResponse, advice = ''): ServiceError {
  const details = errorDetails(text);
  const retryAfter = Number(headers['retry-after']);
  const reason = `${details.code ? ` ${details.code}` : ''}${details.message ? `: ${details.message}` : ''}`;
  return new ServiceError(
    `${withoutQuery(url)} answers ${status}${reason}${UNKNOWN_PATH.has(status) && details.code === '' ? advice : ''}`,
    failureKind(status, details.permanent),
    {
      status,
      ...(details.code && { serviceCode: details.code }),
      ...(Number.isFinite(retryAfter) && retryAfter > 0 && { retryAfterMs: retryAfter * 1_000 }),
    },
  );
}

/** @throws ServiceError, transient, for a body that is not JSON: something other than the service responds. */
export function parseJson(text: string, url: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new ServiceError(`${withoutQuery(new URL(url))} returns a body that is not JSON`, 'transient', {
      cause: error,
    });
  }
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
