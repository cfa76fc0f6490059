/**
 * Requests to the worker that served the page. URLs are relative to the page, which is at `…/ui/`, so that the console
 * works behind a proxy that adds a path.
 */
import { authorization, signedOut } from './credentials';

/** The worker's answer to a request that it refused. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  constructor(
    readonly status: number,
    message: string,
    /** The whole answer, if it is JSON. */
    readonly body: unknown = null,
  ) {
    super(message);
  }
}

/** No answer: the worker is gone, or too slow. */
class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/** Far above what a healthy worker needs; its own limit for a request is 90 s. */
const READ_TIMEOUT_MS = 10_000;
const CHANGE_TIMEOUT_MS = 95_000;

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of `body`: numbers keep digits that JavaScript's do not have. */
  readonly json?: string;
  readonly signal?: AbortSignal;
}

/**
 * @param path `api/…` for the console's own, `../connectors` for Connect's; segments percent-encoded by `segment`
 * @returns the parsed JSON, or null for an empty answer
 * @throws RequestError with the worker's message, UnreachableError
 */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  return parse(await requestText(path, options)) as T;
}

/** As `request`, but returns the text of the answer. */
export async function requestText(
  path: string,
  { method = 'GET', body, json, signal }: RequestOptions = {},
): Promise<string> {
  const sent = json ?? (body === undefined ? undefined : JSON.stringify(body));
  const timeout = AbortSignal.timeout(method === 'GET' ? READ_TIMEOUT_MS : CHANGE_TIMEOUT_MS);
  let response: Response;
  let text: string;
  try {
    response = await fetch(path, {
      method,
      headers: {
        Accept: 'application/json',
        ...authorization(),
        ...(sent === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      body: sent,
      cache: 'no-store',
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    text = await response.text();
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new UnreachableError('The worker does not answer', { cause: error });
  }
  if (response.ok) return text;
  const parsed = parse(text);
  if (response.status === 401) signedOut();
  const message = (parsed as { message?: unknown } | null)?.message;
  throw new RequestError(response.status, typeof message === 'string' ? message : `HTTP ${response.status}`, parsed);
}

function parse(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/**
 * A connector's name as one segment of a path. URL parsers resolve `.` and `..`, also percent-encoded; the worker
 * removes matrix parameters (from `;` on), which keep them as they are.
 */
export function segment(name: string): string {
  return name === '.' || name === '..' ? `${name};` : encodeURIComponent(name);
}
