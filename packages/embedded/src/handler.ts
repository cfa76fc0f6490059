/**
 * The contract between the broker and the modules that answer requests. A module exports `xxxHandlers(deps)`, a map
 * from API key to handler; broker.ts composes them. Requests and responses have the field names of `protocol/apis`.
 */
import type { Api, RequestOf, ResponseOf } from './protocol/layout';

export interface RequestContext {
  readonly clientId: string | null;
  readonly connection: { readonly id: number; readonly host: string };
  readonly apiVersion: number;
  /** Aborted when the connection is gone: whoever waits (long poll, delayed join) may give up. */
  readonly signal: AbortSignal;
}

/**
 * Answers one request. Null: the client expects no response (acks=0). What a handler throws becomes an error the client
 * sees as a closed connection, and a line in the log; expected failures are error codes in the response.
 * Requests of one connection are handled in order: the next one waits for the promise.
 */
// The table in protocol/apis gives the real shapes; `handles` checks them.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Handler = (request: any, context: RequestContext) => Promise<object | null> | object | null;

/** An entry of a handler map, with request and response typed from the API's layout. */
export function handles<A extends Api>(
  api: A,
  handler: (request: RequestOf<A>, context: RequestContext) => Promise<ResponseOf<A> | null> | ResponseOf<A> | null,
): [number, Handler] {
  return [api.key, handler as Handler];
}
