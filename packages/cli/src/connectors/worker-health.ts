/** Whether the worker that answers knows what it shows: `GET /health`. */
import { settledWithin } from '@millrace/sdk';
import { WORKER_ANSWER_MS } from '../rest/clients';
import type { ConnectClient } from '../rest/connect-client';
import { objectOf, RestError, textOf } from '../rest/reply';

export interface WorkerHealth {
  /** `healthy`, `starting`, `unhealthy`; `unknown` if it does not answer; empty if it reports none. */
  readonly status: string;
  /** Why it is not healthy. */
  readonly problem?: string;
}

/** By the status of `GET /health`. */
const STATUSES: Readonly<Record<number, string>> = { 500: 'unhealthy', 503: 'starting' };
const LATE: WorkerHealth = {
  status: 'unknown',
  problem: `GET /health: no answer for ${WORKER_ANSWER_MS / 1000} s`,
};

/** Never rejects. Before Kafka 3.9, Java's worker has no health; others may not show it to the caller. */
export async function readWorkerHealth(client: ConnectClient): Promise<WorkerHealth> {
  return await settledWithin(requestHealth(client), WORKER_ANSWER_MS, LATE);
}

async function requestHealth(client: ConnectClient): Promise<WorkerHealth> {
  try {
    const found = await client.request('/health', { accept: [401, 403, 404] });
    return { status: found === undefined ? '' : textOf(objectOf(found, 'GET /health').status) };
  } catch (error) {
    const status = (error instanceof RestError && STATUSES[error.status]) || 'unknown';
    return { status, problem: (error as Error).message };
  }
}

/** One line; empty while nothing is wrong. */
export function workerProblem({ status, problem }: WorkerHealth, { address }: Pick<ConnectClient, 'address'>): string {
  return problem === undefined ? '' : `${status.toUpperCase()} worker ${address}: ${problem}`;
}
