/** Requests from one worker to another. Sources: connect-rest §0.7, connect-runtime §2.7. */
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { ConnectionOptions } from 'node:tls';
import { startTimer, timeoutSignal, messageOf } from '@millrace/sdk';
import { HerderError, UnreachableWorkerError } from '../errors';

export interface OutgoingRequest {
  /** Base URL of the other worker. */
  readonly url: string;
  readonly method: string;
  /** Percent-encoded, beginning with `/`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** JSON text; null: none. */
  readonly body: string | Uint8Array | null;
  /** The client's `Authorization` header. */
  readonly authorization?: string | null;
  /** Whether the receiver may pass the request on; null: not said. */
  readonly forward: boolean | null;
  /** Signature of an internal request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface ForwardedAnswer {
  readonly status: number;
  /** Null on 204 and for an empty body. */
  readonly body: unknown;
}

const TIMEOUT_MS = 90_000;
/** Whoever takes longer to open a connection is not there. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Of an answer: far above a connector with thousands of failed tasks, and their traces. */
const MAX_ANSWER = 32 * 1024 * 1024;
/** Of an answer that is no worker's, in the error that is made of it. */
const MAX_TEXT = 1_000;
const NOT_CONNECTED = ['connect', 'getaddrinfo'];

/** The path below the other worker's base URL. */
function target({ url, path, query = {}, forward }: OutgoingRequest): URL {
  const found = new URL(url.replace(/(?<!\/)\/+$/, '') + path);
  for (const [name, value] of Object.entries(query)) found.searchParams.set(name, value);
  if (forward !== null) found.searchParams.set('forward', String(forward));
  return found;
}

function parse(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** Not `fetch`, which refuses some ports, follows proxies and hides reasons. Redirects are not followed. */
async function exchange(request: OutgoingRequest, tls: ConnectionOptions): Promise<{ status: number; text: string }> {
  const { method, body, authorization, headers, signal } = request;
  const url = target(request);
  const bytes = body === null ? null : Buffer.from(body as string);
  const timeout = timeoutSignal(TIMEOUT_MS);
  return await new Promise((resolve, reject) => {
    const outgoing = (url.protocol === 'https:' ? httpsRequest : httpRequest)(
      url,
      {
        ...tls,
        method,
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        // One request now and then: a kept socket would only keep the process.
        agent: false,
        headers: {
          Accept: 'application/json',
          'User-Agent': 'kafka-connect',
          ...(bytes === null ? {} : { 'Content-Type': 'application/json', 'Content-Length': bytes.length }),
          ...(authorization ? { Authorization: authorization } : {}),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > MAX_ANSWER) outgoing.destroy(new Error(`the answer has more than ${MAX_ANSWER} bytes`));
          else chunks.push(chunk);
        });
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.on('socket', (socket) => {
      const late = startTimer(() => outgoing.destroy(new ConnectTimeout()), CONNECT_TIMEOUT_MS);
      for (const event of ['connect', 'close']) socket.once(event, () => clearTimeout(late));
    });
    outgoing.end(bytes ?? undefined);
  });
}

class ConnectTimeout extends Error {
  constructor() {
    super(`no connection within ${CONNECT_TIMEOUT_MS} ms`);
  }
}

/**
 * The failure came before a byte of the request was sent. A host with several addresses fails with one error for each.
 */
function isUnreached(error: unknown): boolean {
  if (error instanceof ConnectTimeout) return true;
  const { syscall, errors } = error as { syscall?: string; errors?: unknown[] };
  return errors ? errors.every(isUnreached) : NOT_CONNECTED.includes(syscall ?? '');
}

/**
 * Sends a request to another worker. Rejects with HerderError: its status and message, or 500 when it can not be
 * reached.
 */
export type ForwardRequest = (request: OutgoingRequest) => Promise<ForwardedAnswer>;

/** Throws HerderError: the other worker's status and message, or 500 when it can not be reached. */
export async function forwardRequest(request: OutgoingRequest, tls: ConnectionOptions = {}): Promise<ForwardedAnswer> {
  let answer: { status: number; text: string };
  try {
    answer = await exchange(request, tls);
  } catch (error) {
    const message = `IO Error trying to forward REST request: ${messageOf(error)}`;
    throw isUnreached(error)
      ? new UnreachableWorkerError(message, { cause: error })
      : new HerderError(500, message, { cause: error });
  }
  const { status, text } = answer;
  if (status === 204) return { status, body: null };
  const parsed = parse(text);
  if (status >= 200 && status < 300) return { status, body: parsed };
  if (status < 400) throw new HerderError(500, `Unexpected status code when handling forwarded request: ${status}`);
  const message = (parsed as { message?: unknown } | null)?.message;
  throw new HerderError(status, typeof message === 'string' ? message : text.slice(0, MAX_TEXT) || `HTTP ${status}`);
}
