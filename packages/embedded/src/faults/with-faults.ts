/** Stands between the connections and what answers them, and does what the plan wants done to a request. */
import { startTimer } from '../clock';
import type { Dispatch, Session } from '../requests/handler';
import { PRODUCE } from '../protocol/apis/data';
import type { RequestOf } from '../protocol/layout';
import { errorResponse } from '../requests/error-response';
import type { FaultPlan } from './faults';

const wait = (ms: number): Promise<void> => new Promise((resolve) => startTimer(resolve, ms));

export function withFaults(faults: FaultPlan, dispatch: Dispatch): Dispatch {
  /** Times until which nothing is read from a connection. */
  const muted = new WeakMap<Session, number>();
  return async (request, context, session) => {
    const { api, version, body } = request;
    const quiet = (muted.get(session) ?? 0) - Date.now();
    if (quiet > 0) await wait(quiet);
    const { delayMs, cut, error, throttleMs } = faults.strike(api.name, request.clientId, body);
    // A client that goes away meanwhile has sent its request all the same.
    if (delayMs > 0) await wait(delayMs);
    if (cut === 'before') return 'close';
    let response = error?.when === 'before' ? null : await dispatch(request, context, session);
    if (cut === 'after' || response === 'close') return 'close';
    if (error !== null) {
      // As Apache Kafka tells a producer that wants no answers.
      if (api === PRODUCE && (body as RequestOf<typeof PRODUCE>).acks === 0) return 'close';
      response = errorResponse(api, version, body, error.code);
    }
    if (throttleMs === 0) return response;
    muted.set(session, Date.now() + throttleMs);
    return response && { ...response, throttleTimeMs: throttleMs };
  };
}
