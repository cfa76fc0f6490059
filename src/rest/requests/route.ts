/**
 * A route is one object: method, path, role, description and code. The express app (`dispatch.ts`), the check of roles,
 * the audit log and the OpenAPI document (`openapi.ts`) are derived from the list of these objects.
 */
import type { IncomingMessage } from 'node:http';
import type { Caller } from '../auth/access';
import type { RequiredRole } from '../auth/roles';
import type { IncomingBody } from '../http/incoming-body';
import { RestError } from '../http/rest-error';
import type { SchemaName } from './openapi-schemas';

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

export function authorizationOf({ request }: Pick<Call, 'request'>): string | null {
  return request.headers.authorization ?? null;
}

export interface Reply {
  readonly status: number;
  /** Written as JSON. Absent: no body. */
  readonly body?: unknown;
  /** Body of a route with a `textType`, written as it is. */
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

/** A route that is not part of the documented API: the console's. */
export interface ConsoleRoute extends RequiredRole {
  /** A GET route also answers HEAD, and every path answers OPTIONS to readers. */
  readonly method: Method;
  /** Accepts any Content-Type. Otherwise any other type than JSON is answered with 415, even without a body. */
  readonly anyType?: true;
  /** Content-Type of its responses, if not JSON. */
  readonly textType?: string;
  /** Changes the replies to errors, also of requests that no route of its path accepts. (Default: as they are) */
  readonly onError?: (reply: ErrorReply) => ErrorReply;
  readonly run: Handler;
}

export interface Route extends ConsoleRoute {
  readonly doc: RouteDoc;
}

/** Description for the OpenAPI document. */
export interface RouteDoc {
  /** Unique: clients generate names of methods from it. */
  readonly id: string;
  readonly summary: string;
  /** Query parameters. `repeated`: may occur more than once. */
  readonly query?: readonly { readonly name: string; readonly description: string; readonly repeated?: boolean }[];
  /** Schema of the request body. */
  readonly body?: SchemaName;
  /** Successful responses: description and schema of the body, null for none. Errors are the same for all routes. */
  readonly answers: Readonly<Record<number, readonly [description: string, schema: SchemaName | null]>>;
}

/** The query parameter of routes that forward their requests. */
export const FORWARD = {
  name: 'forward',
  description: 'Between workers: false means that the request must not be forwarded again.',
};

export const ok = (body: unknown): Reply => ({ status: 200, body });
export const accepted: Reply = { status: 202, headers: { 'Content-Length': '0' } };
export const noContent: Reply = { status: 204 };

/** Java's `Boolean` parameter: true for `true` in any case, otherwise false. Null: absent or empty. */
export function flag(call: Call, name: string): boolean | null {
  const text = call.query.get(name) ?? '';
  return text === '' ? null : text.toLowerCase() === 'true';
}

/** Null: absent or empty. Throws RestError 400. */
export function wholeNumber(call: Call, name: string, from: number, to: number): number | null {
  const text = call.query.get(name) ?? '';
  if (text === '') return null;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : -1;
  if (value < from || value > to) throw new RestError(400, `"${name}" must be a number from ${from} to ${to}`);
  return value;
}

export function param(call: Call, name: string): string {
  return call.params[name] ?? '';
}
