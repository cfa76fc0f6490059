/**
 * The contract between connections and the modules that handle requests. A module exports `xxxHandlers(deps)`, a map
 * from API key to handler; broker.ts combines them. Requests and responses have the field names of the declarations in
 * `@millrace/kafka-protocol`.
 */
import type { Api, RequestOf, ResponseOf } from '@millrace/kafka-protocol';
import type { ReceivedRequest } from '../protocol/request';

export interface RequestContext {
  readonly clientId: string | null;
  readonly connection: { readonly id: number; readonly host: string };
  readonly apiVersion: number;
  /** Aborted when the connection closes: handlers that wait (long poll, delayed join) may stop waiting. */
  readonly signal: AbortSignal;
}

/**
 * Handles one request. Null means that the client expects no response (acks=0). Expected failures are error codes in
 * the response; an exception closes the connection and is logged.
 * The requests of a connection are handled in order: the next one waits for the promise.
 */
// The declarations in @millrace/kafka-protocol define the actual types; `handles` checks them.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Handler = (request: any, context: RequestContext) => Promise<object | null> | object | null;

/** An entry of a handler map, with request and response typed by the API's layout. */
export function handles<A extends Api>(
  api: A,
  handler: (request: RequestOf<A>, context: RequestContext) => Promise<ResponseOf<A> | null> | ResponseOf<A> | null,
): [number, Handler] {
  return [api.key, handler as Handler];
}

/** The authentication state of a connection. */
export interface Session {
  /** False until a SASL exchange has succeeded, on listeners that require one. */
  authenticated: boolean;
  saslMechanism: string | null;
  /** Set by SaslHandshake version 0: the next frame is a bare token, not a request. */
  rawSasl: ((token: Buffer) => Buffer | null) | null;
}

/** Handles one request of a connection. `close`: the connection is closed without a response. */
export type Dispatch = (
  request: ReceivedRequest,
  context: RequestContext,
  session: Session,
) => Promise<object | null | 'close'>;
