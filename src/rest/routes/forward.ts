/** Forwards requests to the worker that must process them: at most two hops. Source: connect-rest §0.7. */
import { sleep, monotonicNow } from '@millrace/sdk';
import { CONFLICT, NO_LEADER, NotHereError, UnreachableWorkerError } from '../../cluster/errors';
import type { ForwardedResponse, ForwardRequest, OutgoingRequest } from '../../cluster/forwarding/forwarding';
import type { MarkedRequest } from '../../cluster/forwarding/forwarded-mark';
import { thenReadBack } from '../../cluster/requests/read-back';
import { encodeJson } from '../json/encode';
import { RestError } from '../http/rest-error';
import { flag, type Call, type Reply } from '../requests/route';

/**
 * How long requests are retried during a rebalance, or until the group detects that the leader has died. After that the
 * client must retry.
 */
const RETRY_TIMEOUT_MS = 30_000;
const RETRY_MS = 250;

export interface Forwarded {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The received bytes of the body, when a signature covers them. Takes precedence over `body`. */
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

/** Headers that a request carries to another worker, besides the client's. */
export type MarkForwarded = (request: MarkedRequest) => Readonly<Record<string, string>>;

/**
 * Runs `local`. If another worker must process the request, forwards it and converts the response with `remote`, once
 * this worker has read what the other one changed.
 */
export function createForwarder(
  send: ForwardRequest,
  retryTimeoutMs = RETRY_TIMEOUT_MS,
  mark: MarkForwarded = () => ({}),
  readBack: () => Promise<void> = () => Promise.resolve(),
): Forwarder {
  return async (call, request, local, remote) => {
    const deadline = monotonicNow() + retryTimeoutMs;
    for (;;) {
      let elsewhere: NotHereError;
      try {
        return await local();
      } catch (error) {
        if (!(error instanceof NotHereError)) throw error;
        elsewhere = error;
      }
      const sent = sendToWorker(send, outgoing(call, request, elsewhere, mark), elsewhere, deadline);
      const answer = await thenReadBack(sent, readBack);
      if (answer !== null) return remote(answer);
    }
  };
}

/**
 * Null when another worker has become responsible in the meantime. A request is never sent twice: only a worker that
 * could not be reached is retried.
 */
async function sendToWorker(
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
    if (!elsewhere.isMomentary || monotonicNow() >= deadline) throw failure;
    await sleep(RETRY_MS);
    if (elsewhere.isOutdated) return null;
  }
}

function outgoing(
  call: Call,
  request: Forwarded,
  elsewhere: NotHereError,
  mark: MarkForwarded,
): Omit<OutgoingRequest, 'url'> {
  const hop = flag(call, 'forward');
  if (hop === false) throw new RestError(409, CONFLICT, { cause: elsewhere });
  const authorization = call.request.headers.authorization ?? null;
  return {
    method: call.method,
    path: request.path,
    query: request.query ?? {},
    body: request.raw ?? (request.body === undefined ? null : encodeJson(request.body).toString('utf8')),
    authorization,
    forward: hop === null,
    headers: { ...request.headers, ...mark({ method: call.method, path: request.path, authorization }) },
  };
}

/** For endpoints that respond without a body on success. */
export const passThrough =
  (reply: Reply) =>
  (answer: ForwardedResponse): Reply =>
    answer.body == null ? reply : { status: answer.status, body: answer.body };
