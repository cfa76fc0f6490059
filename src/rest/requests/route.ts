/** A route: its path, methods and handlers. `dispatch.ts` connects it to express. */
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../auth/access';
import type { IncomingBody } from '../http/incoming-body';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Call {
  readonly request: IncomingMessage;
  readonly body: IncomingBody;
  readonly method: Method;
  readonly caller: Caller;
  /** What the audit log reports of the request. A handler sets the connector that is not in the path. */
  readonly audited: { connector: string | null };
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Of repeated parameters, `get` returns the first, as Java does. */
  readonly query: URLSearchParams;
  /** Base URL: scheme and Host header, or the socket's address for an HTTP/1.0 request without one. */
  readonly base: string;
}

export interface Reply {
  readonly status: number;
  /** Written as JSON. Absent: no body. */
  readonly body?: unknown;
  /** Body of a resource with a `textType`, written as it is. */
  readonly text?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ErrorEnvelope {
  readonly error_code: number;
  readonly message: string | null;
}

export interface ErrorReply extends Reply {
  readonly body: ErrorEnvelope;
  /** False: the envelope is sent without a Content-Type. */
  readonly typed: boolean;
}

export type Handler = (call: Call) => Promise<Reply> | Reply;

export interface Resource {
  /** Express pattern. */
  readonly path: string;
  /**
   * Methods that accept any Content-Type. The others respond with 415 to any other type than JSON, even without a body.
   */
  readonly anyType?: readonly Method[];
  /** Content-Type of its responses, if not JSON. */
  readonly textType?: string;
  /** Changes the replies to errors. (Default: as they are) */
  readonly onError?: (reply: ErrorReply) => ErrorReply;
  readonly methods: Readonly<Partial<Record<Method, Handler>>>;
}

export const ok = (body: unknown): Reply => ({ status: 200, body });
export const accepted: Reply = { status: 202, headers: { 'Content-Length': '0' } };
export const noContent: Reply = { status: 204 };

/** Java's `Boolean` parameter: true for `true` in any case, otherwise false. Null: absent or empty. */
export function flag(call: Call, name: string): boolean | null {
  const text = call.query.get(name) ?? '';
  return text === '' ? null : text.toLowerCase() === 'true';
}

export function param(call: Call, name: string): string {
  return call.params[name] ?? '';
}
