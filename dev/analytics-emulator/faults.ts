/** Fault injection for tests. Source: analytics-sink §7.8. */
import type { ServerResponse } from 'node:http';
import { badRequest, KustoError } from './kusto-error';

const FAULT_TARGETS = [
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
  /** HTTP status of the response. */
  readonly status?: number;
  /** Body of the response. (Default: a OneApi error) */
  readonly body?: string;
  readonly retryAfterSeconds?: number;
  readonly delayMs?: number;
  /** Closes the connection instead of responding. */
  readonly dropConnection?: boolean;
  /** Number of requests affected. (Default: until cleared) */
  readonly times?: number;
  /** `ingestor` only: the error code when ingesting into `match` (`db/table`). */
  readonly code?: string;
}

interface ActiveFault extends Fault {
  left: number;
}

export class Faults {
  private active: ActiveFault[] = [];

  /** @throws KustoError for an invalid fault. */
  add(fault: Fault): void {
    if (!FAULT_TARGETS.includes(fault.target)) throw badRequest(`There is no fault target '${String(fault.target)}'`);
    this.active.push({ ...fault, left: fault.times ?? Infinity });
  }

  clear(): void {
    this.active = [];
  }

  /** The next fault for a request. Decrements its remaining count. */
  take(target: FaultTarget, text: string): Fault | null {
    const found = this.active.find((fault) => fault.target === target && text.includes(fault.match ?? ''));
    if (!found) return null;
    if (--found.left <= 0) this.active = this.active.filter((fault) => fault !== found);
    return found;
  }

  /** Applies a fault. True if the request is finished. */
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
