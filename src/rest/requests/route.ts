/** A route as data: what it answers to and who answers. The express side of it is `dispatch.ts`. */
import type { IncomingMessage } from 'node:http';
import type { IncomingBody } from '../http/incoming-body';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Call {
  readonly request: IncomingMessage;
  readonly body: IncomingBody;
  readonly method: Method;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Repeated parameters: `get` answers the first, as Java does. */
  readonly query: URLSearchParams;
  /** `http` or `https`, and the Host header (or the socket's own address when an HTTP/1.0 client sends none). */
  readonly base: string;
}

export interface Reply {
  readonly status: number;
  /** Written as JSON; absent: no body. */
  readonly body?: unknown;
  /** Instead of `body`, of a resource with a `textType`: written as it is. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Handler = (call: Call) => Promise<Reply> | Reply;

export interface Resource {
  /** Express pattern. */
  readonly path: string;
  /**
   * Methods that do not care about the request's Content-Type; for the others anything but JSON is 415, body or not.
   */
  readonly anyType?: readonly Method[];
  /** Content-Type of its answers, where that is not JSON. */
  readonly textType?: string;
  readonly methods: Readonly<Partial<Record<Method, Handler>>>;
}

export const ok = (body: unknown): Reply => ({ status: 200, body });
export const accepted: Reply = { status: 202, headers: { 'Content-Length': '0' } };
export const noContent: Reply = { status: 204 };

/** Java's `Boolean` parameter: `true` in any case, everything else is false. Null: absent or empty. */
export function flag(call: Call, name: string): boolean | null {
  const text = call.query.get(name) ?? '';
  return text === '' ? null : text.toLowerCase() === 'true';
}

export function param(call: Call, name: string): string {
  return call.params[name] ?? '';
}
