/** Requests that belong to another worker: two hops at most, answers passed through. Source: connect-rest §0.7. */
import { NotHereError } from '../cluster/errors';
import type { ForwardedAnswer, OutgoingRequest } from '../cluster/forwarding';
import { CONFLICT, NO_LEADER } from './errors';
import { encodeJson } from './json-encode';
import { RestError } from './rest-error';
import type { Call, Reply } from './route';

/** `forwardRequest` of the cluster. Rejects with HerderError carrying the other worker's status and message, or 500 for I/O. */
export type ForwardRequest = (request: OutgoingRequest) => Promise<ForwardedAnswer>;

export interface Forwarded {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export type Forwarder = <T>(
  call: Call,
  request: Forwarded,
  local: () => Promise<T>,
  remote: (answer: ForwardedAnswer) => T,
) => Promise<T>;

/** Runs `local`; when it turns out to belong elsewhere, sends the request there and reads the answer with `remote`. */
export function createForwarder(send: ForwardRequest): Forwarder {
  return async (call, request, local, remote) => {
    try {
      return await local();
    } catch (error) {
      if (!(error instanceof NotHereError)) throw error;
      const hop = call.query.get('forward');
      if (hop !== null && hop.toLowerCase() !== 'true') throw new RestError(409, CONFLICT);
      if (error.url === null) throw new RestError(409, NO_LEADER);
      return remote(
        await send({
          url: error.url,
          method: call.method,
          path: request.path,
          query: request.query ?? {},
          body: request.body === undefined ? null : encodeJson(request.body).toString('utf8'),
          authorization: call.request.headers.authorization ?? null,
          forward: hop === null,
        }),
      );
    }
  };
}

/** For endpoints whose success has no body. */
export const passThrough =
  (reply: Reply) =>
  (answer: ForwardedAnswer): Reply =>
    answer.body == null ? reply : { status: answer.status, body: answer.body };
