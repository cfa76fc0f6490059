/** Workers that a run kills and freezes: what leaves the group is missed after seconds. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startWorker, type StartedWorker } from '../../dev/services/worker';

export const SESSION_MS = 6000;

export async function startKillable(
  bootstrapServers: string,
  group: string,
  settings: Readonly<Record<string, string>>,
): Promise<StartedWorker> {
  const worker = await startWorker({
    bootstrapServers,
    group,
    settings: {
      'scheduled.rebalance.max.delay.ms': '0',
      'session.timeout.ms': String(SESSION_MS),
      'heartbeat.interval.ms': '1000',
      'key.converter.schemas.enable': 'false',
      'value.converter.schemas.enable': 'false',
      ...settings,
    },
  });
  await worker.ready();
  return worker;
}

/**
 * Freezes the worker for half its session or longer, usually until others have its work, wakes it beside the next one,
 * and kills it up to three seconds later. Returns the next.
 */
export async function freezeBeside(
  worker: StartedWorker,
  start: () => Promise<StartedWorker>,
  random: () => number,
  beforeEnd: () => void = () => undefined,
): Promise<StartedWorker> {
  process.kill(worker.pid, 'SIGSTOP');
  const frozen = sleep(SESSION_MS * (0.5 + random()));
  const next = await start();
  await frozen;
  process.kill(worker.pid, 'SIGCONT');
  await sleep(random() * 3000);
  beforeEnd();
  await worker.crash();
  return next;
}
