/** Faults on demand: what tests ask of the emulator so that its clients see trouble. Source: analytics-sink §7.8. */
import type { ServerResponse } from 'node:http';
import { badRequest, KustoError } from './kusto-error';

export const FAULT_TARGETS = [
  'mgmt',
  'token',
  'query',
  'streaming',
  'ingestion',
  'blob',
  'queue',
  'table',
  'ingestor',
] as const;
export type FaultTarget = (typeof FAULT_TARGETS)[number];

export interface Fault {
  readonly target: FaultTarget;
  /** Only requests whose path or command contains this text. */
  readonly match?: string;
  /** HTTP status of the answer. */
  readonly status?: number;
  /** Body of the answer. (Default: a OneApi error) */
  readonly body?: string;
  readonly retryAfterSeconds?: number;
  readonly delayMs?: number;
  /** The connection is cut instead of an answer. */
  readonly dropConnection?: boolean;
  /** How often. (Default: until cleared) */
  readonly times?: number;
  /** `ingestor` only: the code that loading into `match` (`db/table`) fails with. */
  readonly code?: string;
}

interface ActiveFault extends Fault {
  left: number;
}

export class Faults {
  private active: ActiveFault[] = [];

  /** @throws KustoError for a fault that can not be. */
  add(fault: Fault): void {
    if (!FAULT_TARGETS.includes(fault.target)) throw badRequest(`There is no fault target '${String(fault.target)}'`);
    this.active.push({ ...fault, left: fault.times ?? Infinity });
  }

  clear(): void {
    this.active = [];
  }

  /** The next fault that a request meets; it is used up by one. */
  take(target: FaultTarget, text: string): Fault | null {
    const found = this.active.find((fault) => fault.target === target && text.includes(fault.match ?? ''));
    if (!found) return null;
    if (--found.left <= 0) this.active = this.active.filter((fault) => fault !== found);
    return found;
  }

  /** Delays, answers or cuts as asked; true: nothing more is to be done with the request. */
  async apply(target: FaultTarget, text: string, response: ServerResponse): Promise<boolean> {
    const fault = this.take(target, text);
    if (!fault) return false;
    if (fault.delayMs) await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
    if (fault.dropConnection) {
      response.destroy();
      return true;
    }
    if (fault.status === undefined) return false;
    const error = new KustoError(fault.code ?? 'General_Throttled', 'A fault that was asked for', {
      status: fault.status,
      permanent: false,
    });
    if (fault.retryAfterSeconds !== undefined) response.setHeader('Retry-After', fault.retryAfterSeconds);
    response.statusCode = fault.status;
    response.setHeader('Content-Type', 'application/json');
    response.end(fault.body ?? JSON.stringify(error.body()));
    return true;
  }
}
