/** Misbehaviour on request, for tests of clients: what a network and a cluster do to them on a bad day. */
import { APIS } from '../protocol/apis';
import { ErrorCode, type ErrorName } from '../protocol/errors';

export interface FaultOptions {
  /** How many requests it strikes; default: all until removed. */
  readonly times?: number;
  /** Only requests that name this topic. */
  readonly topic?: string;
  /** Only requests of clients whose `client.id` starts like this. */
  readonly clientId?: string;
}

export interface FailOptions extends FaultOptions {
  /** `after`: all of it has happened, and the client is told otherwise. Default `before`: nothing has happened. */
  readonly when?: 'before' | 'after';
}

/** Ends the fault; striking no more is fine, and so is calling it twice. */
export type RemoveFault = () => void;

/** API names are Kafka's: `Produce`, `Fetch`, `JoinGroup`, … Unknown ones throw. */
export interface Faults {
  /** Requests wait that long before they are handled. */
  delay(api: string, ms: number, options?: FaultOptions): RemoveFault;
  /** Answered with the error, without being handled, or although it was. */
  fail(api: string, error: ErrorName, options?: FailOptions): RemoveFault;
  /**
   * `before`: the connection is closed and nothing has happened. `after`: all of it has happened, and the client never
   * hears.
   */
  cut(api: string, when: 'before' | 'after', options?: FaultOptions): RemoveFault;
  /**
   * As a quota does it: answered at once with `throttle_time_ms`, and nothing more is read from the connection for so
   * long.
   */
  throttle(api: string, ms: number, options?: FaultOptions): RemoveFault;
  /** Requests that write to the partition or read from it wait. */
  pausePartition(topic: string, partition: number): RemoveFault;
  /** How many requests of the API were received since the start, struck or not. */
  requests(api: string): number;
  /** Ends every fault. */
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

/** What is to be done to one request. */
export interface Strike {
  readonly delayMs: number;
  readonly error: { readonly code: number; readonly when: 'before' | 'after' } | null;
  readonly cut: 'before' | 'after' | null;
  readonly throttleMs: number;
}

export class FaultPlan implements Faults {
  private readonly faults = new Set<Fault>();
  private readonly counts = new Map<string, number>();
  private readonly paused = new Map<string, { readonly over: Promise<void>; readonly end: () => void }>();
  private readonly names = new Set([...APIS.values()].map((api) => api.name));

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
    this.known(api);
    const fault: Fault = { api, effect, options, left: options.times ?? Infinity };
    this.faults.add(fault);
    return () => void this.faults.delete(fault);
  }

  pausePartition(topic: string, partition: number): RemoveFault {
    const key = `${topic}-${partition}`;
    this.paused.get(key)?.end();
    let resolve!: () => void;
    const over = new Promise<void>((done) => (resolve = done));
    const end = (): void => {
      if (this.paused.get(key)?.over === over) this.paused.delete(key);
      resolve();
    };
    this.paused.set(key, { over, end });
    return end;
  }

  requests(api: string): number {
    this.known(api);
    return this.counts.get(api) ?? 0;
  }

  clear(): void {
    this.faults.clear();
    for (const { end } of this.paused.values()) end();
  }

  private known(api: string): void {
    if (!this.names.has(api))
      throw new Error(`There is no API called '${api}' here; there are ${[...this.names].join(', ')}.`);
  }

  /** What the request meets; counts it. */
  strike(api: string, clientId: string | null, body: object): Strike {
    this.counts.set(api, (this.counts.get(api) ?? 0) + 1);
    let strike: Strike = { delayMs: 0, error: null, cut: null, throttleMs: 0 };
    for (const fault of this.faults) {
      if (fault.api !== api || !matches(fault.options, clientId, body)) continue;
      if (--fault.left <= 0) this.faults.delete(fault);
      const { effect } = fault;
      if (effect.kind === 'delay') strike = { ...strike, delayMs: strike.delayMs + effect.ms };
      else if (effect.kind === 'throttle') strike = { ...strike, throttleMs: strike.throttleMs + effect.ms };
      else if (effect.kind === 'fail') strike = { ...strike, error: effect };
      else strike = { ...strike, cut: effect.when };
    }
    return strike;
  }

  /** Null: it is not paused. */
  whenRunning(topic: string, partition: number): Promise<void> | null {
    return this.paused.get(`${topic}-${partition}`)?.over ?? null;
  }
}

function matches({ topic, clientId }: FaultOptions, from: string | null, body: object): boolean {
  if (clientId !== undefined && !(from ?? '').startsWith(clientId)) return false;
  return topic === undefined || namesTopic(body, topic);
}

/** Topics are named by `name` or `topic` in the elements of a request's arrays, or are plain strings. */
function namesTopic(value: unknown, topic: string): boolean {
  if (Array.isArray(value)) return value.some((element) => element === topic || namesTopic(element, topic));
  if (value === null || typeof value !== 'object' || Buffer.isBuffer(value)) return false;
  return Object.entries(value).some(
    ([key, inner]) => ((key === 'name' || key === 'topic') && inner === topic) || namesTopic(inner, topic),
  );
}
