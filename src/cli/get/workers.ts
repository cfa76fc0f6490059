/** `millrace get workers` */
import { readConnectors, type Connector } from '../connectors/connectors';
import { byName } from '../connectors/name-pattern';
import { writeAnswer } from '../output/answer';
import type { Invocation } from '../program/command-spec';
import type { ConnectClient } from '../rest/connect-client';
import { objectOf, textOf } from '../rest/reply';
import { sideBySide, withClient, workerClients } from '../rest/clients';

interface Identity {
  readonly version: string;
  /** Id of the Kafka cluster. */
  readonly cluster: string;
  /** `healthy`, or why not; empty if the worker does not report it. */
  readonly health: string;
}

const UNKNOWN: Identity = { version: '', cluster: '', health: '' };

export async function run(invocation: Invocation): Promise<number> {
  const connectors = await withClient(invocation, readConnectors);
  const counted = countWork(connectors);
  const known = new Map([...counted.keys()].map((worker) => [placeOf(worker), worker]));
  const identities = new Map(
    await sideBySide(workerClients(invocation), async (client) => {
      const host = hostOf(client);
      return [known.get(placeOf(host)) ?? host, await identityOf(client)] as const;
    }),
  );
  for (const worker of identities.keys())
    if (!counted.has(worker)) counted.set(worker, { connectors: 0, tasks: 0, failed: 0 });
  const workers = [...counted]
    .map(([worker, count]) => ({ worker, ...count, ...(identities.get(worker) ?? UNKNOWN) }))
    .sort(byName(({ worker }) => worker));
  writeAnswer(invocation, workers, () => ({
    headings: ['WORKER', 'CONNECTORS', 'TASKS', 'FAILED', 'VERSION', 'KAFKA CLUSTER', 'HEALTH'],
    rows: workers.map((one) => [
      one.worker,
      String(one.connectors),
      String(one.tasks),
      String(one.failed),
      one.version,
      one.cluster,
      one.health,
    ]),
  }));
  return 0;
}

interface Work {
  connectors: number;
  tasks: number;
  failed: number;
}

function countWork(connectors: readonly Connector[]): Map<string, Work> {
  const counted = new Map<string, Work>();
  const add = (worker: string, kind: 'connectors' | 'tasks', state: string): void => {
    if (worker === '') return;
    const work = counted.get(worker) ?? { connectors: 0, tasks: 0, failed: 0 };
    work[kind]++;
    if (state === 'FAILED') work.failed++;
    counted.set(worker, work);
  };
  for (const { status } of connectors) {
    add(status.worker, 'connectors', status.state);
    for (const { worker, state } of status.tasks) add(worker, 'tasks', state);
  }
  return counted;
}

/** The same for all names of this machine itself, so that a worker is not listed twice. */
function placeOf(worker: string): string {
  return worker.replace(/^(?:127\.0\.0\.1|\[::1\])(?=:\d+$)/, 'localhost');
}

function hostOf({ address }: ConnectClient): string {
  return new URL(address).host;
}

async function identityOf(client: ConnectClient): Promise<Identity> {
  try {
    const { version, kafka_cluster_id: cluster } = objectOf(await client.request('/'), 'GET /');
    // Before Kafka 3.9, Java's worker has no /health.
    const health = await client.request('/health', { accept: [404] });
    return {
      version: textOf(version),
      cluster: textOf(cluster),
      health: health === undefined ? '' : textOf(objectOf(health, 'GET /health').status),
    };
  } catch (error) {
    return { ...UNKNOWN, health: (error as Error).message };
  } finally {
    client.close();
  }
}
