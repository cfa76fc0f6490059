/** `GET /` and `GET /health`. Source: connect-rest §1.1, §1.2. */
import { withDeadline } from '@millrace/sdk';
import type { WorkerHealth } from '../../cluster/entities';
import type { RestContext } from './context';
import { RestError, requestTimeout } from '../http/rest-error';
import { ok, type Resource } from '../requests/route';

const STARTING: WorkerHealth = { status: 'starting', message: 'Worker is still starting up.' };
const STUCK: WorkerHealth = {
  status: 'unhealthy',
  message: 'Worker was unable to handle this request and may be unable to handle other requests.',
};
const STATUS: Readonly<Record<WorkerHealth['status'], number>> = { healthy: 200, starting: 503, unhealthy: 500 };

export function serverInfoResources(context: RestContext): readonly Resource[] {
  let everHealthy = false;
  async function health(): Promise<WorkerHealth> {
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
  }
  return [
    {
      path: '/',
      anyType: ['GET'],
      methods: {
        GET: () =>
          ok({
            version: context.version,
            commit: context.commit,
            kafka_cluster_id: context.herderIfReady()?.kafkaClusterId() ?? null,
          }),
      },
    },
    {
      path: '/health',
      anyType: ['GET'],
      methods: {
        GET: async () => {
          const { status, message } = await health();
          return { status: STATUS[status], body: { status, message } };
        },
      },
    },
  ];
}
