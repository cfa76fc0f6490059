/** Applies the injected faults to requests before they reach the dispatcher. */
import { startTimer } from '../clock';
import type { Dispatch, Session } from '../requests/handler';
import { PRODUCE, type RequestOf } from '@millrace/kafka-protocol';
import { errorResponse } from '../requests/error-response';
import type { FaultPlan } from './faults';

const wait = (ms: number): Promise<void> => new Promise((resolve) => startTimer(resolve, ms));

export function withFaults(faults: FaultPlan, dispatch: Dispatch): Dispatch {
  /** Until when requests of a connection are throttled. */
  const throttledUntil = new WeakMap<Session, number>();
  return async (request, context, session) => {
    const { api, version, body } = request;
    const throttledMs = (throttledUntil.get(session) ?? 0) - performance.now();
    if (throttledMs > 0) await wait(throttledMs);
    const { delayMs, cut, error, throttleMs } = faults.apply(api.name, request.clientId, body);
    // The request is handled even if the client disconnects meanwhile.
    if (delayMs > 0) await wait(delayMs);
    if (cut === 'before') return 'close';
    let response = error?.when === 'before' ? null : await dispatch(request, context, session);
    if (cut === 'after' || response === 'close') return 'close';
    if (error !== null) {
      // As Apache Kafka does for acks=0, where there is no response to put the error in.
      if (api === PRODUCE && (body as RequestOf<typeof PRODUCE>).acks === 0) return 'close';
      response = errorResponse(api, version, body, error.code);
    }
    if (throttleMs === 0) return response;
    throttledUntil.set(session, performance.now() + throttleMs);
    return response && { ...response, throttleTimeMs: throttleMs };
  };
}
