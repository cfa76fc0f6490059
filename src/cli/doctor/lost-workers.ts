/** Work that the REST API shows as RUNNING on a worker that is not in the group: no worker does it. Pure. */
import type { ConnectorFacts, RestFacts } from './rest-facts';
import { valueOf } from './read';
import type { DoctorFinding } from './report';
import type { WorkerFacts } from './worker-facts';

/** Connectors named in one message. */
const MOST_NAMES = 10;

/** @param isWhole whether `workers` are all members of the group */
export function lostWorkerFindings(
  workers: readonly WorkerFacts[],
  isWhole: boolean,
  { url, connectors }: RestFacts,
): DoctorFinding[] {
  const members = new Set(workers.map((worker) => workerIdOf(worker.url)));
  const running = workByWorker(valueOf(connectors) ?? []);
  // A REST API of another group, or a group that is known in part, shows workers that are not lost.
  const isOfGroup = members.has(workerIdOf(url)) || [...running.keys()].some((worker) => members.has(worker));
  if (!isWhole || members.size === 0 || members.has('') || !isOfGroup) return [];
  return [...running]
    .filter(([worker]) => !members.has(worker))
    .map(([worker, names]) => ({
      severity: 'error',
      code: 'WORKER_LOST',
      subject: `worker ${worker}`,
      message: `It is not in the group, and work of ${listed([...names])} is shown as RUNNING on it, so nothing does this work.`,
      cure: 'Start the worker again under the same advertised address, or wait: the other workers take over its work scheduled.rebalance.max.delay.ms (5 minutes by default) after it has left.',
    }));
}

function workByWorker(connectors: readonly ConnectorFacts[]): Map<string, Set<string>> {
  const running = new Map<string, Set<string>>();
  for (const { name, connector, tasks } of connectors)
    for (const { state, worker_id: worker } of [connector, ...tasks])
      if (state === 'RUNNING' && worker !== undefined && worker !== '')
        running.set(worker, (running.get(worker) ?? new Set()).add(name));
  return running;
}

/** `host:port` of a worker's URL, as statuses have it. */
function workerIdOf(url: string): string {
  return url.replace(/^https?:\/\//, '').split('/', 1)[0] as string;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).join(', ');
  return names.length > MOST_NAMES ? `${shown} and ${names.length - MOST_NAMES} more` : shown;
}
