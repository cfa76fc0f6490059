/** Requests from one worker to another. Sources: connect-rest §0.7, connect-runtime §2.7. */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ConnectionOptions } from 'node:tls';
import { boundedReply, startTimer, timeoutSignal, messageOf } from '@millrace/sdk';
import { HerderError, UnreachableWorkerError } from '../errors';

export interface OutgoingRequest {
  /** Base URL of the other worker. */
  readonly url: string;
  readonly method: string;
  /** Percent-encoded, starting with `/`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** JSON text; null: none. */
  readonly body: string | Uint8Array | null;
  /** The client's `Authorization` header. */
  readonly authorization?: string | null;
  /** Whether the receiver may forward the request; null: not specified. */
  readonly forward: boolean | null;
  /** Signature of an internal request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface ForwardedResponse {
  readonly status: number;
  /** Null on 204 and for an empty body. */
  readonly body: unknown;
}

const TIMEOUT_MS = 90_000;
/** For opening a connection to a worker. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Of a response, in bytes: far above the traces of a connector with thousands of failed tasks. */
const MAX_RESPONSE = 32 * 1024 * 1024;
/** Of a response that is not a worker's, quoted in an error. */
const MAX_TEXT = 1_000;
/** System calls that fail before a byte is sent. */
const NOT_CONNECTED = ['connect', 'getaddrinfo'];

/** Path and query. Not resolved as a URL, which would drop a connector's name that is `.` or `..` from the path. */
function target(base: URL, { path, query = {}, forward }: OutgoingRequest): string {
  const parameters = new URLSearchParams(query);
  if (forward !== null) parameters.set('forward', String(forward));
  return base.pathname.replace(/(?<!\/)\/+$/, '') + path + (parameters.size > 0 ? `?${parameters.toString()}` : '');
}

function parse(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** Does not follow redirects. Not `fetch`, which rejects some ports, uses proxies and hides the causes of errors. */
async function exchange(request: OutgoingRequest, tls: ConnectionOptions): Promise<{ status: number; text: string }> {
  const { method, body, authorization, headers, signal } = request;
  const url = new URL(request.url);
  const bytes = body === null ? null : Buffer.from(body as string);
  const timeout = timeoutSignal(TIMEOUT_MS);
  const outgoing = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
    ...tls,
    path: target(url, request),
    method,
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    // Requests are rare, and a pooled socket would keep the process alive.
    agent: false,
    headers: {
      Accept: 'application/json',
      'User-Agent': 'kafka-connect',
      ...(bytes === null ? {} : { 'Content-Type': 'application/json', 'Content-Length': bytes.length }),
      ...(authorization ? { Authorization: authorization } : {}),
      ...headers,
    },
  });
  outgoing.on('socket', (socket) => {
    const late = startTimer(() => outgoing.destroy(new ConnectTimeout()), CONNECT_TIMEOUT_MS);
    for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(late));
  });
  const reply = boundedReply(outgoing, MAX_RESPONSE);
  outgoing.end(bytes ?? undefined);
  return await reply;
}

class ConnectTimeout extends Error {
  constructor() {
    super(`no connection within ${CONNECT_TIMEOUT_MS} ms`);
  }
}

/**
 * True if no byte of the request was sent. A host with several addresses fails with one error for each of them.
 */
function isUnreached(error: unknown): boolean {
  if (error instanceof ConnectTimeout) return true;
  const { syscall, errors } = error as { syscall?: string; errors?: unknown[] };
  return errors ? errors.every(isUnreached) : NOT_CONNECTED.includes(syscall ?? '');
}

/**
 * Sends a request to another worker. Rejects with HerderError: the other worker's status and message, or 500 when it
 * cannot be reached.
 */
export type ForwardRequest = (request: OutgoingRequest) => Promise<ForwardedResponse>;

/** Throws HerderError: the other worker's status and message, or 500 when it cannot be reached. */
export async function forwardRequest(
  request: OutgoingRequest,
  tls: ConnectionOptions = {},
): Promise<ForwardedResponse> {
  let response: { status: number; text: string };
  try {
    response = await exchange(request, tls);
  } catch (error) {
    const message = `IO Error trying to forward REST request: ${messageOf(error)}`;
    throw isUnreached(error)
      ? new UnreachableWorkerError(message, { cause: error })
      : new HerderError(500, message, { cause: error });
  }
  const { status, text } = response;
  if (status === 204) return { status, body: null };
  const parsed = parse(text);
  if (status >= 200 && status < 300) return { status, body: parsed };
  if (status < 400) throw new HerderError(500, `Unexpected status code when handling forwarded request: ${status}`);
  const message = (parsed as { message?: unknown } | null)?.message;
  throw new HerderError(status, typeof message === 'string' ? message : text.slice(0, MAX_TEXT) || `HTTP ${status}`);
}
