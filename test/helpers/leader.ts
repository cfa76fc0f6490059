/** Which worker of a group leads. */
import type { StartedWorker } from '../../dev/services/worker';
import { waitFor } from './wait-for';

/** Without forwarding, the leader answers 404 for an unknown connector, and the others 409. */
export async function leaderOf(workers: readonly StartedWorker[]): Promise<StartedWorker> {
  return await waitFor('exactly one worker to lead', async () => {
    const answers = await Promise.all(
      workers.map(async (worker) => (await worker.request('DELETE', '/connectors/none?forward=false')).status),
    );
    const leaders = workers.filter((_, i) => answers[i] === 404);
    return leaders.length === 1 && answers.every((status) => status === 404 || status === 409) && leaders[0];
  });
}
