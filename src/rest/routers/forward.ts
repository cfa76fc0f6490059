/** Requests that belong to another worker: two hops at most, answers passed through. Source: connect-rest §0.7. */
import { sleep } from '@millrace/sdk';
import { CONFLICT, NO_LEADER, NotHereError, UnreachableWorkerError } from '../../cluster/errors';
import type { ForwardedResponse, ForwardRequest, OutgoingRequest } from '../../cluster/forwarding/forwarding';
import { encodeJson } from '../json/encode';
import { RestError } from '../http/rest-error';
import { flag, type Call, type Reply } from '../requests/route';

/**
 * So long a rebalance may take, or a dead leader go unnoticed by the group, before the client has to try again itself.
 */
const PATIENCE_MS = 30_000;
const RETRY_MS = 250;

export interface Forwarded {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /**
   * The body as it was received, when its exact bytes matter: a signature belongs to them. Takes precedence over
   * `body`.
   */
  readonly raw?: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

export type { ForwardRequest };

export type Forwarder = <T>(
  call: Call,
  request: Forwarded,
  local: () => Promise<T>,
  remote: (answer: ForwardedResponse) => T,
) => Promise<T>;

/** Runs `local`; when it turns out to belong elsewhere, sends the request there and reads the answer with `remote`. */
export function createForwarder(send: ForwardRequest, patienceMs = PATIENCE_MS): Forwarder {
  return async (call, request, local, remote) => {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      let elsewhere: NotHereError;
      try {
        return await local();
      } catch (error) {
        if (!(error instanceof NotHereError)) throw error;
        elsewhere = error;
      }
      const answer = await sendOn(send, outgoing(call, request, elsewhere), elsewhere, deadline);
      if (answer !== null) return remote(answer);
    }
  };
}

/**
 * Null when the request belongs elsewhere meanwhile. Nothing is sent twice: only a worker that was not reached is asked
 * again.
 */
async function sendOn(
  send: ForwardRequest,
  request: Omit<OutgoingRequest, 'url'>,
  elsewhere: NotHereError,
  deadline: number,
): Promise<ForwardedResponse | null> {
  for (;;) {
    let failure: Error = new RestError(409, NO_LEADER);
    if (elsewhere.url !== null) {
      try {
        return await send({ ...request, url: elsewhere.url });
      } catch (error) {
        if (!(error instanceof UnreachableWorkerError)) throw error;
        failure = error;
      }
    }
    if (!elsewhere.isMomentary || Date.now() >= deadline) throw failure;
    await sleep(RETRY_MS);
    if (elsewhere.isOutdated) return null;
  }
}

function outgoing(call: Call, request: Forwarded, elsewhere: NotHereError): Omit<OutgoingRequest, 'url'> {
  const hop = flag(call, 'forward');
  if (hop === false) throw new RestError(409, CONFLICT, { cause: elsewhere });
  return {
    method: call.method,
    path: request.path,
    query: request.query ?? {},
    body: request.raw ?? (request.body === undefined ? null : encodeJson(request.body).toString('utf8')),
    authorization: call.request.headers.authorization ?? null,
    forward: hop === null,
    ...(request.headers ? { headers: request.headers } : {}),
  };
}

/** For endpoints whose success has no body. */
export const passThrough =
  (reply: Reply) =>
  (answer: ForwardedResponse): Reply =>
    answer.body == null ? reply : { status: answer.status, body: answer.body };
