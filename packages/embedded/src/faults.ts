/** Fault injection for tests of clients: failures of networks and clusters. */
import { PRODUCE, type RequestOf } from '@millrace/kafka-protocol';
import { startTimer } from './clock';
import { SERVED_APIS } from './protocol/apis';
import { ErrorCode, type ErrorName } from './protocol/errors';
import { errorResponse } from './requests/error-response';
import type { Dispatch, Session } from './requests/handler';

export interface FaultOptions {
  /** Number of requests that it affects; default: all until removed. */
  readonly times?: number;
  /** Only requests that contain this topic. */
  readonly topic?: string;
  /** Only requests of clients whose `client.id` starts with this. */
  readonly clientId?: string;
}

export interface FailOptions extends FaultOptions {
  /** `before` (default): the request is not handled. `after`: it is handled, but the response has the error. */
  readonly when?: 'before' | 'after';
}

/** Removes the fault. May be called repeatedly, also after the fault has ended. */
export type RemoveFault = () => void;

/** API names are Kafka's: `Produce`, `Fetch`, `JoinGroup`, … Unknown names throw. */
export interface Faults {
  /** Delays requests before they are handled. */
  delay(api: string, ms: number, options?: FaultOptions): RemoveFault;
  /** Responds with the error, before or after the request is handled. */
  fail(api: string, error: ErrorName, options?: FailOptions): RemoveFault;
  /**
   * Closes the connection. `before`: the request is not handled. `after`: it is handled, but the client gets no
   * response.
   */
  cut(api: string, when: 'before' | 'after', options?: FaultOptions): RemoveFault;
  /** As a quota: responds at once with `throttle_time_ms`, then handles no request of the connection for that time. */
  throttle(api: string, ms: number, options?: FaultOptions): RemoveFault;
  /** Requests that write to or read from the partition wait. */
  pausePartition(topic: string, partition: number): RemoveFault;
  /** Number of requests of the API since startup, affected by faults or not. */
  requests(api: string): number;
  /** Removes all faults. */
  clear(): void;
}

type Effect =
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'fail'; readonly code: number; readonly when: 'before' | 'after' }
  | { readonly kind: 'throttle'; readonly ms: number }
  | { readonly kind: 'cut'; readonly when: 'before' | 'after' };

interface Fault {
  readonly api: string;
  readonly effect: Effect;
  readonly options: FaultOptions;
  left: number;
}

/** The combined faults of one request. */
export interface RequestFaults {
  readonly delayMs: number;
  readonly error: { readonly code: number; readonly when: 'before' | 'after' } | null;
  readonly cut: 'before' | 'after' | null;
  readonly throttleMs: number;
}

export class FaultPlan implements Faults {
  private readonly faults = new Set<Fault>();
  private readonly counts = new Map<string, number>();
  private readonly paused = new Map<string, { readonly resumed: Promise<void>; readonly resume: () => void }>();
  private readonly names = new Set([...SERVED_APIS.values()].map((api) => api.name));

  delay(api: string, ms: number, options: FaultOptions = {}): RemoveFault {
    return this.add(api, { kind: 'delay', ms }, options);
  }

  fail(api: string, error: ErrorName, { when = 'before', ...options }: FailOptions = {}): RemoveFault {
    return this.add(api, { kind: 'fail', code: ErrorCode[error], when }, options);
  }

  cut(api: string, when: 'before' | 'after', options: FaultOptions = {}): RemoveFault {
    return this.add(api, { kind: 'cut', when }, options);
  }

  throttle(api: string, ms: number, options: FaultOptions = {}): RemoveFault {
    return this.add(api, { kind: 'throttle', ms }, options);
  }

  private add(api: string, effect: Effect, options: FaultOptions): RemoveFault {
    this.checkApi(api);
    const fault: Fault = { api, effect, options, left: options.times ?? Infinity };
    this.faults.add(fault);
    return () => void this.faults.delete(fault);
  }

  pausePartition(topic: string, partition: number): RemoveFault {
    const key = `${topic}-${partition}`;
    this.paused.get(key)?.resume();
    let resolve!: () => void;
    const resumed = new Promise<void>((done) => (resolve = done));
    const resume = (): void => {
      if (this.paused.get(key)?.resumed === resumed) this.paused.delete(key);
      resolve();
    };
    this.paused.set(key, { resumed, resume });
    return resume;
  }

  requests(api: string): number {
    this.checkApi(api);
    return this.counts.get(api) ?? 0;
  }

  clear(): void {
    this.faults.clear();
    for (const { resume } of this.paused.values()) resume();
  }

  private checkApi(api: string): void {
    if (!this.names.has(api)) throw new Error(`Unknown API '${api}'; supported are ${[...this.names].join(', ')}.`);
  }

  /** Counts the request and returns the faults that apply to it. */
  apply(api: string, clientId: string | null, body: object): RequestFaults {
    this.counts.set(api, (this.counts.get(api) ?? 0) + 1);
    let combined: RequestFaults = { delayMs: 0, error: null, cut: null, throttleMs: 0 };
    for (const fault of this.faults) {
      if (fault.api !== api || !matches(fault.options, clientId, body)) continue;
      if (--fault.left <= 0) this.faults.delete(fault);
      const { effect } = fault;
      if (effect.kind === 'delay') combined = { ...combined, delayMs: combined.delayMs + effect.ms };
      else if (effect.kind === 'throttle') combined = { ...combined, throttleMs: combined.throttleMs + effect.ms };
      else if (effect.kind === 'fail') combined = { ...combined, error: effect };
      else combined = { ...combined, cut: effect.when };
    }
    return combined;
  }

  /** Resolves when the partition is resumed; null if it is not paused. */
  whenResumed(topic: string, partition: number): Promise<void> | null {
    return this.paused.get(`${topic}-${partition}`)?.resumed ?? null;
  }
}

function matches({ topic, clientId }: FaultOptions, from: string | null, body: object): boolean {
  if (clientId !== undefined && !(from ?? '').startsWith(clientId)) return false;
  return topic === undefined || namesTopic(body, topic);
}

/** A topic is the `name` or `topic` of an array element, or an element that is a string. */
function namesTopic(value: unknown, topic: string): boolean {
  if (Array.isArray(value)) return value.some((element) => element === topic || namesTopic(element, topic));
  if (value === null || typeof value !== 'object' || Buffer.isBuffer(value)) return false;
  return Object.entries(value).some(
    ([key, inner]) => ((key === 'name' || key === 'topic') && inner === topic) || namesTopic(inner, topic),
  );
}

const wait = (ms: number): Promise<void> => new Promise((resolve) => startTimer(resolve, ms));

/** Applies the injected faults to requests before they reach the dispatcher. */
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
      if (api.key === PRODUCE.key && (body as RequestOf<typeof PRODUCE>).acks === 0) return 'close';
      response = errorResponse(api, version, body, error.code);
    }
    if (throttleMs === 0) return response;
    throttledUntil.set(session, performance.now() + throttleMs);
    return response && { ...response, throttleTimeMs: throttleMs };
  };
}
