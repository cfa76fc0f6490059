/** Changes through Connect's REST API. */
import type { RestartPlan } from './restart-plan';
import { request, RequestError, segment } from './request';

export interface RestartScope {
  readonly includeTasks: boolean;
  readonly onlyFailed: boolean;
}

function connectorPath(name: string, rest = ''): string {
  return `../connectors/${segment(name)}${rest}`;
}

export function pauseConnector(name: string): Promise<null> {
  return request(connectorPath(name, '/pause'), { method: 'PUT' });
}

export function resumeConnector(name: string): Promise<null> {
  return request(connectorPath(name, '/resume'), { method: 'PUT' });
}

export function stopConnector(name: string): Promise<null> {
  return request(connectorPath(name, '/stop'), { method: 'PUT' });
}

export function deleteConnector(name: string): Promise<null> {
  return request(connectorPath(name), { method: 'DELETE' });
}

/** @returns null when only the connector's own instance was restarted */
export function restartConnector(
  name: string,
  { includeTasks, onlyFailed }: RestartScope,
): Promise<RestartPlan | null> {
  const query = `?includeTasks=${includeTasks}&onlyFailed=${onlyFailed}`;
  return request(connectorPath(name, `/restart${query}`), { method: 'POST' });
}

export function restartTask(name: string, task: number): Promise<null> {
  return request(connectorPath(name, `/tasks/${task}/restart`), { method: 'POST' });
}

const ATTEMPTS = 5;
const FIRST_DELAY_MS = 500;

/**
 * Repeats a change that the group cannot take at this moment, because it rebalances (409).
 * @param onRetry called before each wait, with the number of the attempt that failed and the worker's reason
 */
export async function retried<T>(
  change: () => Promise<T>,
  onRetry: (attempt: number, attempts: number, reason: string) => void = () => undefined,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await change();
    } catch (error) {
      if (!isRebalance(error) || attempt === ATTEMPTS) throw error;
      onRetry(attempt, ATTEMPTS, error.message);
    }
    await new Promise((resolve) => setTimeout(resolve, FIRST_DELAY_MS * attempt));
  }
}

function isRebalance(error: unknown): error is RequestError {
  return error instanceof RequestError && error.status === 409 && !error.message.endsWith('already exists');
}
