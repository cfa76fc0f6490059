/** What the worker knows of one connector, polled. */
import type { ConnectorDetails } from '../../worker-api';
import { request, RequestError, segment } from '../../api/request';
import { setWorkerTime } from '../../parts/clock';
import { share } from '../../parts/share';
import { usePoll, type Polled } from '../../parts/use-poll';

export function detailsPath(name: string, rest = ''): string {
  return `api/connectors/${segment(name)}${rest}`;
}

export function connectPath(name: string, rest = ''): string {
  return `../connectors/${segment(name)}${rest}`;
}

export async function loadDetails(name: string, signal?: AbortSignal): Promise<ConnectorDetails> {
  return await request<ConnectorDetails>(detailsPath(name), { signal });
}

export function useConnector(name: string): Polled<ConnectorDetails> {
  return usePoll<ConnectorDetails>(async (signal, previous) => {
    const details = await loadDetails(name, signal);
    setWorkerTime(details.at);
    // Unchanged parts remain the same objects, and what shows them is not rendered again.
    return share(previous, details);
  }, `connector ${name}`);
}

export function isNotFound(error: Error | null): boolean {
  return error instanceof RequestError && error.status === 404;
}
