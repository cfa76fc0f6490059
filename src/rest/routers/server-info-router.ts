/** `GET /` and `GET /health`. Source: connect-rest §1.1, §1.2. */
import type { WorkerHealth } from '../../cluster/entities';
import type { RestContext } from './context';
import { createHealth } from './health';
import { ok, type Resource } from '../requests/route';

const STATUS: Readonly<Record<WorkerHealth['status'], number>> = { healthy: 200, starting: 503, unhealthy: 500 };

export function serverInfoResources(context: RestContext): readonly Resource[] {
  const health = createHealth(context);
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
