/** The health of this worker, as `GET /health` and the console show it. */
import { messageOf, settledWithin, withDeadline } from '@millrace/sdk';
import type { WorkerHealth } from '../../cluster/entities';
import { RestError, requestTimeout } from '../http/rest-error';
import type { RestContext } from './context';

const STARTING: WorkerHealth = { status: 'starting', message: 'Worker is still starting up.' };
const STUCK: WorkerHealth = {
  status: 'unhealthy',
  message: 'Worker was unable to handle this request and may be unable to handle other requests.',
};

type HealthContext = Pick<RestContext, 'herderIfReady' | 'healthLimitMs'>;

/** Waits for the herder at most `healthLimitMs`. */
export function createHealth(context: HealthContext): () => Promise<WorkerHealth> {
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
