/** This worker: `GET /`, and its health, as `GET /health` and the console show it. Source: connect-rest §1.1, §1.2. */
import { messageOf, settledWithin, withDeadline } from '@millrace/sdk';
import type { WorkerHealth } from '../../cluster/entities';
import { RestError, requestTimeout } from '../http/rest-error';
import { ok, type Route } from '../requests/route';
import type { RestContext } from './context';

const HTTP_STATUS: Readonly<Record<WorkerHealth['status'], number>> = { healthy: 200, starting: 503, unhealthy: 500 };
const STARTING: WorkerHealth = { status: 'starting', message: 'Worker is still starting up.' };
const STUCK: WorkerHealth = {
  status: 'unhealthy',
  message: 'Worker was unable to handle this request and may be unable to handle other requests.',
};

type HealthContext = Pick<RestContext, 'herderIfReady' | 'healthLimitMs'>;

/** Waits for the herder at most `healthLimitMs`. */
function createHealth(context: HealthContext): () => Promise<WorkerHealth> {
  let everHealthy = false;
  return async () => {
    const herder = context.herderIfReady();
    if (!herder) return STARTING;
    try {
      const found = await withDeadline(herder.health(), context.healthLimitMs, requestTimeout);
      everHealthy ||= found.status === 'healthy';
      return found;
    } catch (error) {
      if (!(error instanceof RestError)) throw error;
      return everHealthy ? STUCK : STARTING;
    }
  };
}

/**
 * Waits at most `waitMs`, then returns the last known health: a busy herder is unhealthy only after the longer limit.
 */
export function quickHealth(context: HealthContext, waitMs: number): () => Promise<WorkerHealth> {
  const check = createHealth(context);
  let last = STARTING;
  let pending: Promise<WorkerHealth> | null = null;
  const ask = async (): Promise<WorkerHealth> => {
    try {
      return (last = await check());
    } catch (error) {
      return (last = { status: 'unhealthy', message: messageOf(error) });
    } finally {
      pending = null;
    }
  };
  return async () => await settledWithin((pending ??= ask()), waitMs, last);
}

export function workerRoutes(context: RestContext): readonly Route[] {
  const health = createHealth(context);
  return [
    {
      method: 'GET',
      path: '/',
      role: 'reader',
      anyType: true,
      doc: { id: 'serverInfo', summary: 'Version and Kafka cluster', answers: { 200: ['The worker', 'ServerInfo'] } },
      run: () =>
        ok({
          version: context.version,
          commit: context.commit,
          kafka_cluster_id: context.herderIfReady()?.kafkaClusterId() ?? null,
        }),
    },
    {
      method: 'GET',
      path: '/health',
      role: 'reader',
      anyType: true,
      doc: {
        id: 'health',
        summary: 'Health of the worker: 503 while it starts, 500 when it is stuck',
        answers: { 200: ['The worker is healthy', 'WorkerStatus'] },
      },
      run: async () => {
        const { status, message } = await health();
        return { status: HTTP_STATUS[status], body: { status, message } };
      },
    },
  ];
}
